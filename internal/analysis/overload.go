// This file tells which variants could not hold the rate that they were offered.
package analysis

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// What is not holding the rate; docs/warnings.md says why.
const (
	heldShare     = 0.98 // of the operations asked for, completed in the time that the schedule takes
	timeOutShare  = 0.01 // of the operations asked for
	backlogGrowth = 3.0  // times the fastest operation's duration, that a backlog grows to at least
	backlogReach  = 0.6  // of the lateness, that the latency at the 90th percentile of a backlog reaches
	backlogMiddle = 0.1  // of the operations, that met the middle half of a backlog
	overloadShare = 0.5  // of a variant's runs that did not hold the rate: from here it is overloaded
)

// overloadOf says which of the pair could not hold the rate, "" if both did.
func (s *study) overloadOf(p pair, at cell) string {
	for _, variant := range []string{p.variant, p.against} {
		if text, yes := s.overloaded(variant, at); yes {
			return text
		}
	}
	return ""
}

// overloaded reports whether a variant could not hold the rate in half of its
// runs or more. One run that did not may have met a pause of the machine. A search
// has chosen its rates itself.
func (s *study) overloaded(variant string, at cell) (string, bool) {
	phases := s.phasesOf(variant, at)
	var bad int
	var reached []float64
	for _, p := range phases {
		held, asked := s.held(p)
		if asked {
			reached = append(reached, held*p.OfferedRate)
		}
		if asked && !p.holds(held) {
			bad++
		}
	}
	if bad == 0 || float64(bad) < overloadShare*float64(len(phases)) {
		return "", false
	}
	return fmt.Sprintf("%s could not hold %s: %s reached", variant,
		finding.FormatValue(phases[0].OfferedRate, "1/s"), finding.FormatValue(stats.Center(reached), "1/s")), true
}

// held is the share of the operations asked for that were completed in the time
// that the schedule takes; false for a closed loop. Time beyond the schedule
// counts only where it comes from a backlog: the last operations of a slow
// service that keeps up end after the schedule too.
func (s *study) held(p *phase) (float64, bool) {
	if p.OfferedRate <= 0 || p.Load.Intended == 0 || p.Capacity != nil {
		return 0, false
	}
	schedule := s.in.Experiment.Load.Duration.Seconds()
	if schedule <= 0 {
		schedule = float64(p.Load.Intended) / p.OfferedRate
	}
	late := math.Max(0, p.Load.WallSeconds-schedule-p.latency.least)
	if !p.latency.grewTo(late) {
		late = 0
	}
	return float64(p.Load.Completed) / float64(p.Load.Intended) * schedule / (schedule + late), true
}

// grewTo reports whether the latencies are those of a backlog that grew until
// the last operation was this late (seconds, beyond the fastest one's duration).
// A backlog passes through every size on its way, so that latencies lie all
// between the fastest and the last; those of a service that keeps up lie where
// they lie from the start. Lateness that no latency explains counts as well.
func (d distribution) grewTo(late float64) bool {
	if late > d.most {
		return true
	}
	if late < backlogGrowth*d.least || d.quantile(90)-d.least < backlogReach*late {
		return false
	}
	middle := d.below(d.least+0.75*late) - d.below(d.least+0.25*late)
	return middle >= backlogMiddle
}

func (p *phase) holds(held float64) bool {
	return held >= heldShare && float64(p.Load.TimedOut) <= timeOutShare*float64(p.Load.Intended)
}
