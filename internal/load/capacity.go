// How much this generator can ask: a grid of short closed loops, and the highest
// open-loop rate that it holds punctually. For each it is told whether the
// generator or the server was the limit, so that a limit seen elsewhere is known
// to be the service's.

package load

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// Bound is what kept a stretch of load from being more.
type Bound string

// The bounds.
const (
	ByGenerator    Bound = "generator"         // its threads, or its CPUs, were busy
	ByServer       Bound = "server"            // the same of the server
	BySharedCPU    Bound = "shared CPU"        // both on the same CPUs, which were busy
	ByOthers       Bound = "other processes"   // something else ran on the generator's or the server's CPUs
	ByConnections  Bound = "connections"       // both had time left: each connection waits for its answer
	NotByGenerator Bound = "not the generator" // it had time left; the server's usage is not known
	ByFailures     Bound = "failures"          // so many operations failed that the rate says nothing
)

const (
	saturated  = 0.9              // share of its CPU time from which a process is the limit
	mostFailed = 0.01             // of the operations, above which the rate says nothing
	punctual   = time.Millisecond // p99 of the lag that a rate is held with
	openAbove  = 1.1              // × the best closed-loop rate: where the search for the held rate begins
	openProbes = 5                // halvings of that
	leastRate  = 2                // operations/s
)

// CapacityPlan says what is to be tried.
type CapacityPlan struct {
	Task          Task          // what is asked; Rate, Connections, Threads and Duration are the search's own
	Threads       []int         // to be tried, in this order
	Connections   []int         // to be tried, in this order
	Stretch       time.Duration // length of each stretch of load
	GeneratorCPUs int           // CPUs that the generator may use
	ServerCPUs    int           // CPUs that the server may use, at most its threads; 0: its usage is not known
	Shared        bool          // they are the same CPUs
}

// CPUTime is what a thread, or several, used.
type CPUTime struct {
	Ran    time.Duration
	Waited time.Duration // ready to run, while its CPU ran something else; 0 where that is not known
}

// Instruments make load and read what it uses.
type Instruments struct {
	Do        func(context.Context, Task) (record.Load, error)
	Generator func() (Threads, error)
	Server    func() (Threads, error) // nil: not known
	Progress  func(string)            // told of each stretch before it begins; nil: nobody listens
}

// Capacity is how much the generator can ask.
type Capacity struct {
	StretchSeconds float64 `json:"stretch_seconds"`
	GeneratorCPUs  int     `json:"generator_cpus"`
	ServerCPUs     int     `json:"server_cpus,omitempty"` // 0: the server's usage is not known
	Shared         bool    `json:"shared_cpus"`
	Closed         []Cell  `json:"closed_loop"`
	Open           []Held  `json:"open_loop"`
}

// Share is what a process used of the CPU time that it could have used.
type Share struct {
	Ran    float64 `json:"ran"`
	Waited float64 `json:"waited"` // for a CPU that ran something else
}

// Cell is one stretch of a closed loop.
type Cell struct {
	Threads         int     `json:"threads"`
	Connections     int     `json:"connections"`
	Rate            float64 `json:"rate"`                      // completed operations/s
	CPUPerOperation float64 `json:"cpu_per_operation_seconds"` // of the generator
	Generator       Share   `json:"generator"`
	Server          *Share  `json:"server,omitempty"` // nil: not known
	Failed          uint64  `json:"failed"`           // timed-out ones included
	Limit           Limit   `json:"limit,omitempty"`  // as of any load
	Bound           Bound   `json:"bound"`
}

// Held is the highest rate of an open loop that was held, with a p99 of the lag
// under a millisecond and no backlog.
type Held struct {
	Threads         int     `json:"threads"`
	Connections     int     `json:"connections"` // most open
	Rate            float64 `json:"rate"`        // operations/s; 0: none was held
	Failing         float64 `json:"failing"`     // the lowest rate tried that was not held; 0: all were
	LagP99          float64 `json:"lag_p99_seconds"`
	CPUPerOperation float64 `json:"cpu_per_operation_seconds"`
	Generator       Share   `json:"generator"`
	Server          *Share  `json:"server,omitempty"`
	Bound           Bound   `json:"bound,omitempty"` // what kept it from the failing rate
}
