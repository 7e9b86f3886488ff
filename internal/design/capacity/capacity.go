// Package capacity owns the search for a rate: from the probes made so far it
// says what to probe next, whether a probe met the goal, and what all of them
// come to. It is pure: the same probes give the same answer. It does not know
// how a probe is made.
//
// A rate is in operations per second, a utilisation a share of the CPU that the
// app may use.
package capacity

import (
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// Defaults of a search.
const (
	DefaultFirst      = 50.0 // operations/s of the first probe
	DefaultResolution = 0.05 // relative width of the bracket at which a bisection ends
)

// The most probes of one search. A fit takes 3 to 5; a bracket is found from far
// away and confirmed in about 8, and narrowed in so many more as its resolution
// asks for.
const (
	MostFit     = 14
	mostBracket = 14 // besides those that narrow it
	MostSteps   = 200
)

// Purposes of a probe.
const (
	purposeProbe  = "probe"
	purposeVerify = "verify"
	purposeBisect = "bisect"
	purposeStep   = "step"
)

// Options are what a search has to know besides its goal.
type Options struct {
	Duration time.Duration // of one probe: Load.Duration
	First    float64       // operations/s of the first probe where the goal names none; 0 is DefaultFirst
}

// Search is the search for one capacity. It keeps nothing between calls.
type Search struct {
	goal    config.Capacity
	options Options
}

// New returns the search for c.
func New(c config.Capacity, o Options) *Search {
	if c.Method == "" {
		c.Method = config.MethodFit
	}
	if c.Resolution <= 0 {
		c.Resolution = DefaultResolution
	}
	if o.Duration <= 0 {
		o.Duration = config.DefaultDuration
	}
	return &Search{goal: c, options: o}
}

// Next returns what to probe after these probes (Purpose, Rate and Seconds are
// set), or false where the search has ended.
func (s *Search) Next(probes []record.Probe) (record.Probe, bool) {
	at := s.stand(probes)
	if at.purpose == "" {
		return record.Probe{}, false
	}
	return record.Probe{Purpose: at.purpose, Rate: at.rate, Seconds: s.lengthAfter(probes, at.rate)}, true
}

// Result says what the probes come to. A search that has not ended is unsteady.
func (s *Search) Result(probes []record.Probe) record.Capacity {
	at := s.stand(probes)
	c := record.Capacity{
		Goal: string(s.goal.Goal), Target: s.target(), Method: string(s.goal.Method),
		Outcome: at.outcome, Rate: at.found, Note: at.note, Probes: probes,
	}
	if at.purpose != "" {
		c.Outcome, c.Note = record.Unsteady, "the search was broken off"
	}
	c.Passing, c.Failing = s.ends(probes, c.Outcome)
	c.Binding = s.binding(probes, c)
	line := fitted(probes, s.target())
	if s.goal.Goal != config.GoalCPU {
		line = fitted(probes, 0)
	}
	c.Linear, c.Base, c.Demand = line.linear, line.base, line.slope
	for i := range probes {
		c.Seconds += max(probes[i].Seconds, probes[i].Load.WallSeconds) + probes[i].DrainSeconds
	}
	return c
}

// target is the goal in the unit of Capacity.Target.
func (s *Search) target() float64 {
	switch s.goal.Goal {
	case config.GoalCPU:
		return s.goal.CPU
	case config.GoalLatency:
		return s.goal.Limit.Seconds()
	}
	return 0
}

// stand says where the search stands after these probes.
func (s *Search) stand(probes []record.Probe) state {
	if len(probes) == 0 {
		return probe(s.firstPurpose(), s.first())
	}
	switch {
	case s.goal.Method == config.MethodStaircase:
		return s.climb(probes)
	case s.goal.Goal == config.GoalCPU:
		return s.fit(probes)
	}
	return s.bracket(probes)
}

func (s *Search) firstPurpose() string {
	if s.goal.Method == config.MethodStaircase {
		return purposeStep
	}
	return purposeProbe
}
