// This file says of a finding what its variants left undone of their work: on its operation, or
// on any of them where it is of the load of the whole run.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// isOfLoad reports whether a metric is of the whole run, and of what all its operations made it do.
func isOfLoad(metric string) bool { return metric == memoryMean || metric == memoryPeak }

// lostOf is what a variant lost of its spans, as Document.Lost has it.
func lostOf(doc *finding.Document, f *finding.Finding, variant string) *finding.Lossy {
	if !isOfLoad(f.Metric) {
		return doc.Lost(f.Operation, f.Parameter, variant)
	}
	var worst *finding.Lossy
	for _, l := range doc.Lossy {
		if one := doc.Lost(l.Operation, l.Parameter, variant); one != nil && (worst == nil || one.LostShare > worst.LostShare) {
			worst = one
		}
	}
	return worst
}

// lostShareOf is the share of its spans that lostOf tells of; 0 where it is nil.
func lostShareOf(doc *finding.Document, f *finding.Finding, variant string) float64 {
	if l := lostOf(doc, f, variant); l != nil {
		return l.LostShare
	}
	return 0
}

// untracedOf reports whether no span came of what a finding is about.
func untracedOf(doc *finding.Document, f *finding.Finding, variant string) bool {
	if isOfLoad(f.Metric) {
		return slices.ContainsFunc(doc.Untraced, func(u finding.Untraced) bool { return u.Variant == variant })
	}
	return doc.IsUntraced(variant, f.Operation)
}
