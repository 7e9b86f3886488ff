// Tracers: tracer files.

package config

import (
	"io/fs"
	"regexp"
	"slices"
	"time"
)

// Tracer is one way of tracing: a folder tracers/NAME/ with a tracer.yaml.
type Tracer struct {
	_           struct{}          `called:"a tracer"`
	Name        string            //
	Language    string            `yaml:"language"`                                                           // of programs that it traces; default: any
	Description string            `yaml:"description" as:"text"`                                              // a line for 'tracetax list'
	Needs       []Need            `yaml:"needs"`                                                              // programs of the PATH that it needs
	Programs    map[string]string `yaml:"programs" as:"programs"`                                             // how to get programs that its users' commands start, by name, for the error where one is not on the PATH
	Shared      []string          `yaml:"shared" as:"shared"`                                                 // folders of tracers/shared/ to copy into its own
	Artifact    Artifact          `yaml:"artifact"`                                                           // pinned packages, in the folder {tracer}
	Compiled    bool              `yaml:"compiled"`                                                           // true: part of the program; a built-in workload needs a build for it; default: false
	Wrap        []string          `yaml:"wrap" as:"arguments"`                                                // words before the command of each traced process
	Args        []string          `yaml:"args" as:"arguments"`                                                // words after it
	Env         map[string]string `yaml:"env"`                                                                // environment variables of each traced process
	Append      map[string]string `yaml:"append"`                                                             // added to variables after a space: {JAVA_TOOL_OPTIONS: "-javaagent:{tracer}/agent.jar"}
	Templates   []string          `yaml:"templates" as:"templates" words:"settings"`                          // files with placeholders, also {setting.NAME} (.ratio, .ms, .s), filled in for each traced process in {templates}
	Metrics     string            `yaml:"metrics" as:"page" words:"run"`                                      // page of counters of each traced process, http://127.0.0.1:{port.WORD}/metrics; read once, before the processes stop
	Says        []Saying          `yaml:"says" example:"[{what: dropped, log: 'dropped (?P<n>\\d+) spans'}]"` // what it says of spans: sampled, dropped, failed, sent (given to an export; the rest was lost at the stop), traced
	Tells       string            `yaml:"tells" as:"tells"`                                                   // regular expression over the output, whose group name is an instrumented library, for the report
	Startup     time.Duration     `yaml:"startup" range:"0s..10m"`                                            // about how much longer a start and stop takes; only for --dry-run
	Settle      time.Duration     `yaml:"settle" range:"0s..10m"`                                             // extra time after the processes are ready
	Connects    time.Duration     `yaml:"connects" range:"0s..10m"`                                           // longest wait of the first operation for the tracer's first contact with the sink
	Ends        string            `yaml:"ends"`                                                               // what to do if a program does not end on SIGTERM because of the tracer
	Buffers     int               `yaml:"buffers" range:"0..1000000"`                                         // most spans kept until a buffer is full; so many that come late are not lost
	Processes   []Brought         `yaml:"processes"`                                                          // proxies, agents or collectors that it brings
	Settings    []Setting         `yaml:"settings" as:"named"`                                                // what its user chooses
	Files       fs.FS
}

// ParseTracer reads a tracer file. File is its name for errors.
func ParseTracer(file, name string, text []byte) (*Tracer, error) {
	s := &source{file: file}
	t := s.tracer(text, name)
	if err := s.err(); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *source) tracer(text []byte, name string) *Tracer {
	t := &Tracer{Name: name}
	if root := parseYAML(s, text); root != nil {
		s.decode(root, t)
	}
	return t
}

func (t *Tracer) begin(s *source, n *node) {
	s.in, s.settings = inTracer, settingWords(n.get("settings"))
	s.known = slices.Concat(runPlaceholders, s.processPorts(n.get("processes"), nil)) // of each process: those that stand beside it
}

func (t *Tracer) check(s *source, n *node) {
	s.paged(n, "tracer", t.Metrics, t.Says)
	s.checkSettings(n.get("settings"), t.Settings)
	var names []string
	for _, b := range t.Processes {
		names = append(names, b.Name)
	}
	s.eachOnce(n.get("processes"), "leave it out where the tracer brings none", names)
}

// programs reads how to get programs, by their names.
func (s *source) programs(n *node) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "programs") {
		before := len(s.problems)
		if out[e.key] = s.line(e.value); out[e.key] == "" && len(s.problems) == before {
			s.fail(e.at, "say how to get %s, such as: install it by …", printable(e.key))
		}
	}
	return out
}

// arguments reads a list of words that may hold placeholders.
func (s *source) arguments(n *node) []string {
	if n.kind != list && n.kind != null {
		s.fail(n.at, "expected a list of words, such as [--verbose, \"--port={port}\"], not %s", n.kind)
		return nil
	}
	words := s.texts(n)
	for i, w := range words {
		s.placeholders(n.items[i].at, w, s.known)
	}
	return words
}

// tells reads the pattern of the lines that name what is instrumented.
func (s *source) tells(n *node) string {
	text := s.compile(n)
	if re, err := regexp.Compile(text); err == nil && re.SubexpIndex("name") < 0 {
		s.fail(n.at, "the group that holds the library must be called name: (?P<name>\\S+)")
	}
	return text
}
