package run

import (
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// Length is about how long a run takes: what the load's settings say, and what
// starting, draining and stopping commonly add, with the tracer as its file says; a measured run is drained for as long as
// drain at least. A phase is an operation at one level of the load. A phase that searches takes as many probes as the search
// needs, so that the run may take as short and as long as this.
func Length(p *config.Plan, l config.Load, phases int, kind record.Kind, drain time.Duration) (shortest, longest time.Duration) {
	few, many := probes{all: 1}, probes{all: 1}
	if l.Capacity != nil {
		few, many = probesOf(*l.Capacity)
	}
	return lasting(p, l, phases, kind, drain, few), lasting(p, l, phases, kind, drain, many)
}

// Drain is how long the last spans of a variant, or what it does for them, may take after its last operation: as long as
// its plan says, or as its calibrations saw, where that is clearly longer. A variant that exports nothing needs no time.
func Drain(p *config.Plan, calibrations []record.Record) time.Duration {
	if !prepare.Exports(p) {
		return 0
	}
	held, beyond := p.Delay, margin // a cold tracer is late
	most := max(p.Delay, p.MayDelay)
	if most > p.Delay { // the plan does not say for how long
		beyond = 0
	}
	for _, r := range calibrations { // which go past the hops
		for _, phase := range r.Phases {
			last := time.Duration(phase.DrainSeconds*float64(time.Second)) - most - margin // which is the silence at the drain's end
			if phase.Quiet && phase.Sink.Spans > 0 && last > p.Delay+beyond {
				held = max(held, last)
			}
		}
	}
	return held + p.Passing + poll
}

// probes are how many a search takes, and how many of them are of the length that confirms.
type probes struct{ all, long int }

// lasting is about how long a run takes whose windows are so many probes.
func lasting(p *config.Plan, l config.Load, phases int, kind record.Kind, least time.Duration, n probes) time.Duration {
	const startAndStop = 700 * time.Millisecond
	length := startAndStop + p.Startup + p.Settle
	drain := time.Duration(0)
	if prepare.Exports(p) {
		drain = p.Passed()/2 + 100*time.Millisecond
		length += p.Patience() + margin
	}
	if kind == record.Measured {
		drain = max(drain, least, calmFor)
	}
	if kind == record.Calibration {
		made := time.Duration(0) // requests take next to none
		if rate := p.Manner().CalibrationRate; rate > 0 {
			made = time.Duration(calibrationOperations / rate * float64(time.Second))
		}
		if p.Undeclared {
			length += p.Patience() + margin
		}
		once := length + time.Duration(phases+1)*(p.Patience()+margin) + time.Duration(phases)*made
		if p.Buffers > 0 { // once more for each phase, with twice as much of it
			once += time.Duration(phases) * (once + made)
		}
		return once
	}
	if kind != record.Pilot {
		length += 2 * l.Idle
	}
	length += l.WarmupAll
	window := time.Duration(n.all) * (l.Duration + drain)
	if l.Capacity != nil && l.Capacity.Confirm > l.Duration {
		window += time.Duration(n.long) * (l.Capacity.Confirm - l.Duration)
	}
	return length + time.Duration(phases)*(l.Warmup+drain+window)
}

// probesOf is how few and how many probes a search commonly takes; docs/capacity.md
// has the simulation that these come from. Where short ones mislead, all that follow are long:
// the most that calls-lossless was seen to take is given.
func probesOf(c config.Capacity) (few, many probes) {
	switch {
	case c.Method == config.MethodStaircase && c.Max > 0 && c.Step > 0:
		steps := 1 + int(math.Max(0, (c.Max-c.From)/c.Step))
		return probes{all: min(2, steps)}, probes{all: steps}
	case c.Method == config.MethodStaircase:
		return probes{all: 2}, probes{all: 20}
	case c.Goal == config.GoalCPU:
		return probes{all: 3}, probes{all: 14}
	case c.Goal == config.GoalLossless:
		return probes{all: 5, long: 1}, probes{all: 16, long: 6}
	}
	return probes{all: 5}, probes{all: 14}
}
