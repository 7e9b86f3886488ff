// This file asks whether windows measured a program as it is under load: where the load goes from one variant to the next, a
// program rests before each of its windows but those that follow one of its own. If the first operations after a rest cost more
// (pools, kept connections, caches that expire, workers that ended), each window holds them, and no run under steady load does.

package effect

import (
	"math"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// A program was measured rested if windows after others' load cost by so much more, or less, than windows after its own load:
// in the centre, and at the near end of an interval that hardly ever excludes the truth.
const (
	restMatters    = 0.05
	restLeast      = 0.02
	restConfidence = 0.99
)

// restedOf returns the reason that one of a pair cost another amount after a rest; nil if neither did, or it is unknown.
func (s *Estimator) restedOf(p dataset.Pair, at cell.At) *finding.Reason {
	for _, variant := range []string{p.Variant, p.Against} {
		if reason := s.Rested(variant, at); reason != nil {
			return reason
		}
	}
	return nil
}

// Rested returns the reason that a variant's windows cost another amount after a rest than after its own load; or nil.
func (s *Estimator) Rested(variant string, at cell.At) *finding.Reason {
	var logs, after, own []float64
	for _, p := range s.PhasesOf(variant, at) {
		rested, warm, ok := byRest(p)
		if !ok {
			continue
		}
		ratio, err := stats.LogRatios([]float64{warm}, []float64{rested})
		if err != nil { // nothing was used in one of them
			continue
		}
		logs, after, own = append(logs, ratio[0]), append(after, rested), append(own, warm)
	}
	confidence := restConfidence
	if len(logs) < stats.MinBlocks(confidence) {
		confidence = claim.Confidence
	}
	e := stats.SignedRank(logs, confidence)
	if !e.Bounded || math.Abs(e.Center) < restMatters || e.Low < restLeast && e.High > -restLeast {
		return nil
	}
	return &finding.Reason{Code: finding.WhyRested, Variant: variant, Figures: []finding.Figure{
		{Name: "rested", Value: stats.Center(after), Unit: "s"}, {Name: "own", Value: stats.Center(own), Unit: "s"},
	}}
}

// byRest is the CPU per operation of a phase's windows that follow others' load, and of those that follow its own; false where
// there are none of a kind.
func byRest(p *dataset.Phase) (rested, own float64, ok bool) {
	type sum struct{ cpu, operations float64 }
	var of [2]sum
	last := -2
	for _, w := range p.Turns() {
		if w.Place > 0 && !(w.Disturbed && p.LeftOut()) {
			kind := 0
			if w.Place == last+1 {
				kind = 1
			}
			of[kind].cpu, of[kind].operations = of[kind].cpu+w.CPUSeconds, of[kind].operations+float64(w.Operations)
		}
		last = w.Place
	}
	rested, okRested := dataset.Over(of[0].cpu, of[0].operations)
	own, okOwn := dataset.Over(of[1].cpu, of[1].operations)
	return rested, own, okRested && okOwn
}
