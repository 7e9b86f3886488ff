package capacity

// What a probe that failed may owe to an accident, or to others.

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/record"
)

// What is likely an accident: a rate that was nearly held by a service that had
// room.
const (
	nearly = 0.8 // of the rate asked for
	room   = 0.7 // of the busiest resource, used
)

// suspicious reports whether a rate was not held in a way in which a pause of the
// machine shows itself, so that the probe is to be made again.
func suspicious(p *record.Probe) bool {
	_, used := nearest(p)
	return !p.Held && reached(p) >= nearly*p.Rate && used < room
}

// doubtful reports whether a probe failed by what may be an accident, so that it
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
