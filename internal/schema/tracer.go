// This file has the keys of a tracer, and those that it shares with a service.

package schema

// Tracer is one way of tracing: a folder tracers/NAME/ with a tracer.yaml.
type Tracer struct {
	Language    Text               `json:"language"`    // of programs that it traces; default: any
	Description Text               `json:"description"` // a line for 'tracetax list'
	Needs       []Need             `json:"needs"`       // programs of the PATH that it needs
	Programs    map[string]Text    `json:"programs"`    // how to get programs that its users' commands start, by name, for the error where one is not on the PATH
	Artifact    Artifact           `json:"artifact"`    // pinned packages, in the folder {tracer}
	Shared      Texts              `json:"shared"`      // folders of tracers/shared/ to copy into its own
	Compiled    bool               `json:"compiled"`    // true: part of the program; a built-in workload needs a build for it; default: false
	Wrap        Texts              `json:"wrap"`        // words before the command of each traced process
	Args        Texts              `json:"args"`        // words after it
	Env         Environment        `json:"env"`         // environment variables of each traced process
	Append      Environment        `json:"append"`      // added to variables after a space: {JAVA_TOOL_OPTIONS: "-javaagent:{tracer}/agent.jar"}
	Templates   Texts              `json:"templates"`   // files with placeholders, also {setting.NAME} (.ratio, .ms, .s), filled in for each traced process in {templates}
	Settings    map[string]Setting `json:"settings"`    // what its user chooses
	Metrics     Text               `json:"metrics"`     // page of counters of each traced process, http://127.0.0.1:{port.WORD}/metrics; read once, before the processes stop
	Processes   []Brought          `json:"processes"`   // proxies, agents or collectors that it brings
	Says        []Saying           `json:"says"`        // what it says of spans: sampled, dropped, failed, sent (given to an export; the rest was lost at the stop), traced
	Tells       Text               `json:"tells"`       // regular expression over the output, whose group name is an instrumented library, for the report
	Startup     Duration           `json:"startup"`     // about how much longer a start and stop takes; only for --dry-run
	Settle      Duration           `json:"settle"`      // extra time after the processes are ready
	Connects    Duration           `json:"connects"`    // longest wait of the first operation for the tracer's first contact with the sink
	Ends        Text               `json:"ends"`        // what to do if a program does not end on SIGTERM because of the tracer
	Buffers     int                `json:"buffers"`     // most spans kept until a buffer is full; so many that come late are not lost
}

// Setting is something that a user of the tracer chooses.
type Setting struct {
	Description Text                       `json:"description"`                                                                           // a line for 'tracetax show'
	Default     Text                       `json:"default"`                                                                               // what the tracer does when nobody chooses; a text or path without one has to be chosen
	Kind        string                     `json:"kind" jsonschema:"enum=share,enum=count,enum=duration,enum=choice,enum=text,enum=path"` // share (10%), count (2048), duration (5s), choice (default with choices), text (default without) or path (it may begin with {build} or another folder of the run)
	Choices     map[string]ChoiceOrNothing `json:"choices"`                                                                               // by value: what it does
	Env         Environment                `json:"env"`                                                                                   // variables to set: {value}; of a share {value.ratio} (0.1), {value.percent} (10); of a duration {value.ms}, {value.s}
	Append      Environment                `json:"append"`                                                                                // variables to append to, likewise
	Meaning     string                     `json:"meaning" jsonschema:"enum=sampling,enum=delay,enum=room"`                               // sampling: share of traces recorded; delay: longest time a span is held (sets the drain); of a service, room: most traces held
	Draws       bool                       `json:"draws"`                                                                                 // true, with meaning: sampling: the sampler takes this share of the traces that the caller has decided to sample, so that the load generator asks for all
	Follows     bool                       `json:"follows"`                                                                               // true, with meaning: sampling: a trace on which the caller has decided is left at that, so that the load generator decides and the ledger is exact
	Within      Text                       `json:"within"`                                                                                // another count, above which this one loses spans; a run warns
}

// Choice is one value of a setting.
type Choice struct {
	Description Text        `json:"description"` // a line for 'tracetax show'
	Env         Environment `json:"env"`         // variables to set
	Append      Environment `json:"append"`      // variables to append to
	Unset       Texts       `json:"unset"`       // variables to take away
	Sends       Texts       `json:"sends"`       // the only protocols (of {sink.…}) of its spans
	Steps       Texts       `json:"steps"`       // which of instrumentation, probe, queue, writing remain, to tell each one's cost; default: all
	Silent      bool        `json:"silent"`      // true: no span reaches the sink, on purpose
	Immediate   bool        `json:"immediate"`   // true: spans are sent at once
	Learnt      bool        `json:"learnt"`      // true: operations make other numbers of spans than declared, so learn them
	Rationed    bool        `json:"rationed"`    // true: only so many traces a time are kept
	Partial     bool        `json:"partial"`     // true: lacks spans of other choices, so it is excluded from the ranking
	Decides     bool        `json:"decides"`     // true: leaves out traces by how they turn out; says tells the number (sampled)
	Files       Environment `json:"files"`       // {kieker: "{tmp}/spans"}: spans go to files of that format, counted at the end
	Delay       Duration    `json:"delay"`       // of a service: further time for which it holds spans; all add up
	Without     Texts       `json:"without"`     // of a service: settings without effect, which nobody may choose then
}

// ChoiceOrNothing is a choice; nothing, where it does nothing but to be chosen.
type ChoiceOrNothing string

// Saying is where a tracer or a hop says what it did with spans. Those of one what add up; a counter that is missing is unknown,
// not zero.
type Saying struct {
	What    string `json:"what" jsonschema:"required"`                 // spans: received (also if sampled out or lost later), refused, sampled (left out on purpose), dropped, failed, sent; traces: early (thrown away undecided), kept, traced (of a tracer, by metrics: those that it decided for at their beginning, by chance); arrivals after the decision on their trace: late
	Metrics Text   `json:"metrics"`                                    // a counter of its page, or NAME_total; all series with these labels add up
	Absent  string `json:"absent" jsonschema:"enum=none,enum=unknown"` // none: the counter appears only after its first count; unknown: the service, or every traced process, ends with the line, so that without it nobody knows
	One     Text   `json:"one"`                                        // LABEL: series that differ in it count the same spans, so of several the number is unknown
	Log     Text   `json:"log"`                                        // instead: a regular expression over the output, whose group n is the number (without it a line is 1)
	Take    string `json:"take" jsonschema:"enum=sum,enum=last"`       // of a log: sum, or last for a running total; default: sum
}

// Brought is a process that a tracer brings. It may hold {setting.NAME}.
type Brought struct {
	Name      Text        `json:"name" jsonschema:"required"`                                               // beside shop, the results say NAME@shop
	Beside    bool        `json:"beside"`                                                                   // true: one beside each traced process; otherwise one a run; default: false
	Front     bool        `json:"front"`                                                                    // true, with beside: takes that process's requests at {port} and passes them on to {beside.port}; default: false
	Role      string      `json:"role" jsonschema:"enum=sidecar,enum=collector,enum=backend,enum=database"` // default: sidecar if beside, else collector
	Templates Texts       `json:"templates"`                                                                // files of the tracer's folder, filled in
	Service   Text        `json:"service"`                                                                  // a service to be; other keys win, env is merged
	Run       Command     `json:"run"`                                                                      // its command; needed without service
	Env       Environment `json:"env"`                                                                      // environment variables
	Dir       Text        `json:"dir"`                                                                      // where it starts; default: {tmp}
	Ready     Text        `json:"ready"`                                                                    // as of a workload's process. Leave it out of a front process: a readiness request through it would make spans
	Patience  Duration    `json:"patience"`                                                                 // longest time until ready; default: 30s
	CPUs      Text        `json:"cpus"`                                                                     // how many CPUs it may use; default: no limit
	Memory    Size        `json:"memory"`                                                                   // how much memory it may use; default: no limit
}
