// This file says what a duet gains: both variants at the same time meet the same
// noise, which then is no difference between them.

package selfcheck

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// Gain compares how far a program lies from itself in CPU per operation, measured
// one after the other and at the same time.
type Gain struct {
	Ordinary float64 `json:"ordinary"` // seconds: half-width of the 95 % interval in FewBlocks
	Duet     float64 `json:"duet"`     // the same of a duet
	Times    float64 `json:"times"`    // Ordinary over Duet: above 1 the duet is narrower
}

// gainOf reads the gain from the two; nil where either has no interval.
func gainOf(ordinary, duet *finding.Document) *Gain {
	l := length{variant: Again, metric: "cpu_per_operation"}
	apart, okApart := reachIn(l.finding(ordinary))
	together, okTogether := reachIn(l.finding(duet))
	if !okApart || !okTogether || together <= 0 {
		return nil
	}
	return &Gain{Ordinary: apart, Duet: together, Times: apart / together}
}

// reachIn is half the width that the interval would have in FewBlocks.
func reachIn(f *finding.Finding) (float64, bool) {
	if f == nil {
		return 0, false
	}
	differences := make([]float64, len(f.Samples))
	for i, s := range f.Samples {
		differences[i] = s.Value - s.Baseline
	}
	e := stats.SignedRank(differences, 0.95)
	if !e.Bounded {
		return 0, false
	}
	return (e.High - e.Low) / 2 * stats.HalfWidth(FewBlocks, 1) / stats.HalfWidth(e.N, 1), true
}

func (p *page) gain(g *Gain) {
	if g == nil {
		return
	}
	p.line("")
	word := "narrower"
	times := g.Times
	if times < 1 {
		word, times = "wider", 1/times
	}
	p.paragraph("", fmt.Sprintf("In a duet the same program lies within ±%s of itself in %d blocks, one after the other within ±%s: %.1f times %s.",
		finding.FormatValue(g.Duet, "s"), FewBlocks, finding.FormatValue(g.Ordinary, "s"), times, word), "")
}
