// Package spec owns the files that a person writes: experiments, workloads and
// tracers. It parses them, checks them with file:line:column errors, fills in
// defaults, and resolves variants into what is to be started. It knows nothing
// of processes and of time passing.
package spec

import (
	"io/fs"
	"time"
)

// Experiment is an experiment file, parsed and checked, its workload and tracers
// looked up. An experiment over several workloads is several Experiments.
type Experiment struct {
	Name        string
	Description string
	Workload    *Workload
	Operations  []Operation // what is measured, each in a phase of its own; a mix is one Operation with Mix set
	Variants    []Variant   // the first is the baseline
	Load        Load
	Design      Design
	Budget      []Limit
	Sink        SinkMode
	Faults      Faults
}

// Faults are known lengths for the ruler: what is made to go wrong on purpose, in
// the harness and never in the program. All zero: nothing.
type Faults struct {
	SinkLoses     float64       // share of the spans received that the sink answers for and throws away
	SinkLate      time.Duration // that the sink waits before it answers
	GeneratorLate time.Duration // that every operation is made later than intended
}

// Workload is a program that can be traced.
type Workload struct {
	Name        string
	Language    string // "go", "python", …; "" for one's own program where nobody said
	Description string
	Needs       []Need
	Artifact    Artifact         // language packages that the workload itself needs: {workload}
	Build       map[string]Build // by tracer name, "" for all others
	Processes   []Process
	Operations  []Operation
	Rate        float64 // operations/s at which it is asked where the experiment names none; 0 is DefaultRate
	Files       fs.FS   // the folder of a built-in workload; nil for one's own
	Dir         string  // folder that relative paths of one's own program stand for
}

// Process is one program of a workload.
type Process struct {
	Name     string
	Role     string // app, sidecar, collector, backend, database
	Run      []string
	Env      map[string]string
	Dir      string
	Ready    string        // "http://…", "tcp://host:port" or "log:REGEXP"; "" is tcp on {port} if the process uses it
	Patience time.Duration // how long it may take to become ready
	CPUs     float64       // quota; 0 is none
	Memory   int64         // bytes; 0 is no limit
	Traced   bool          // whether a tracer's wrap and env apply to it; app processes by default
}

// Operation is one kind of work.
type Operation struct {
	Name        string
	Description string
	Process     string // whose {port} a relative request goes to; "" is the first process of role app
	Method      string
	URL         string // path, or http://host:port/path; may hold placeholders
	Headers     map[string]string
	Body        []byte
	Status      int               // expected; 0 is any 2xx or 3xx
	Timeout     time.Duration     // 0 is the load's
	Rate        float64           // operations/s; 0 is the load's
	Spans       map[string]Number // declared spans per operation by tracer name, "" for all others; absent: learnt
	Mix         []Share           // a weighted mix of operations, instead of a request
	GRPC        bool              // unary gRPC: URL's path is /package.Service/Method, Body one message in protobuf
	Data        string            // file of request data, CSV or JSON lines: its columns fill {data.COLUMN} in URL, headers and body
	Insecure    bool              // https: do not check the certificate
}

// Share is one operation's part of a mix.
type Share struct {
	Operation Operation
	Weight    float64
}

// Number is a count of spans: an exact one, or an interval where it varies.
type Number struct{ Low, High float64 }

// Need is something that must be on the machine.
type Need struct {
	Command string // looked up on PATH
	Install string // how to get it
	Reason  string // set where it cannot be had at all
}

// Artifact names pinned packages that are installed into a folder of their own.
type Artifact struct {
	Python string // a requirements file with hashes, relative to the folder
}

// Build makes a program from a workload's sources.
type Build struct {
	Run [][]string // commands, run one after the other in a copy of the folder; {build} is where the result goes
	Env map[string]string
}

// Tracer is one way of tracing.
type Tracer struct {
	Name        string
	Language    string // "" works with any
	Description string
	Needs       []Need
	Artifact    Artifact
	Wrap        []string // goes before the command of each traced process
	Args        []string // goes after it
	Env         map[string]string
	Settings    []Setting
	Admits      []Admission
	Settle      time.Duration // extra time after ready until the tracer is connected
	Files       fs.FS
}

// Setting is something that a user of the tracer chooses.
type Setting struct {
	Name        string
	Description string
	Default     string
	Kind        string            // "share", "count", "duration", "choice" or "text"
	Choices     map[string]Choice // kind choice
	Env         map[string]string // other kinds; {value}, {value.ms}, {value.ratio}
	Meaning     string            // "sampling": the sampled share; "delay": the longest time a span is held; ""
}

// Choice is one value of a setting of kind choice.
type Choice struct {
	Description string
	Env         map[string]string
	Unset       []string // variables of the tracer that this choice takes away
	Silent      bool     // with it no span reaches the sink, by intent
	Immediate   bool     // with it spans are sent without delay
}

// Admission is a way in which a tracer says what became of its spans.
type Admission struct {
	What string // "dropped" or "failed"
	Log  string // regular expression over the process's log; group "n" is the number, without it each line counts 1
	Take string // "last" (a running total per process) or "sum"
}

// Variant is what is compared: a tracer with its settings on a workload.
type Variant struct {
	Name        string
	Description string
	Tracer      *Tracer           // never nil; the tracer "none" adds nothing
	Settings    map[string]string // every setting of the tracer, defaults filled in
	Chosen      map[string]string // of which the user chose these
	Env         map[string]string
	Args        []string
	Against     string  // another variant to be compared with, besides the baseline
	Faults      *Faults // instead of the experiment's; nil: the experiment's
}

// Load is how an operation is made to happen.
type Load struct {
	Rate        float64   // operations/s, open loop; 0 where Connections is set
	Connections int       // closed loop; with Rate, the most connections that may be open
	Rates       []float64 // several rates: a phase for each; Rate is then 0
	Levels      []int     // several numbers of connections, closed loop: a phase for each; Connections is then 0
	Relative    *Relative // a rate relative to what the variants can do; Rate is then 0 until a pilot has told
	Capacity    *Capacity // a search in each phase, instead of a given rate
	Streams     int       // gRPC: calls at a time on one connection; 0 is 1
	Sources     int       // loopback addresses to connect from, 127.0.0.1 and up; 0 is as many as the connections need
	Arrivals    string    // "constant" or "poisson"
	Warmup      time.Duration
	Duration    time.Duration // of the measured window
	Timeout     time.Duration // of one operation
	Idle        time.Duration // idle window before the first phase
}

// Relative is a rate that is a share of what the slowest variant can do,
// operation by operation ("50% of slowest"). A pilot run of each variant finds that.
type Relative struct {
	Share  float64  // 0.5 is half
	Search Capacity // how the pilot finds the capacity
}

// Goal is what the search for a capacity looks for.
type Goal string

// The goals of a search.
const (
	GoalCPU      Goal = "cpu"      // the rate at which the app uses a share of the CPU that it may use
	GoalLatency  Goal = "latency"  // the highest rate at which a latency percentile stays under a limit
	GoalLossless Goal = "lossless" // the highest rate at which no span is lost
)

// Method is how a search goes about it.
type Method string

// The methods of a search.
const (
	MethodFit       Method = "fit"       // probe, fit or bracket, verify, bisect where it must
	MethodStaircase Method = "staircase" // rising by fixed steps until the goal is passed, as the studies did
)

// Capacity is the search for a rate. Load.Duration is the length of one probe.
type Capacity struct {
	Goal       Goal
	CPU        float64       // GoalCPU: 0.75 is 75 % of the app's quota, or of its CPUs where it has none
	Percentile float64       // GoalLatency: 99 is p99
	Limit      time.Duration // GoalLatency
	Method     Method
	From       float64 // operations/s of the first probe; 0: chosen
	Most       float64 // operations/s never to be exceeded; 0: what the generator can do
	Step       float64 // staircase: operations/s between two steps
	Resolution float64 // relative width of the bracket at which a bisection ends
}

// Design is how many runs are made.
type Design struct {
	Blocks    int     // exactly so many, or at least where Most is set
	Most      int     // stop at the precision, or after so many; 0: exactly Blocks
	Precision float64 // half-width of the interval on the relative cost that is enough, 0.02 is ±2 %
	Metric    string  // of which metric
	Duet      bool    // both variants at the same time, each on a side, sides swapped half-way
	Seed      uint64  // 0: drawn, and recorded
	Quick     bool
}

// Limit is one line of a budget.
type Limit struct {
	Metric string  // a metric of findings.json
	Value  float64 // relative increase (0.05 is 5 %); for lost spans a share
	Text   string  // as the user wrote it
}

// SinkMode says how closely the sink looks.
type SinkMode string

// The modes of the sink.
const (
	Checking SinkMode = "checking" // ids are checked; memory bounded, evictions counted
	Counting SinkMode = "counting" // flat memory
)
