// This file puts together the figures that a claim averages over, and finds what lacks its
// counterpart.

package replicate

import (
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// grouped puts the parts together that are averaged over.
func grouped(over string, parts, under []part) []evidence {
	where := func(p part) finding.ClaimFigure {
		at := p.at
		if over == overOperations || over == overAll {
			at.Operation, at.Parameter = "", nil
		}
		if over == overWorkloads || over == overAll {
			at.Workload = ""
		}
		if over == overVariants || over == overAll {
			at.Variant = ""
		}
		return at
	}
	key := func(at finding.ClaimFigure, paired bool) string {
		if paired { // what is held against each other is of two workloads
			at.Workload = ""
		}
		return fmt.Sprintf("%q %q %q", at.Workload, cellName(at.Operation, at.Parameter), at.Variant)
	}
	paired := under != nil
	var out []evidence
	for _, group := range groupBy(parts, func(p part) string { return key(where(p), paired) }) {
		e := evidence{at: where(group[0]), parts: group}
		for _, p := range under {
			if paired && key(where(p), paired) == key(e.at, paired) {
				e.under = append(e.under, p)
			}
		}
		if paired {
			if len(e.under) == 0 {
				e.under = []part{{at: e.at, reason: &finding.Reason{Code: finding.WhyNotOnOther}}}
			}
			e.at.Workload = group[0].at.Workload + " / " + e.under[0].at.Workload
			e.under = append(e.under, lacking(e.parts, e.under)...)
			e.parts = append(e.parts, lacking(e.under, e.parts)...)
		}
		out = append(out, e)
	}
	return out
}

// lacking are the parts of one workload that the other has no counterpart of: means over
// different operations cannot be held against each other.
func lacking(parts, counterparts []part) []part {
	var out []part
	for _, p := range parts {
		of := func(q part) bool {
			return q.at.Variant == p.at.Variant && cellName(q.at.Operation, q.at.Parameter) == cellName(p.at.Operation, p.at.Parameter)
		}
		if p.reason == nil && !slices.ContainsFunc(counterparts, of) {
			out = append(out, part{at: p.at, reason: &finding.Reason{Code: finding.WhyNotOnOther}})
		}
	}
	return out
}
