// What was made once more under a profiler, and what of it was of tracing.

package record

import "slices"

// ProfilesFolder holds the profiles, in the format of pprof.
const ProfilesFolder = "profiles"

// What is profiled: CPU time, or, in threads of the program alone, time by the clock on the wall, or bytes that are allocated.
const (
	ForCPU   = "cpu"
	ForWall  = "wall"
	ForAlloc = "alloc"
)

// Profiled is an operation made again under a profiler, when everything had been measured.
type Profiled struct {
	Of           string    `json:"of"`                 // what is profiled: cpu, wall or alloc
	Load         Load      `json:"load"`               // operations made meanwhile
	Sink         Counts    `json:"sink"`               // what arrived from its beginning to the quiet after it
	Usage        []Usage   `json:"usage"`              // over the same time, one entry a process; profilers are none of them
	Seconds      float64   `json:"seconds"`            // how long the load lasted, and the drain after it
	DrainSeconds float64   `json:"drain_seconds"`      // of this, the drain
	Profiles     []Profile `json:"profiles,omitempty"` // an entry a process of the workload
	Failure      string    `json:"failure,omitempty"`  // why the whole stretch says nothing
}

// Profile is the samples of one process, sorted by rules into causes. What is of tracing is by stage, and once more by task.
// Amounts of a profile by the clock on the wall are of threads of the program alone, which also wait.
type Profile struct {
	Process         string           `json:"process"`                    // name of the process
	Profiler        string           `json:"profiler,omitempty"`         // what took the samples: perf, py-spy
	IntervalSeconds float64          `json:"interval_seconds,omitempty"` // between two samples of a thread
	Samples         int64            `json:"samples"`                    // that were taken
	Tracing         int64            `json:"tracing"`                    // of these, of the tracer
	Unit            string           `json:"unit,omitempty"`             // of the amounts: samples, nanoseconds, bytes
	Program         int64            `json:"program"`                    // amount of the program
	Tracer          int64            `json:"tracer"`                     // of the tracer, in all threads
	Caller          int64            `json:"tracer_caller"`              // of this, in threads of the program
	Runtime         int64            `json:"runtime"`                    // of neither: collector of garbage, compiler
	Unseen          int64            `json:"unseen,omitempty"`           // of CPU that the process used, and its profiler cannot see: native code and the kernel, for py-spy
	Stages          map[string]int64 `json:"stages,omitempty"`           // of the tracer's, by stage; the rest has no rule
	Tasks           map[string]int64 `json:"tasks,omitempty"`            // of the tracer's, by task; the rest has no rule
	Unruled         []Frame          `json:"unruled,omitempty"`          // frames of the tracer without a rule for their task, the largest first
	File            string           `json:"file,omitempty"`             // of the whole profile, in the results folder
	Failure         string           `json:"failure,omitempty"`          // why there are no samples
}

// Frame is a function, and how much was found in it.
type Frame struct {
	Name   string `json:"name"`   // as rules name it
	Amount int64  `json:"amount"` // in the unit of the profile
}

// Cold is a start under profilers, from the first fork to the first answer.
type Cold struct {
	Seconds   float64            `json:"seconds"`             // until all were ready, and of the first operation
	Profilers []string           `json:"profilers,omitempty"` // that watched
	Parts     map[string]float64 `json:"parts,omitempty"`     // seconds by part, of all processes; what is in no part is not known
	Failure   string             `json:"failure,omitempty"`   // why there are no parts
}

// Made are all stretches of load of a phase: its warm-up, what was timed, its window, and those under a profiler.
func (p *Phase) Made() []Load {
	all := []Load{p.Warmup, p.Load}
	if p.Timed != nil {
		all = append(all, p.Timed.Load)
	}
	for _, one := range p.Profiled {
		all = append(all, one.Load)
	}
	return all
}

// Came is all that arrived of a phase.
func (p *Phase) Came() Counts {
	sum := p.WarmupSink.Plus(p.Sink)
	for _, one := range p.Profiled {
		sum = sum.Plus(one.Sink)
	}
	return sum
}

// ProfiledOf is the stretch in which something was profiled; nil where there was none.
func (p *Phase) ProfiledOf(what string) *Profiled {
	if i := slices.IndexFunc(p.Profiled, func(one Profiled) bool { return one.Of == what }); i >= 0 {
		return &p.Profiled[i]
	}
	return nil
}
