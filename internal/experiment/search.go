// Searches for a capacity: of the experiment, and of the pilots that it rests on.

package experiment

import (
	"cmp"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/design/capacity"
	"github.com/tracetax/tracetax/internal/run"
)

// search makes the search for the capacity of an operation. It sets out from the rate
// that the operation is asked at elsewhere, or from the workload's.
func (l *Loop) search(c config.Capacity, o config.Operation) run.Searcher {
	if l.Search != nil {
		return l.Search(c, o)
	}
	return capacity.New(c, capacity.Options{Duration: l.Experiment.Load.Duration, First: cmp.Or(o.Rate, l.Experiment.Workload.Rate)})
}

// pilotLoad is the load of a pilot: the search that a relative rate rests on.
func pilotLoad(l config.Load) config.Load {
	search := l.Relative.Search
	l.Relative, l.Capacity = nil, &search
	if l.WarmupMost > 0 {
		l.Warmup = min(l.WarmupMost, searchWarmup) // how long it has to be is not known yet
	}
	return l
}
