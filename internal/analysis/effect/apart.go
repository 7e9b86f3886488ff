// This file says what a tracer costs that is excluded from the ranking.

package effect

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// leastCost gives a variant that is excluded from the ranking what it costs there, by the metric that the
// answer is made of: also at a level, where the headline may be the line through all of them.
// It is the least only where the baseline lost nothing for sure.
func (s *Maker) leastCost(l *finding.Lossy, findings []finding.Finding) {
	if l.LostShare >= 1 {
		return // nothing came: it may have made none
	}
	at := cell.AtOf(l.Operation, l.Parameter)
	metric := measure.Headline(s.RegimeOf(at)).Name
	for _, f := range findings {
		here := f.Operation == at.Operation && cell.LevelOf(f.Parameter) == at.Level
		if f.Metric == metric && here && f.Role == "" && f.Variant == l.Variant && f.Against == s.Baseline {
			l.Metric = f.Metric
			if f.ByRatio() {
				l.Cost = f.Relative
			} else if f.Absolute != nil {
				l.Added, l.Unit = f.Absolute, f.Unit
			}
		}
	}
}

// Apart lists the variants apart that lost too many spans to be ranked, with what the findings say that they cost.
func (s *Maker) Apart(findings []finding.Finding) []finding.Lossy {
	out := s.Lossy()
	for i := range out {
		at := cell.AtOf(out[i].Operation, out[i].Parameter)
		lost := slices.ContainsFunc(out, func(l finding.Lossy) bool { return l.Variant == s.Baseline && sameCell(l, out[i]) })
		if !lost && s.UnknownLoss(s.Baseline, at) == nil {
			s.leastCost(&out[i], findings)
		}
	}
	return out
}

func sameCell(a, b finding.Lossy) bool {
	return a.Operation == b.Operation && cell.LevelOf(a.Parameter) == cell.LevelOf(b.Parameter)
}
