// This file tells, in the summary, what is particular to self-driving
// workloads: who is ranked.

package words

import (
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// rankedHeads are the headlines of variants that lost too few spans to matter, and the names
// of the others: with where, if they have some of both. Where all lost too many they are all
// that there is to tell.
func rankedHeads(doc *finding.Document, heads []finding.Finding) (kept []finding.Finding, apart []string) {
	var lossy []finding.Finding
	for _, f := range heads {
		lost := slices.ContainsFunc(doc.Lossy, func(l finding.Lossy) bool {
			here := f.Metric == metric.Slope || cell.LevelOf(l.Parameter) == cell.LevelOf(f.Parameter)
			return l.Variant == f.Variant && l.Operation == f.Operation && here
		})
		if lost {
			lossy = append(lossy, f)
		} else {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return heads, nil
	}
	for _, f := range lossy {
		name := f.Variant
		if slices.ContainsFunc(kept, func(k finding.Finding) bool { return k.Variant == f.Variant }) {
			name += " on " + where(f)
		}
		if !slices.Contains(apart, name) {
			apart = append(apart, name)
		}
	}
	return kept, apart
}

// perFurtherCall is what a slope is an amount of.
const perFurtherCall = "per further call in depth"

// wholeHeads are the headlines of variants that leave out no step of tracing, and no trace.
func wholeHeads(doc *finding.Document, heads []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(heads), func(f finding.Finding) bool {
		return slices.ContainsFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == f.Variant && v.Partial })
	})
}
