// What an experiment asks for: its load, its design, its budget.

package config

import "time"

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
