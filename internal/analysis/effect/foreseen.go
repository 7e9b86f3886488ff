// This file foresees how many blocks verdicts need, by the functions that give them afterwards.

package effect

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// needed is the number of blocks from which on there is an interval that is corrected for so many
// claims; ask is the confidence to ask of an interval that is to have a given one.
func needed(claims int, ask func(float64) float64) int {
	return stats.MinBlocks(ask(stats.Bonferroni(estimate.Confidence, claims)))
}

// foreseen are the claims that will be made over all roles, without their figures.
func (s *Maker) foreseen() []*claim {
	var out []*claim
	for _, at := range append(s.Cells(), cell.At{}) {
		for _, p := range s.Pairs() {
			for _, m := range measure.All(nil, s.RegimeOf(at)) {
				if m.WholeRun == (at == cell.At{}) {
					out = append(out, s.outline(m, p, at, []finding.Sample{}))
				}
			}
		}
	}
	for _, operation := range s.Operations() {
		for _, p := range s.Pairs() {
			if s.Sloped(operation) {
				out = append(out, s.newClaim(lineMeasure(metric.Slope), p, cell.At{Operation: operation}, []finding.Sample{}))
			}
		}
	}
	return out
}

// Outlook is what the verdicts of one family of claims will need.
type Outlook struct {
	Metric string // of the headline, or of the budgets' first claim
	Claims int    // made together, if everything is measured
	Needs  int    // blocks, for intervals that are corrected for so many claims
	Least  int    // blocks after which the experiment may end
	Most   int    // blocks that it ends with at the latest
	Joint  bool   // with fewer than it needs the signs of all claims may still tell that there is a difference, never that there is none
}

// Short reports whether the blocks may come to be too few.
func (o Outlook) Short() bool { return o.Claims > 0 && o.Least < o.Needs }

// Hopeless reports whether they are too few in any case.
func (o Outlook) Hopeless() bool { return o.Claims > 0 && o.Most < o.Needs }

// Outlooks are those of the verdicts on the headline and on budgets, by the functions that give them afterwards.
func Outlooks(e *config.Experiment) (headline, budgets Outlook) {
	s := New(delivery.Blank(dataset.Foreseen(e)))
	claims := s.foreseen()
	families := s.families(claims)
	of := func(family string) Outlook {
		o := Outlook{Claims: families[family], Least: e.Design.Blocks, Most: max(e.Design.Blocks, e.Design.Most)}
		o.Needs = needed(o.Claims, s.Confidence)
		o.Joint = family == familyHeadline && !s.Stops() && o.Least >= stats.MinBlocks(estimate.Confidence)
		for _, c := range claims {
			if o.Metric == "" && s.counts(c) && c.family() == family {
				o.Metric = c.Metric
			}
		}
		return o
	}
	return of(familyHeadline), of(familyBudget)
}
