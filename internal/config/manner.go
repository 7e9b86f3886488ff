// The manners in which operations are made to happen: what others must know of them
// without making any.

package config

import "slices"

// Manner is a way in which operations are made to happen. Package run/drive has what
// makes them.
type Manner struct {
	Name            string
	Words           []string // the keys of a load that only it has
	Generator       bool     // a generator of tracetax's own makes the operations: it can be late, and it can make other requests
	Mixes           bool     // several operations can be made as one, by weight
	Samples         bool     // the duration of every operation can be kept
	Unthrottled     bool     // an experiment that names no rate has none: as fast as it goes
	EndsItself      bool     // its processes end by an order, which is a part of their stop
	Leaves          bool     // spans that come only when the processes end are of operations
	CalibrationRate float64  // operations/s in a calibration, of an operation at a time; 0: each as soon as the one before has been answered
}

// calibrationRate is slow enough that no tracer's queue runs over even where an
// operation is a hundred calls deep.
const calibrationRate = 20

// manners is the table of them: of workloads that are not self-driving, and that are.
var manners = [...]Manner{
	{Name: "requests", Words: []string{"connections", "streams", "arrivals", "timeout"}, Generator: true, Mixes: true},
	{Name: "self-driving", Words: []string{"calls", "depth", "threads", "busy"}, Samples: true, Unthrottled: true,
		EndsItself: true, Leaves: true, CalibrationRate: calibrationRate},
}

func mannerOf(self bool) Manner {
	if self {
		return manners[1]
	}
	return manners[0]
}

// Manner is the way in which the workload's operations are made.
func (w *Workload) Manner() Manner { return mannerOf(w.Self) }

// Manner is the way in which the plan's operations are made.
func (p *Plan) Manner() Manner { return mannerOf(p.Self) }

// foreign reports whether a key of a load is a word of another manner alone.
func (m Manner) foreign(key string) bool {
	return slices.ContainsFunc(manners[:], func(other Manner) bool { return other.Name != m.Name && slices.Contains(other.Words, key) })
}
