// This file tells, in the answer, what is particular to workloads that make themselves
// work: who is ranked.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// rankedHeads are the headlines of variants that lost too few spans to matter, and the names
// of the others. Where all lost too many they are all that there is to tell.
func rankedHeads(doc *finding.Document, heads []finding.Finding) (kept []finding.Finding, apart []string) {
	for _, f := range heads {
		lost := slices.ContainsFunc(doc.Lossy, func(l finding.Lossy) bool {
			here := f.Metric == slopeMetric || levelOf(l.Parameter) == levelOf(f.Parameter)
			return l.Variant == f.Variant && l.Operation == f.Operation && here
		})
		switch {
		case !lost:
			kept = append(kept, f)
		case !slices.Contains(apart, f.Variant):
			apart = append(apart, f.Variant)
		}
	}
	if len(kept) == 0 {
		return heads, nil
	}
	return kept, apart
}

// perFurtherCall is what a slope is an amount of.
const perFurtherCall = "per further call in depth"
