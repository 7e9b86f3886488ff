// This file tells which variants could not hold the rate that they were offered.
package dataset

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/pace"
	"github.com/tracetax/tracetax/internal/stats"
)

// overloadShare is the part of a variant's runs that did not hold the rate, from
// which on it is overloaded.
const overloadShare = 0.5

// OverloadOf says which of the pair could not hold the rate, "" if both did.
func (s *Set) OverloadOf(p Pair, at cell.At) string {
	for _, variant := range []string{p.Variant, p.Against} {
		if text, yes := s.Overloaded(variant, at); yes {
			return text
		}
	}
	return ""
}

// Overloaded reports whether a variant could not hold the rate in half of its
// runs or more. One run that did not may have met a pause of the machine. A search
// has chosen its rates itself.
func (s *Set) Overloaded(variant string, at cell.At) (string, bool) {
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
		return "", false
	}
	return fmt.Sprintf("%s could not hold %s: %s reached", variant,
		finding.FormatValue(phases[0].OfferedRate, "1/s"), finding.FormatValue(stats.Center(reached), "1/s")), true
}

// Offer is the rate that a phase was offered, and what came of it; false for a
// closed loop, and for a search.
func (s *Set) Offer(p *Phase) (pace.Offer, bool) {
	if p.OfferedRate <= 0 || p.Load.Intended == 0 || p.Capacity != nil {
		return pace.Offer{}, false
	}
	return pace.Offer{Rate: p.OfferedRate, Seconds: s.Experiment.Load.Duration.Seconds(), Load: &p.Load, Latency: p.Latency.pace}, true
}
