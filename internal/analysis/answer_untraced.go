// This file keeps figures out of the answer that are not what tracing costs, because no span
// came, and says of whom.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// tracedHeads are the headlines without those of which no span came on a side.
func tracedHeads(doc *finding.Document, heads []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(heads), func(f finding.Finding) bool { return doc.NotTracing(&f) })
}

// untracedNames are the variants of which no span came of any operation, or of some.
func untracedNames(doc *finding.Document) []string {
	var out []string
	for _, v := range doc.Experiment.Variants {
		var operations []string
		for _, u := range doc.Untraced {
			if u.Variant == v.Name && u.Operation != "" {
				operations = append(operations, u.Operation)
			}
		}
		switch {
		case doc.IsUntraced(v.Name, ""):
			out = append(out, v.Name)
		case len(operations) > 0:
			out = append(out, v.Name+" on "+listed(operations))
		}
	}
	return out
}

// untracedClause says of whom no span came; nothing where some came of all.
func untracedClause(doc *finding.Document) []string {
	names := untracedNames(doc)
	if len(names) == 0 {
		return nil
	}
	there := " there"
	if len(tracedHeads(doc, headlines(doc.Findings))) == 0 {
		there = ""
	}
	return []string{"no span came with " + words.FewNames(names) + ", so that what tracing costs" + there + " cannot be told"}
}

// withdrawUntraced takes verdicts on a cost from findings of which no span came on a side: they answer
// what tracing costs. The interval stays, and a verdict against a budget too; see withhold.
func withdrawUntraced(doc *finding.Document) {
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
