// This file takes verdicts back where no span came.

package effect

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// Withdraw takes verdicts on a cost from findings of which no span came on a side: they answer
// what tracing costs. The interval stays, and a verdict against a budget too; see withhold.
func Withdraw(doc *finding.Document) {
	for i := range doc.Findings {
		f := &doc.Findings[i]
		v := &f.Verdict
		if v.Budget != nil || !doc.NotTracing(f) {
			continue
		}
		switch v.Kind {
		case finding.Costs, finding.Saves, finding.NoDifference, finding.CannotTell:
			who := f.Variant
			if !doc.IsUntraced(who, f.Operation) {
				who = f.Against
			}
			v.Kind, v.Bound, v.MoreBlocks = finding.CannotTell, nil, 0
			v.Reasons = []finding.Reason{{Code: finding.WhyUntraced, Variant: who}}
			words.FillVerdict(f)
		}
	}
}
