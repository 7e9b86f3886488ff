// This file tells which variants could not hold the rate that they were offered.

package dataset

import (
	"cmp"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/pace"
	"github.com/tracetax/tracetax/internal/stats"
)

// overloadShare is the part of a variant's runs that did not hold the rate, from
// which on it is overloaded.
const overloadShare = 0.5

// OverloadOf says which of the pair could not hold the rate, nil if both did.
func (s *Set) OverloadOf(p Pair, at cell.At) *finding.Reason {
	return cmp.Or(s.Overloaded(p.Variant, at), s.Overloaded(p.Against, at))
}

// Overloaded says that a variant could not hold the rate in half of its
// runs or more; nil where it could. One run that did not may have met a pause of the machine. A search
// has chosen its rates itself.
func (s *Set) Overloaded(variant string, at cell.At) *finding.Reason {
	phases := s.PhasesOf(variant, at)
	var bad int
	var reached []float64
	for _, p := range phases {
		offer, asked := s.Offer(p)
		if !asked {
			continue
		}
		reached = append(reached, offer.Share()*offer.Rate)
		if !offer.Held() {
			bad++
		}
	}
	if bad == 0 || float64(bad) < overloadShare*float64(len(phases)) {
		return nil
	}
	return &finding.Reason{Code: finding.WhyOverloaded, Variant: variant, Figures: []finding.Figure{
		{Name: "offered", Value: phases[0].OfferedRate, Unit: "1/s"}, {Name: "reached", Value: stats.Center(reached), Unit: "1/s"},
	}}
}

// Offer is the rate that a phase was offered, and what came of it; false for a
// closed loop, and for a search.
func (s *Set) Offer(p *Phase) (pace.Offer, bool) {
	if p.OfferedRate <= 0 || p.Load.Intended == 0 || p.Capacity != nil {
		return pace.Offer{}, false
	}
	seconds := s.Experiment.Load.Duration.Seconds()
	if s.Experiment.Load.Calls > 0 { // which may end the window before
		seconds = min(seconds, float64(p.Load.Intended)/p.OfferedRate)
	}
	return pace.Offer{Rate: p.OfferedRate, Seconds: seconds, Windows: len(p.Windows), Load: &p.Load, Latency: p.Latency.pace}, true
}
