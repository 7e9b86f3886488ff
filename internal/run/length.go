package run

import (
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// Length is about how long a run takes: what the load's settings say, and what
// starting, draining and stopping commonly add. A phase is an operation at one
// level of the load. A phase that searches takes as many probes as the search
// needs, so that the run may take as short and as long as this.
func Length(p *spec.Plan, l spec.Load, phases int, kind record.Kind) (shortest, longest time.Duration) {
	few, many := 1, 1
	if l.Capacity != nil {
		few, many = probesOf(*l.Capacity)
	}
	return lasting(p, l, phases, kind, few), lasting(p, l, phases, kind, many)
}

// lasting is about how long a run takes whose windows are so many probes.
func lasting(p *spec.Plan, l spec.Load, phases int, kind record.Kind, probes int) time.Duration {
	const startAndStop = 700 * time.Millisecond
	length := startAndStop + p.Settle
	drain := time.Duration(0)
	if Exports(p) {
		drain = p.Delay/2 + 100*time.Millisecond
		length += p.Delay + margin
	}
	if kind == record.Calibration {
		made := time.Duration(0) // requests take next to none
		if p.Self {
			made = calibrationOperations * time.Second / calibrationRate
		}
		return length + time.Duration(phases+1)*(p.Delay+margin) + time.Duration(phases)*made
	}
	if kind != record.Pilot {
		length += l.Idle
	}
	length += l.WarmupAll
	window := time.Duration(probes) * (l.Duration + drain)
	return length + time.Duration(phases)*(l.Warmup+drain+window)
}

// probesOf is how few and how many probes a search commonly takes; docs/capacity.md
// has the simulation that these come from.
func probesOf(c spec.Capacity) (few, many int) {
	switch {
	case c.Method == spec.MethodStaircase && c.Most > 0 && c.Step > 0:
		steps := 1 + int(math.Max(0, (c.Most-c.From)/c.Step))
		return min(2, steps), steps
	case c.Method == spec.MethodStaircase:
		return 2, 20
	case c.Goal == spec.GoalCPU:
		return 3, 14
	}
	return 5, 14
}
