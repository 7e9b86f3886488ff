// This file takes verdicts back where no span came, or spans went elsewhere.

package effect

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// Withdraw takes verdicts on a cost from findings of which no span came on a side, or went elsewhere: they answer
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
			why := finding.Reason{Code: finding.WhyUntraced, Variant: f.Variant}
			if who := doc.OneElsewhere(f); who != "" {
				why = finding.Reason{Code: finding.WhyElsewhere, Variant: who}
			} else if !doc.IsUntraced(f.Variant, f.Operation) {
				why.Variant = f.Against
			}
			v.Kind, v.Bound, v.MoreBlocks = finding.CannotTell, nil, 0
			v.Reasons = []finding.Reason{why}
			words.FillVerdict(f)
		}
	}
}
