// Package config owns the files that a person writes: experiments, workloads and
// tracers. It parses them, checks them with file:line:column errors, fills in
// defaults, and resolves variants into what is to be started. It knows nothing
// of processes and of time passing.
package config

import "time"

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
	Samples     bool        // every single duration is kept in the results folder; self-driving workloads only
	Published   []Published // figures of a study that this experiment repeats
	Claims      []Claim     // what that study found, as predicates on intervals
}

// Faults are injected overheads for the harness: what is made to go wrong on purpose, in
// the harness and never in the program. All zero: nothing.
type Faults struct {
	SinkLoses     float64       // share of the spans received that the sink answers for and throws away
	SinkLate      time.Duration // that the sink waits before it answers
	SinkGone      string        // how the sink receives nothing: away, silent or resetting; "" receives
	GeneratorLate time.Duration // that every operation is made later than intended
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
	Status      []int             // those that are right; none is any 2xx or 3xx
	Timeout     time.Duration     // 0 is the load's
	Rate        float64           // operations/s; 0 is the load's
	Spans       map[string]Number // declared spans per operation by tracer name, "" for all others; absent: learnt
	Mix         []Share           // a weighted mix of operations, instead of a request
	GRPC        bool              // unary gRPC: URL's path is /package.Service/Method, Body one message in protobuf
	Take        map[string]string // values of its answer for the requests of Then; see Step
	Then        []Step            // requests that follow it: all of them are one operation
	Data        string            // file of request data, CSV or JSON lines: its columns fill {data.COLUMN} in URL, headers and body; see File
	Order       string            // in which the rows are taken: OrderRandom, or "" for one after the other
	Protoset    string            // gRPC: file of a descriptor set; Body is then JSON
	Insecure    bool              // https: do not check the certificate
	Empty       bool              // self-driving workloads: it does nothing unless told to burn time; a share of nothing says nothing
	Drive       map[string]string // self-driving workloads: words that the process gets with the order, e.g. {depth: 10}; the load's own win
}

// OrderRandom takes the rows of request data by chance.
const OrderRandom = "random"

// Share is one operation's part of a mix.
type Share struct {
	Operation Operation
	Weight    float64
}

// Number is a count of spans: an exact one, or an interval where it varies.
type Number struct{ Low, High float64 }

// Variant is what is compared: a tracer with its settings on a workload.
type Variant struct {
	Name        string
	Description string
	Tracer      *Tracer           // never nil; the tracer "none" adds nothing
	Settings    map[string]string // every setting of the tracer, defaults filled in
	Chosen      map[string]string // of which the user chose these
	Env         map[string]string
	Args        []string
	On          []string  // the workload's processes that are traced; nil: all that a tracer applies to
	Via         []Process // hops that its spans pass through, in the order of a span's way
	To          *Process  // the backend that they are stored in; nil: they go to the sink
	Against     string    // another variant to be compared with, besides the baseline
	Faults      *Faults   // instead of the experiment's; nil: the experiment's
}

// Untraced reports whether a variant is the program as it is: without a tracer, and without variables or arguments that
// may switch on one of the program's own.
func (v Variant) Untraced() bool {
	return (v.Tracer == nil || v.Tracer.Name == NoTracer) && len(v.Env) == 0 && len(v.Args) == 0
}

// FileFormats are the formats of files that spans are counted in.
var FileFormats = []string{"kieker"}

// Steps of tracing, in the order of a span's way: a choice of a tracer says which are
// left with it, so that what each of them adds can be told.
var Steps = []string{"instrumentation", "probe", "queue", "writing"}

// What an experiment asks for: its load, its design, its budget.

// Load is how an operation is made to happen.
type Load struct {
	Rate        float64       // operations/s, open loop; 0 where Connections is set
	Connections int           // closed loop; with Rate, the most connections that may be open
	Rates       []float64     // several rates: a phase for each; Rate is then 0
	Levels      []int         // several numbers of connections, closed loop: a phase for each; Connections is then 0
	Relative    *Relative     // a rate relative to what the variants can do; Rate is then 0 until a pilot has told
	Capacity    *Capacity     // a search in each phase, instead of a given rate
	Streams     int           // gRPC: calls at a time on one connection; 0 is 1
	Arrivals    string        // "constant" or "poisson"
	Warmup      time.Duration // load before the window; 0 until a pilot has told where WarmupMost is set
	WarmupAll   time.Duration // load of all operations in turn, before the first of them has its warm-up
	WarmupMost  time.Duration // a pilot finds the warm-up, at most so long (warmup: auto); 0: it is given
	Duration    time.Duration // of the measured window
	Timeout     time.Duration // of one operation
	Idle        time.Duration // idle window before the first phase

	// Of self-driving workloads; see docs/self-driving.md.
	Calls   uint64        // the most operations of the measured window; with Duration, what comes first ends it; 0: Duration alone
	Depth   int           // calls in one another that make one operation; 0: the workload's own
	Depths  []int         // several of them: a phase for each; Depth is then 0
	Threads int           // that call; 0 is 1
	Crowds  []int         // several numbers of threads: a phase for each; Threads is then 0
	Busy    time.Duration // CPU time that the innermost call burns
}

// Relative is a rate that is a share of what the slowest variant can do,
// operation by operation ("50% of slowest"). A pilot run of each variant finds that.
type Relative struct {
	Share  float64   // 0.5 is half
	Shares []float64 // several of them: a phase for each; Share is then 0
	Search Capacity  // how the pilot finds the capacity
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
	From       float64       // operations/s of the first probe; 0: chosen
	Max        float64       // operations/s never to be exceeded; 0: what the generator can do
	Step       float64       // staircase: operations/s between two steps
	Resolution float64       // relative width of the bracket at which a bisection ends
	Confirm    time.Duration // GoalLossless: so long nothing is lost at the rate that passes; 0: as long as any probe
}

// Order is how the load goes through the variants of a block.
type Order string

// The orders. In all but Apart every variant of a block lives at the same time, on the same CPUs.
const (
	Windows Order = "windows" // the load goes to one variant for a window, then to the next
	Woven   Order = "woven"   // all variants have their full rate at the same time, a part of a period apart
	Apart   Order = "apart"   // one run after the other
)

// Orders are all of them.
var Orders = []Order{Windows, Woven, Apart}

// Together reports whether the runs of a block are made at the same time.
func (o Order) Together() bool { return o == Windows || o == Woven }

// Design is how many runs are made.
type Design struct {
	Blocks    int     // exactly so many, or at least where Most is set
	Most      int     // stop at the precision, or after so many; 0: exactly Blocks
	Precision float64 // half-width of the interval on the relative cost that is enough, 0.02 is ±2 %
	Metric    string  // of which metric
	Order     Order   // how the load goes through the variants of a block; "": Settle chooses
	Seed      uint64  // 0: drawn, and recorded
	Quick     bool
	Unpiloted string // Quick: the rate that was asked for, "50% of slowest"; the workload's own stand in for it, because no pilot was made
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

// What a study published, and what it claimed: an experiment that repeats it shows
// the study's figures beside its own, and says of each claim whether it holds.

// Published is one figure of a study.
type Published struct {
	Source    string // authors, title, year
	Workload  string // "" for the experiment's only one
	Operation string // "" for the study's arithmetic mean over all operations
	Variant   string
	Metric    string            // a metric of findings.json
	Parameter map[string]string // e.g. {depth: 8}
	Value     float64           // in the metric's unit
	Spread    float64           // standard deviation, where the study gives one; 0: none
	Note      string            // e.g. "raw-log mean, not in the text"
}

// Claim is a finding of a study as a predicate on intervals: it holds where every
// one of the intervals that it selects lies wholly in the given range, is refuted
// where one lies wholly outside, and cannot be told otherwise.
type Claim struct {
	Name      string // e.g. "MF3.1"
	Text      string // in words
	Metric    string
	Of        string   // "cost" (relative, against the baseline) or "ratio" (of two costs, the first over the second: of two Variants, Workloads or Operations, or of Metric over Beside)
	Beside    string   // of a ratio: the metric whose cost the metric's cost is held against
	Variants  []string // none: all but the baseline
	Workloads []string // none: all
	Operation []string // none: all
	Over      string   // "" each selected figure by itself; "operations", "workloads", "variants" or "all": their geometric mean
	Some      bool     // it is enough that one of the selected holds; otherwise all must
	Above     *float64 // relative: 0 is no cost
	Below     *float64
}
