package run

import (
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// Length is about how long a run takes: what the load's settings say, and what
// starting, draining and stopping commonly add. A phase is an operation at one
// level of the load; a phase that searches takes as many probes as searches
// commonly do.
func Length(p *spec.Plan, l spec.Load, phases int, kind record.Kind) time.Duration {
	const startAndStop = 700 * time.Millisecond
	length := startAndStop + p.Settle
	drain := time.Duration(0)
	if Exports(p) {
		drain = p.Delay/2 + 100*time.Millisecond
		length += p.Delay + margin
	}
	if kind == record.Calibration {
		return length + time.Duration(phases+1)*(p.Delay+margin)
	}
	if kind != record.Pilot {
		length += l.Idle
	}
	window := l.Duration + drain
	if l.Capacity != nil {
		window *= time.Duration(probesOf(*l.Capacity))
	}
	return length + time.Duration(phases)*(l.Warmup+drain+window)
}

// probesOf is about how many probes a search takes; docs/capacity.md has the
// simulation that these come from.
func probesOf(c spec.Capacity) int {
	const fit, bracket, steps = 4, 9, 10
	switch {
	case c.Method == spec.MethodStaircase && c.Most > 0 && c.Step > 0:
		return 1 + int(math.Max(0, (c.Most-c.From)/c.Step))
	case c.Method == spec.MethodStaircase:
		return steps
	case c.Goal == spec.GoalCPU:
		return fit
	}
	return bracket
}
