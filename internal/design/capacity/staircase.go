package capacity

// The staircase of the studies: up by fixed steps until the goal is passed.

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// climb goes on with a staircase.
func (s *Search) climb(probes []record.Probe) state {
	last := &probes[len(probes)-1]
	if s.goal.Goal == config.GoalLossless && spanless(&probes[0]) {
		return end(record.NoSpans, noSpans)
	}
	if s.goal.Goal == config.GoalCPU {
		if at, ended := s.over(probes, last); ended {
			return at
		}
	} else if !last.Passed {
		if s.doubtful(last) && times(probes, last.Rate) == 1 {
			return probe(purposeStep, last.Rate)
		}
		return s.stepBelow(probes, last)
	}
	if s.goal.Step <= 0 {
		return end(record.Unsteady, "the staircase has no step")
	}
	if len(probes) >= MostSteps {
		return end(record.Unsteady, fmt.Sprintf("the goal was not passed in %d steps", MostSteps))
	}
	rate := s.first() + (math.Round((last.Rate-s.first())/s.goal.Step)+1)*s.goal.Step // steps may have been made twice
	if most, limited := s.most(); limited && rate > most*(1+1e-9) {
		return end(record.AboveMax, fmt.Sprintf("the last step, %s, did not pass the goal", perSecond(last.Rate)))
	}
	return probe(purposeStep, rate)
}

// over is the end of a staircase to a CPU target: the first step over it.
func (s *Search) over(probes []record.Probe, last *record.Probe) (state, bool) {
	if last.Passed {
		st := end(record.Found, "")
		if !last.Held {
			st.note = "this step's rate was not held: smaller steps would tell more"
		}
		if len(probes) == 1 {
			st.note = "the first step is over the target: begin lower"
		}
		st.found = last.Rate
		return st, true
	}
	if crowd, yes := disturbed(last); yes && !last.Held {
		return crowd, true
	}
	switch {
	case s.failedByGenerator(last):
		return end(record.ByGenerator, "at "+describe(last)), true
	case !last.Held:
		return end(record.Saturated, "at "+describe(last)), true
	}
	return state{}, false
}

// stepBelow is the end of a staircase to the highest rate that passes: the step
// before the one that does not.
func (s *Search) stepBelow(probes []record.Probe, last *record.Probe) state {
	if crowd, yes := disturbed(last); yes {
		return crowd
	}
	if s.failedByGenerator(last) {
		return end(record.ByGenerator, "at "+describe(last))
	}
	for i := len(probes) - 1; i >= 0; i-- {
		if p := &probes[i]; p.Passed && p.Rate < last.Rate {
			st := end(record.Found, "at "+describe(last))
			st.found = p.Rate
			return st
		}
	}
	return end(record.BelowLeast, "at "+describe(last))
}
