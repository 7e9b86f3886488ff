// Package record owns the raw result of a run and the folder that results are
// kept in. Every package may import it; it imports none of run or analysis.
//
// Units: times in seconds (float64) where a name ends in Seconds, sizes in
// bytes; counts are whole numbers. Nothing in a record is averaged over runs.
package record

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/role"
)

// Schema is the version of the record format. A reader refuses any other.
const Schema = 2

// Kind is the use of a run.
type Kind string

// The kinds of run. Only measured runs enter an estimate.
const (
	Calibration Kind = "calibration" // slow, to learn how many spans an operation makes
	Measured    Kind = "measured"    // enters the estimates
	Pilot       Kind = "pilot"       // before the first block, to find the load that is asked for
)

// Purpose is the question of a pilot.
type Purpose string

// The purposes of pilots.
const (
	ForRate   Purpose = ""        // what load the variant can take
	ForWarmup Purpose = "warm-up" // how long the variant takes to get steady
)

// Record is the result of one run: one line of runs.jsonl.
type Record struct {
	Schema   int       `json:"schema"`            // version of this format
	Kind     Kind      `json:"kind"`              // what the run was for
	Purpose  Purpose   `json:"purpose,omitempty"` // of a pilot
	Workload string    `json:"workload"`          // name of the workload
	Variant  string    `json:"variant"`           // name of the variant
	Block    int       `json:"block"`             // from 1; 0 for a calibration
	Position int       `json:"position"`          // place in the block's random order, from 0
	Attempt  int       `json:"attempt"`           // 1, or 2 for the second try of a failed run
	Started  time.Time `json:"started"`           // when it began, with the workload's prepare command where there is one
	Ended    time.Time `json:"ended"`             // when all of it had ended, the cleanup command too
	Failure  *Failure  `json:"failure,omitempty"` // nil: the run is good

	Start   Start    `json:"start"`             // what happened before the first phase
	Cold    *Cold    `json:"cold,omitempty"`    // the start, where profilers watched it; its times are then no others
	Phases  []Phase  `json:"phases,omitempty"`  // one an operation and level, in the order in which they were made
	Memory  []Memory `json:"memory,omitempty"`  // over the life of the processes, one entry a process; none of a measured run that searches, nor of one by an older tracetax
	Stop    Stop     `json:"stop"`              // how the processes ended
	Tracer  Reported `json:"tracer"`            // what the tracer says of itself, over the life of the processes
	Packets *Packets `json:"packets,omitempty"` // what a tracer that captures packets says of them, over the life of the processes
	Life    Counts   `json:"life"`              // what the sink counted over the life of the processes
	Hops    []Hop    `json:"hops,omitempty"`    // what each program between the tracer and the sink says, in the order of a span's way, over their life
	Backend *Backend `json:"backend,omitempty"` // what the backend says, where the spans went to one; then Sink and Life of all stretches are its count of spans
	Harness Harness  `json:"harness"`           // what the harness says of itself
	Unasked *Unasked `json:"unasked,omitempty"` // calibration: of operations without a request to trace; nil if none was made
	Signs   *Signs   `json:"signs,omitempty"`   // of the tracer, where no span came; nil: not looked for

	Loaded    map[string][]string `json:"loaded,omitempty"`    // by process: the command lines of the programs that loaded the tracer at the end, where they are several; processes that forked from one another are one
	Elsewhere []Elsewhere         `json:"elsewhere,omitempty"` // of spans that did not go to the sink, an entry a process; none seen is no proof that there were none

	Kept *KeptTraces `json:"kept_traces,omitempty"` // the file of the run's spans; nil: none was asked for
}

// Failed reports whether the run has no usable result.
func (r *Record) Failed() bool { return r.Failure != nil }

// StageBlock is the stage of a run in which nothing failed, made together with one in which something did.
const StageBlock = "block"

// Failure is the reason why a run has no result.
type Failure struct {
	Stage   string   `json:"stage"`             // prepare, sink, start, ready, connect, setup, first operation, idle, warm-up, phases, window, drain, profile, verify, stop, cleanup, pilot, block
	Code    string   `json:"code,omitempty"`    // what it is, where that is known: ended, port-taken, removed, wrong-answers, where a program listens that is not ready (no-port, other-port, other-address, no-answer), or what answers in its place (other-program, no-program, forwarder, enclosed)
	Process string   `json:"process,omitempty"` // the process at fault, where one is
	Message string   `json:"message"`           // what happened, and what to do about it
	Log     []string `json:"log,omitempty"`     // the last lines that the process wrote
}

// Codes of failures.
const (
	Ended        = "ended"         // a process ended when it should have been running
	PortTaken    = "port-taken"    // likewise: it found its port taken
	Removed      = "removed"       // likewise: something else ended it, as a cluster does that deletes or evicts its pod
	WrongAnswers = "wrong-answers" // operations were answered otherwise than expected
)

// What differs between two failures of one cause: ports and addresses in a
// message, and in a log also process numbers and times.
var (
	longNumber = regexp.MustCompile(`0x[0-9a-fA-F]+|\d{4,}`)
	anyNumber  = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)
)

// Cause is the same text for two failures that say the same.
func (f *Failure) Cause() string {
	message := f.Message
	if len(f.Log) > 0 { // which ends the message too
		message = strings.Replace(message, strings.TrimSpace(f.Log[len(f.Log)-1]), "", 1)
	}
	return f.Stage + "\n" + longNumber.ReplaceAllString(message, "#") + "\n" + anyNumber.ReplaceAllString(strings.Join(f.Log, "\n"), "#")
}

// Start covers the time from the first fork to the first phase.
type Start struct {
	ReadySeconds          float64           `json:"ready_seconds"`               // first fork to last process ready
	FirstOperation        string            `json:"first_operation"`             // the operation that was made once, first of all
	FirstParameter        map[string]string `json:"first_parameter,omitempty"`   // at which level it was made, where its spans depend on that
	FirstOperationSeconds float64           `json:"first_operation_seconds"`     // its duration
	Probes                uint64            `json:"probes"`                      // readiness requests that were answered
	FailedProbes          uint64            `json:"failed_probes,omitempty"`     // of these, with a status of 500 or above: the traced program need not have seen them
	SetupRequests         uint64            `json:"setup_requests,omitempty"`    // requests of the setup, made before the first operation
	SetupSink             *Counts           `json:"setup_sink,omitempty"`        // calibration: what arrived of these, a part of sink; nil: there were none, or the sink still received
	ConnectedSeconds      float64           `json:"connected_seconds,omitempty"` // how long was waited until the sink had heard of the tracer
	Beside                []string          `json:"beside,omitempty"`            // variants of the block that still worked when this one started
	Unseen                []string          `json:"unseen,omitempty"`            // processes of which it could not be seen whether they answer where they are asked, rather than a program whose use is not read
	Workers               map[string]int    `json:"workers,omitempty"`           // by process of the app: how many workers it has after the first operation, processes that one of it has started; none: no two
	Runtimes              map[string]string `json:"runtimes,omitempty"`          // by process: the virtual machine that it runs on, where that can be told (Java)
	Verified              []string          `json:"verified,omitempty"`          // what the workload's own check said, line by line
	Sink                  Counts            `json:"sink"`                        // what arrived before the first phase, the first operation's spans included
	Once                  []string          `json:"once,omitempty"`              // calibration: operations (see Work) that were made once after it, so what only the first time makes is known
	OnceSink              *Counts           `json:"once_sink,omitempty"`         // calibration: what arrived of these, a part of sink
	Hops                  []Hop             `json:"hops,omitempty"`              // what the hops say of the same time
	IdleSeconds           float64           `json:"idle_seconds"`                // length of the idle window that was asked for; Idle says over how long was read
	Idle                  []Usage           `json:"idle,omitempty"`              // usage over the idle window: one entry a process
	IdleSteady            *bool             `json:"idle_steady,omitempty"`       // false: the processes never got calm before the idle window, so Idle is no rate; nil: unknown
}

// Unasked is what came of operations of a calibration that brought no ids of the load generator's, so a program which
// traces by itself decided by itself which are sampled. It is in no phase.
type Unasked struct {
	Operation string `json:"operation"` // whose traces a phase of the calibration asked for
	Completed uint64 `json:"completed"` // operations that were answered as expected
	Sink      Counts `json:"sink"`      // what arrived of them
	Quiet     bool   `json:"quiet"`     // false: the sink still received when patience ended, so Sink is not all
}

// Spans returns the number of spans that the sink counts; 0 if none was made.
func (u *Unasked) Spans() uint64 {
	if u == nil {
		return 0
	}
	return u.Sink.Sum()
}

// ProbeOperation is the name of the phase of a calibration that repeats the readiness
// request, so the spans of the requests before "ready" can be told.
const ProbeOperation = "(probe)"

// SetupOperation is the name under which it is learnt how many spans the requests of the setup make together.
const SetupOperation = "(setup)"

// Phase is one operation's part of a run: warm-up, drain, measured window, drain.
type Phase struct {
	Operation   string            `json:"operation"`             // name of the operation
	Parameter   map[string]string `json:"parameter,omitempty"`   // what was varied between phases, e.g. {"connections": "4"}
	Position    int               `json:"position"`              // place in the run's random order, from 0
	OfferedRate float64           `json:"offered_rate"`          // operations/s asked for; 0 for a closed loop
	Connections int               `json:"connections,omitempty"` // closed loop: connections kept busy

	Warmup     Load   `json:"warmup"`          // operations made before the window
	WarmupSink Counts `json:"warmup_sink"`     // what arrived from the start of the warm-up to the quiet after it, and after what was timed
	Timed      *Timed `json:"timed,omitempty"` // operations made after the warm-up for their latency, in turn with the other runs of the block; nil: latency is that of Load

	Hops   []Hop   `json:"hops,omitempty"`   // what the hops say of warm-up, window and what was profiled together
	Traced *uint64 `json:"traced,omitempty"` // traces that the tracer decided for at their beginning, by chance, in all of these together

	Windows       []Window `json:"windows,omitempty"`         // the window's parts, where runs were made together and had the load in turn: Load is their sum
	AtOnceSeconds float64  `json:"at_once_seconds,omitempty"` // for how long all runs of the block had their load at once; 0: for the duration
	SliceSeconds  float64  `json:"slice_seconds,omitempty"`   // length of the slices, on average, in which the runs of a block had their load at once; 0: it was spread out
	PausedSeconds float64  `json:"paused_seconds,omitempty"`  // of the time of Usage, before and between the parts: others had the load

	Away *Away `json:"away,omitempty"` // use of its processes while others had the load; nil: they never had it by themselves, or unknown

	Undisturbed *Undisturbed `json:"undisturbed,omitempty"` // what figures are of, where some rounds of windows were disturbed, and not so many that the block is; nil: of the whole window

	Progress []Slice `json:"progress,omitempty"` // of a pilot for the warm-up, which has no window: the warm-up slice by slice

	Load         Load     `json:"load"`                // operations of the measured window
	Sink         Counts   `json:"sink"`                // what arrived from the start of the window to the quiet after it
	Usage        []Usage  `json:"usage"`               // over the same time, one entry a process
	DrainSeconds float64  `json:"drain_seconds"`       // from the last operation's end to the quiet, and until the processes were calm
	Quiet        bool     `json:"quiet"`               // false: the sink still received when patience ended
	Calm         *bool    `json:"calm,omitempty"`      // false: the processes still used more CPU than when they were idle when patience ended; nil: unknown
	Compiling    *float64 `json:"compiling,omitempty"` // share of what the threads of programs under test used that a runtime's compilers did; nil: not known, as in pods
	Others       float64  `json:"others,omitempty"`    // as of a probe, over the time of the usage; not of a search

	Profiled []Profiled `json:"profiled,omitempty"` // the operation once more under a profiler, when all phases had been made; its operations and spans are in no other figure of the phase

	Capacity *Search `json:"capacity,omitempty"` // the search, where the phase was one; Load, Sink and Usage are then those of its last probe that held
}

// Timed has operations made while no other run of the block had the load: no other run's work is in their latency. Their
// spans are in WarmupSink, and what they used is in no figure.
type Timed struct {
	Load         Load     `json:"load"`                    // operations
	Seconds      float64  `json:"seconds,omitempty"`       // that they were spread over, in slices among those of the other runs; 0: they were made in windows
	SliceSeconds float64  `json:"slice_seconds,omitempty"` // length of the slices, on average
	Windows      []Window `json:"windows,omitempty"`       // the parts that it is the sum of
	Undisturbed  *Load    `json:"undisturbed,omitempty"`   // of the windows in rounds that nothing disturbed; nil: of all
}

// Window is one part of a measured window.
type Window struct {
	Place        int     `json:"place"`               // in the order of all parts of all runs, from 0
	StartSeconds float64 `json:"start_seconds"`       // after the start of the first part of any run
	WallSeconds  float64 `json:"wall_seconds"`        // first intended start to last end
	Operations   uint64  `json:"operations"`          // that were completed
	CPUSeconds   float64 `json:"cpu_seconds"`         // of all processes but load and sink, while it lasted
	Beside       float64 `json:"beside,omitempty"`    // CPU seconds of the other runs' processes meanwhile; 0 where operations come at a rate: each window ends there when its spans have come
	Others       float64 `json:"others,omitempty"`    // as of a probe, from when it was made ready until its spans had come
	Disturbed    bool    `json:"disturbed,omitempty"` // programs outside the block used much more in its round than in the others of the phase
}

// Away is a stretch in which a run waited while others of its block had the load.
type Away struct {
	Seconds    float64 `json:"seconds"`     // its length, all others' windows together
	CPUSeconds float64 `json:"cpu_seconds"` // of all its processes but load and sink: what they do by themselves, and late for its own operations
}

// Undisturbed is what was done and used in the windows of the rounds that nothing disturbed, and what they left behind: each
// from its beginning to that of the run's next one, the last to the end of the drain. It is as the same fields of the phase. Of
// a self-driving program as fast as it goes it is only operations and their durations: its tracer may send in a later round what
// was made in an earlier one, so what was used and what arrived is of all rounds.
type Undisturbed struct {
	Load          Load    `json:"load"`            // operations
	Sink          Counts  `json:"sink,omitzero"`   // what arrived
	Usage         []Usage `json:"usage,omitempty"` // one entry a process; memory is that of the phase; nil: it is of all rounds
	PausedSeconds float64 `json:"paused_seconds"`  // others had the load
	DrainSeconds  float64 `json:"drain_seconds"`   // 0 where the last window is left out
}

// Slice is a short stretch of a warm-up that is watched.
type Slice struct {
	AskedSeconds float64 `json:"asked_seconds"` // its length as it was asked for
	WallSeconds  float64 `json:"wall_seconds"`  // first intended start to last end
	Operations   uint64  `json:"operations"`    // that were completed
	CPUSeconds   float64 `json:"cpu_seconds"`   // of all processes but load and sink
	TimeSeconds  float64 `json:"time_seconds"`  // that operations took, all added up; 0 where an operation's time is not its own (an open loop)
}

// Load is the work of the load generator in one stretch of load, and its measurements.
type Load struct {
	WallSeconds   float64           `json:"wall_seconds"`         // first intended start to last end
	Intended      uint64            `json:"intended"`             // operations the schedule asked for
	Started       uint64            `json:"started"`              // operations sent
	Completed     uint64            `json:"completed"`            // answered as expected
	Failed        uint64            `json:"failed"`               // answered, but wrongly, or the connection broke
	TimedOut      uint64            `json:"timed_out"`            // no answer within the time-out: in Latency as censored values
	Errors        map[string]uint64 `json:"errors,omitempty"`     // how many operations failed, by what went wrong
	Answers       map[int]uint64    `json:"answers,omitempty"`    // the completed by status, of operations with several that are right
	Redirects     map[string]uint64 `json:"redirects,omitempty"`  // the completed that were redirected, by status and where to ("302 to /login"), of operations that do not say which status is right
	Connected     uint64            `json:"connected"`            // connections opened
	Used          uint64            `json:"used,omitempty"`       // connections that requests were sent over, old ones included; of several stretches the most of one; 0: not known
	Resent        uint64            `json:"resent,omitempty"`     // requests sent twice, as the server had closed the kept connection
	Identified    uint64            `json:"identified,omitempty"` // of the started: the load generator chose the ids of their traces, and sent these as traceparent
	Sampled       uint64            `json:"sampled,omitempty"`    // of these: with the flag that they are sampled
	BytesSent     uint64            `json:"bytes_sent"`           // over the connections
	BytesReceived uint64            `json:"bytes_received"`       // over the connections
	PutOff        uint64            `json:"put_off,omitempty"`    // of the completed: the rest of an answer came 39 to 50 ms after its beginning, once, as where a server's kernel waits for a delayed acknowledgement; plain HTTP/1.1 on Linux alone is watched
	BodyBytes     uint64            `json:"body_bytes,omitempty"` // of the bodies of answers to the completed; 0: there were none, or it was not counted
	Driven        *Driven           `json:"driven,omitempty"`     // what a self-driving workload says of itself; nil for others
	Parts         []Part            `json:"parts,omitempty"`      // of a mix: what was made of each operation in it, in their order
	Backlog       []uint64          `json:"backlog,omitempty"`    // open loop: operations due and not ended, at each tenth of the schedule
	Latency       Histogram         `json:"latency"`              // ns, from the intended start
	Lag           Histogram         `json:"lag"`                  // ns, intended start to the write: the generator's own lateness

	Timings map[string]Histogram `json:"timings,omitempty"` // ns: what the right answers tell of their own time (the header Server-Timing), by the name of the entry
}

// Part has the counts of one operation of a mix.
type Part struct {
	Operation string `json:"operation"`         // its name
	Started   uint64 `json:"started"`           // as of all
	Completed uint64 `json:"completed"`         // likewise
	Sampled   uint64 `json:"sampled,omitempty"` // likewise
}

// Driven is the report of a self-driving workload on a stretch of work.
// A nil pointer means that its language does not tell.
type Driven struct {
	Threads         int      `json:"threads"`            // that made operations
	Depth           int      `json:"depth"`              // calls in one another that make one operation
	Constant        bool     `json:"constant,omitempty"` // operations at a rate kept step: the process knows no random moments
	CallSeconds     float64  `json:"call_seconds"`       // sum of all durations
	ThreadCPU       *float64 `json:"thread_cpu"`         // s: CPU time of the calling threads over the stretch
	Allocated       *uint64  `json:"allocated"`          // bytes that the process allocated
	AllocatedCaller *uint64  `json:"allocated_callers"`  // of these, by the calling threads
	GCCount         *uint64  `json:"gc_count"`           // collections of garbage
	GCSeconds       *float64 `json:"gc_seconds"`         // time that they took
	HeapPeak        *uint64  `json:"heap_peak"`          // bytes in use, the most seen between batches
	HeapLive        *uint64  `json:"heap_live"`          // bytes in use after a full collection behind the stretch
	Samples         string   `json:"samples,omitempty"`  // file in the results folder that holds every duration; "" where none is kept
}

// ByClock is the source of what the CPU clocks of processes say.
const ByClock = "clock"

// BySidecar is the accounting of runs in pods with a container each that reads the program beside it.
const BySidecar = "sidecar"

// Usage is the use of one process (with its descendants) over a stretch of time.
type Usage struct {
	Process         string    `json:"process"`                        // name of the process
	Role            role.Role `json:"role"`                           // what the process is there for: who is charged
	Service         string    `json:"service,omitempty"`              // the workload's process that it stands beside; "" for the workload's own, and for what is there once a run
	Seconds         float64   `json:"seconds"`                        // length of the stretch
	CPUSeconds      float64   `json:"cpu_seconds"`                    // user and system
	SystemSeconds   float64   `json:"system_seconds"`                 // of this, system time; 0 where the source does not say
	MemoryMean      uint64    `json:"memory_mean"`                    // bytes, anonymous and shared pages; of a phase over its load alone, as drains differ in length
	MemoryPeak      uint64    `json:"memory_peak"`                    // the same
	ContextSwitches uint64    `json:"context_switches"`               // of all its threads
	Involuntary     uint64    `json:"involuntary_switches,omitempty"` // of these, involuntary
	ThrottleSeconds float64   `json:"throttle_seconds"`               // time for which its quota held it back
	LogFullSeconds  float64   `json:"log_full_seconds,omitempty"`     // time for which the pipe of its log was full, about, so it waited for tracetax
	CPUs            float64   `json:"cpus,omitempty"`                 // CPUs that it may use: its quota, or those that it is bound to; 0: not known
	Source          string    `json:"source"`                         // "cgroup v1", "cgroup v2" or "clock"
	Unread          []string  `json:"unread,omitempty"`               // which of context_switches could not be read: they are 0 and not known
	Outside         []string  `json:"outside,omitempty"`              // processes of it that had left its cgroup at the end: its limits do not hold for them
}

// Whose is the service that the process is charged to: the workload's process beside which it stands, or itself.
func (u Usage) Whose() string { return cmp.Or(u.Service, u.Process) }

// Whose is as of Usage.
func (m Memory) Whose() string { return cmp.Or(m.Service, m.Process) }

// Memory is what one process (with its descendants) held of memory of its own in a run,
// in bytes: anonymous and shared pages, without the page cache. What it holds in one phase
// is in part what earlier ones made it take, so it is told of the run.
type Memory struct {
	Process string    `json:"process"`           // name of the process
	Role    role.Role `json:"role"`              // what the process is there for
	Service string    `json:"service,omitempty"` // as of Usage
	Steady  uint64    `json:"steady"`            // mean over time of the load of the last window, when every operation has been made; 0: not known
	Peak    uint64    `json:"peak"`              // the most that was seen, from when all processes were ready until the last spans had come; 0: not known
}

// Counts has the counts of a sink over a stretch of time, or since its start.
type Counts struct {
	Requests   uint64            `json:"requests"`               // that came
	Bytes      uint64            `json:"bytes"`                  // as they came over the wire: message bodies, still compressed
	Spans      uint64            `json:"spans"`                  // received, duplicates included
	Roots      uint64            `json:"roots"`                  // spans without a parent
	Metrics    uint64            `json:"metrics"`                // of the metrics signal
	Logs       uint64            `json:"logs"`                   // of the logs signal
	Rejected   uint64            `json:"rejected"`               // spans refused as invalid, told to the sender by partial success
	Malformed  uint64            `json:"malformed"`              // requests refused whole
	Refusals   map[string]uint64 `json:"malformed_by,omitempty"` // requests refused whole, by why: the status and the words that their senders got
	Duplicate  uint64            `json:"duplicate"`              // spans whose id had been seen (checking mode)
	Orphans    uint64            `json:"orphans"`                // spans whose parent has not come (checking mode; not a difference but the state at the end)
	Traces     uint64            `json:"traces"`                 // distinct trace ids (checking mode)
	Evicted    uint64            `json:"evicted"`                // spans that the checking mode had to forget
	Services   map[string]uint64 `json:"services,omitempty"`     // spans by service.name
	RootNames  map[string]uint64 `json:"roots_by,omitempty"`     // roots by name
	Kinds      map[string]uint64 `json:"kinds,omitempty"`        // spans by kind
	Protocols  map[string]uint64 `json:"protocols,omitempty"`    // requests by protocol
	Checking   bool              `json:"checking"`               // whether the ids were checked
	Merged     uint64            `json:"merged,omitempty"`       // spans that their tracer says it merged into others that were received: in no other count
	Suppressed uint64            `json:"suppressed,omitempty"`   // spans that their tracer says over the wire that it did not send (a limit of its own): in no other count
	LeftOut    uint64            `json:"left_out,omitempty"`     // spans that their tracer had no room for, by its rings that the sink reads: in no other count
	Thrown     uint64            `json:"thrown,omitempty"`       // spans answered for and thrown away by order (a fault asked for); in no other count
	Unchecked  uint64            `json:"unchecked,omitempty"`    // of the spans received: those that have no id to check (checking mode)
	Absent     int64             `json:"absent,omitempty"`       // spans that are the parent of others which came, and have not come themselves (checking mode); below 0: more came that were waited for before
	Shapes     Shapes            `json:"traces_by,omitempty"`    // traces by the name of their root and by their spans (checking mode)
	Own        Shapes            `json:"own_by,omitempty"`       // of these: the traces whose ids the load generator chose
	Foreign    uint64            `json:"foreign,omitempty"`      // traces with ids that it could have chosen, and has not
}

// Reported has the counts in a tracer's own report of its spans.
// A nil pointer means that it says nothing of it.
type Reported struct {
	Sampled    *uint64 `json:"sampled,omitempty"`    // left out on purpose, once their traces were there
	Dropped    *uint64 `json:"dropped,omitempty"`    // thrown away in its queue
	Failed     *uint64 `json:"failed,omitempty"`     // lost in failed exports
	Sent       *uint64 `json:"sent,omitempty"`       // given to an export, whatever came of that: before the stop on a page, until the end in a log
	Calls      *uint64 `json:"calls,omitempty"`      // in calls: that its proxies took for the processes that they are before
	Source     string  `json:"source,omitempty"`     // by whose word, as of a Hop
	SentBy     string  `json:"sent_by,omitempty"`    // by whose word, where it says what it sent: ByLog if a log has a part in it
	Unreported string  `json:"unreported,omitempty"` // why it does not say, where it should

	Instrumented map[string][]string `json:"instrumented,omitempty"` // by process: the libraries that it says it instruments, in the order of their names

	Missed map[string]map[string]string `json:"missed,omitempty"` // by process, by library: the line that says that it does not instrument it, though the program has it
}

// KeptTraces are the spans of a run in a file of the results folder, over the life of the processes.
type KeptTraces struct {
	File     string `json:"file,omitempty"`  // in the results folder; "": none was kept
	Spans    uint64 `json:"spans"`           // in the file
	Lost     uint64 `json:"lost"`            // not written: the disk was too slow, or an error
	Received uint64 `json:"received"`        // by the sink, over all protocols; the file has those over OTLP
	Error    string `json:"error,omitempty"` // of the first span that could not be written
}

// Packets has the reports of the processes that capture packets. A nil pointer is unknown, and not none.
type Packets struct {
	Captured   *uint64 `json:"captured"`             // packets
	Dropped    *uint64 `json:"dropped"`              // packets that came and were not captured
	Bytes      int64   `json:"bytes"`                // of the files that hold the captured
	Unreported string  `json:"unreported,omitempty"` // why one does not say
}

// Stop covers the end of the processes.
type Stop struct {
	Seconds float64  `json:"seconds"`           // from the first signal to the last end
	Killed  bool     `json:"killed,omitempty"`  // one did not end when asked
	Deaf    []string `json:"deaf,omitempty"`    // the processes that did not
	Unquiet bool     `json:"unquiet,omitempty"` // the sink still received when patience ended, so Sink and Life are not all
	Idle    []Usage  `json:"idle,omitempty"`    // usage over a second idle window, after the last phase: one entry a process
	Sink    Counts   `json:"sink"`              // what arrived while they stopped
	Hops    []Hop    `json:"hops,omitempty"`    // what the hops report of the same time, if they could be asked
}

// Harness measures the influence of the harness on a run.
type Harness struct {
	StealSeconds  float64           `json:"steal_seconds"`            // CPU time taken by the host, all CPUs
	WorkedSeconds float64           `json:"worked_seconds,omitempty"` // CPU time that all CPUs worked meanwhile; 0: not known
	LoadAverage   float64           `json:"load_average"`             // one minute, at the start of the run, before its prepare command
	Accounting    string            `json:"accounting"`               // how CPU time was charged: "cgroup v1", "cgroup v2", "clock"; "sidecar": in each pod by a container beside the program's, which a process's usage says more of
	Placement     string            `json:"placement"`                // "cpuset", "affinity" or "none"
	Node          string            `json:"node,omitempty"`           // of a cluster, on which the run's pods were; "" of a run on this machine
	Images        map[string]string `json:"images,omitempty"`         // of such a run, by process: the image as the node's runtime names it, with its digest
	Generators    int               `json:"generators,omitempty"`     // of a cluster: load generators in pods of their own that shared the load, whose CPU is not known; 0: one process beside the sink
	OwnCPU        float64           `json:"own_cpu"`                  // CPU seconds of tracetax itself, its keepers included (not load, not sink), while operations were made
	OwnSeconds    float64           `json:"own_seconds"`              // how long that was
	Unmet         []string          `json:"unmet,omitempty"`          // limits and places that could not be given to a process, and why
	Seconds       float64           `json:"seconds"`                  // the time of steal_seconds: the run without the commands around it
	Unread        []string          `json:"unread,omitempty"`         // which of steal_seconds and load_average could not be read: they are 0 and not known
	Order         string            `json:"order,omitempty"`          // how the load went through the runs of the block that were made together: "paired", "windows" or "woven"; "" of a run by itself
	With          []string          `json:"with,omitempty"`           // the variants of those runs, without this one
}
