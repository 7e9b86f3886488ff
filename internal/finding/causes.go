// Causes: why an operation costs what it costs.

package finding

import "maps"

// Causes tells what the amounts of causes rest on, of one variant against another on one operation. The amounts are findings,
// of the metrics cpu_task_…, cpu_stage_… and so on.
type Causes struct {
	Operation   string            `json:"operation"`              // the operation; "": the start, from the first fork to the first answer, whose amounts are profiled_start…
	Parameter   map[string]string `json:"parameter,omitempty"`    // the level of what was varied between phases
	Variant     string            `json:"variant"`                // name of the variant
	Against     string            `json:"against"`                // the variant that it is compared with
	Profilers   []string          `json:"profilers,omitempty"`    // that took the samples
	Samples     int64             `json:"samples"`                // of the variant's operations, in all blocks
	Tracing     int64             `json:"tracing"`                // of these, of tracing; under 500 there are no amounts
	Waits       int64             `json:"waits,omitempty"`        // samples by the clock on the wall of tracing in the program's threads; under 500 it is not told how long these take or wait
	WaitsLow    bool              `json:"waits_low,omitempty"`    // these see the program's threads in tracing for less time than they use CPU in it: it is not told either
	WaitsSlower float64           `json:"waits_slower,omitempty"` // how many times as long an operation took under that profiler as without, in the slower variant; over 1.5 it is not told either
	Allocated   int64             `json:"allocated,omitempty"`    // likewise samples of what tracing allocates
	Added       *Interval         `json:"added"`                  // what profiling added to the CPU per operation, in seconds; null where that is not known
	AddedMuch   bool              `json:"added_much,omitempty"`   // that is over a fifth of what tracing adds
	Unruled     []UnruledFrame    `json:"unruled,omitempty"`      // frames of the tracer whose task no rule knows, the largest first
	Advice      []Advice          `json:"advice,omitempty"`       // settings of the tracer that make a large cause smaller
	Reasons     []Reason          `json:"reasons,omitempty"`      // why there are no amounts
}

// MostSlower is how many times as long an operation may take under a profiler by the clock: beyond that, times are the profiler's.
const MostSlower = 1.5

// LeastSamples are those of tracing, in all runs of a variant, for figures of causes.
const LeastSamples = 500

// UnruledFrame is a function of the tracer whose task no rule knows.
type UnruledFrame struct {
	Frame string  `json:"frame"` // its name, with its file where that is told
	Share float64 `json:"share"` // of the samples of tracing
}

// Advice is a setting of the tracer that makes a cause smaller.
type Advice struct {
	Stage   string            `json:"stage,omitempty"`   // of tracing that it makes smaller
	Task    string            `json:"task,omitempty"`    // likewise
	Setting map[string]string `json:"setting"`           // of the tracer
	Loses   string            `json:"loses"`             // which information goes
	Variant string            `json:"variant,omitempty"` // that has the setting besides, where there is one
	Saves   *Interval         `json:"saves,omitempty"`   // what that variant adds to the CPU per operation over this one, in seconds: below zero it saves
}

// Profile counts the samples of one process in one run, and their amount.
type Profile struct {
	Operation    string            `json:"operation"`           // the operation
	Parameter    map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases
	Variant      string            `json:"variant"`             // name of the variant
	Block        int               `json:"block"`               // number of the run's block
	Process      string            `json:"process"`             // name of the process
	File         string            `json:"file"`                // in the results folder, in the format of pprof
	PerOperation float64           `json:"per_operation"`       // seconds that an operation of the run's window used of the process's CPU: what all samples stand for, and what the profiler does not see
	Unseen       float64           `json:"unseen,omitempty"`    // share of this that the profiler does not see
}

// CausesOf is what is told of the causes of a finding's pair and operation; nil where they were not profiled.
func (d *Document) CausesOf(f *Finding) *Causes {
	for i := range d.Causes {
		c := &d.Causes[i]
		if c.Operation == f.Operation && c.Variant == f.Variant && c.Against == f.Against && maps.Equal(c.Parameter, f.Parameter) {
			return c
		}
	}
	return nil
}
