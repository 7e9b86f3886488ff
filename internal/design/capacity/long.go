package capacity

// Searches for the highest rate without loss in short probes, whose answer is
// confirmed by a long one. A tracer's queue hides from a short probe what a long one
// shows.

import (
	"fmt"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// long reports whether the search has probes of two lengths.
func (s *Search) long() bool { return s.goal.Confirm > s.options.Duration }

// confirms reports whether a probe is long enough to show that nothing is lost.
func (s *Search) confirms(p *record.Probe) bool { return p.Seconds >= s.goal.Confirm.Seconds() }

// lengthAfter returns the length of a probe at this rate after these: longer if a
// shorter one passed, or shorter ones have misled.
func (s *Search) lengthAfter(probes []record.Probe, rate float64) float64 {
	seconds := s.length(rate)
	if s.misled(probes) || slices.ContainsFunc(probes, func(p record.Probe) bool { return p.Passed && same(p.Rate, rate) }) {
		return max(seconds, s.goal.Confirm.Seconds())
	}
	return seconds
}

// longAt reports whether a rate was probed for long enough to confirm it.
func (s *Search) longAt(probes []record.Probe, rate float64) bool {
	return slices.ContainsFunc(probes, func(p record.Probe) bool { return same(p.Rate, rate) && s.confirms(&p) })
}

// misled reports whether a long probe has lost spans at a rate at which a short one had
// lost none. From then on short ones do not count, and all are long.
func (s *Search) misled(probes []record.Probe) bool {
	return s.long() && slices.ContainsFunc(probes, func(long record.Probe) bool {
		return !long.Passed && long.Lost > 0 && s.confirms(&long) &&
			slices.ContainsFunc(probes, func(p record.Probe) bool { return p.Passed && !s.confirms(&p) && same(p.Rate, long.Rate) })
	})
}

// passedEnough reports whether a rate has passed for long enough: twice, or in a
// long probe.
func (s *Search) passedEnough(pass *group) bool {
	if s.long() {
		return pass.long
	}
	return pass.passed >= 2
}

// between is the rate to bisect a bracket at: half-way on a logarithmic scale. Where
// short probes have misled, and the bracket is wide again, it is the rate that the loss
// at its upper end points to.
func (s *Search) between(probes []record.Probe, pass, fail *group) float64 {
	half := math.Sqrt(pass.rate * fail.rate)
	if kept := s.keeps(fail.last); s.misled(probes) && kept > pass.rate*(1+s.goal.Resolution) && kept < half {
		return kept
	}
	return half
}

// keeps is the rate of operations whose spans all came, in a probe that lost some: what
// was lost is taken to be what was too much. 0 where nothing was lost, or all.
//
// It is lower than the probe's by the resolution at least. A single hiccup loses a few
// spans, and a rate that is lower by so few is the same rate, tried until it passes.
func (s *Search) keeps(p *record.Probe) float64 {
	if p.Lost <= 0 || p.Expected <= p.Lost {
		return 0
	}
	return min(p.Rate*(1-p.Lost/p.Expected), p.Rate/(1+s.goal.Resolution))
}

// What a probe that failed may owe to an accident, or to others.

// What is likely an accident: a rate that was nearly held by a service that had
// room.
const (
	nearly = 0.8 // of the rate asked for
	room   = 0.7 // of the busiest resource, used
)

// suspicious reports whether a rate was not held in a way in which a pause of the
// machine shows itself, so the probe is to be made again.
func suspicious(p *record.Probe) bool {
	_, used := nearest(p)
	return !p.Held && reached(p) >= nearly*p.Rate && used < room
}

// doubtful reports whether a probe failed by what may be an accident, so it
// is to be made again: the machine paused, or the generator was late while the
// rate was held.
func (s *Search) doubtful(p *record.Probe) bool {
	return suspicious(p) || p.Held && s.failedByGenerator(p)
}

// crowded is the share of the CPUs from which programs outside the run are taken
// to be why a probe failed.
const crowded = 0.15

// disturbed is the end of a search whose answer rests on a probe that failed
// while others used its CPUs: it would be too low. What lost CPU does not explain
// is the service's own: wrong answers, and a failure while the app left most of
// the CPU alone that others left to it.
func disturbed(p *record.Probe) (state, bool) {
	if p.Others < crowded || !p.Held && itsOwn(p) {
		return state{}, false
	}
	return end(record.Unsteady, fmt.Sprintf("programs outside the run, or the host, took %.0f %% of its CPUs at %s", 100*p.Others, describe(p))), true
}

// itsOwn reports whether a rate was not held for a reason that lost CPU does not
// explain: the answers were wrong, or they were late though the app used less than
// half of what others left and the generator was in time.
func itsOwn(p *record.Probe) bool {
	if float64(p.Load.Failed) > failedShare*float64(p.Load.Intended) {
		return true
	}
	lag, err := p.Load.Lag.Decode()
	late := p.Load.Driven == nil && (err != nil || quantile(lag, 90) > lateBy)
	return !late && p.Utilisation < (1-p.Others)/2
}
