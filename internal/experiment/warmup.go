// The warm-up, where pilots are to find it.

package experiment

import (
	"errors"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/warmup"
)

// searchWarmup is the warm-up of a pilot that searches for a rate, which comes before those
// that find the warm-up: they are made at that rate.
const searchWarmup = 10 * time.Second

// warmup is how long load is made before each window of a measured run: the same for every
// variant and operation, and the same whenever it is derived.
func (l *Loop) warmup(kind record.Kind) (time.Duration, error) {
	load := l.Experiment.Load
	if load.WarmupMost == 0 || kind != record.Measured {
		return load.Warmup, nil
	}
	longest, ok := warmup.Longest(warmup.Pilots(l.history, load.WarmupMost))
	if !ok {
		return 0, &FinalError{errors.New("finding how long the warm-up has to be: no pilot looked for it; start again")}
	}
	return longest.Length, nil
}

// watched is the phase of a pilot that finds the warm-up: the load of the measured phases,
// and of a sweep that level at which code gets warm last. A search is warmed up at the rate
// that it sets out from.
func (l *Loop) watched(phase design.Phase, operations []config.Operation, rates map[string]float64) run.PhaseRequest {
	e := l.Experiment
	at := slices.IndexFunc(operations, func(o config.Operation) bool { return o.Name == phase.Operation })
	level := e.Load.Lowest()
	request := run.PhaseRequest{
		Operation: operations[at], Load: level.Load, Parameter: level.Parameter, Watched: warmup.Watched(e.Load.WarmupMost),
	}
	if relative := level.Load.Relative; relative != nil {
		request.Load.Rate = relative.Share * rates[phase.Operation]
	}
	if c := e.Load.Capacity; c != nil {
		if first, more := l.search(*c, request.Operation).Next(nil); more {
			request.Load.Rate = first.Rate
		}
		request.Load.Capacity, request.Operation.Rate = nil, 0
	}
	return request
}
