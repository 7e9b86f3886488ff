// This file names, in the summary, the operations on which there is nothing to compare: an
// answer over some of them must not read like one over all.

package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// mostGaps is how many gaps the sentence names one by one.
const mostGaps = 4

// gapsClause names the operations that no headline is of, and the variants that lack one on
// an operation where others have it; nothing where there is no gap.
func gapsClause(doc *finding.Document, heads []finding.Finding) []string {
	var without, clauses []string
	for _, name := range doc.Experiment.Operations {
		if !slices.ContainsFunc(heads, func(f finding.Finding) bool { return f.Operation == name }) {
			without = append(without, name)
		}
	}
	if len(without) > 0 {
		all := Counted(len(doc.Experiment.Operations), "operation")
		have := "have"
		if len(without) == 1 {
			have = "has"
		}
		clauses = append(clauses, fmt.Sprintf("%d of %s %s no comparison: %s%s", len(without), all, have, listed(without), rateless(doc, without)))
	}
	if partly := lacking(doc, heads); len(partly) > 0 {
		clauses = append(clauses, "there is no comparison of "+listed(partly))
	}
	return clauses
}

// lacking are the variants without a headline where others have one: everywhere, or on some
// operation at some level.
func lacking(doc *finding.Document, heads []finding.Finding) []string {
	var out []string
	for _, v := range doc.Experiment.Variants[1:] {
		var at []string
		has := false
		for _, f := range heads {
			here := func(o finding.Finding) bool { return o.Variant == v.Name && where(o) == where(f) }
			switch {
			case slices.ContainsFunc(heads, here):
				has = true
			case !slices.Contains(at, where(f)):
				at = append(at, where(f))
			}
		}
		switch {
		case !has && heads[0].Metric == metric.Slope:
			out = append(out, v.Name+" over all levels")
		case !has:
			out = append(out, v.Name)
		case len(at) > 0:
			out = append(out, v.Name+" on "+listed(at))
		}
	}
	return out
}

// rateless says with whom the searches on some operations found no rate.
func rateless(doc *finding.Document, operations []string) string {
	var names []string
	for _, l := range doc.Searches {
		if l.Rate == nil && slices.Contains(operations, l.Operation) && !slices.Contains(names, l.Variant) {
			names = append(names, l.Variant)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (not every search with " + listed(names) + " found a rate)"
}

// listed are some names, all of them where they are not many.
func listed(names []string) string {
	if len(names) > mostGaps {
		return FewNames(names)
	}
	return strings.Join(names, ", ")
}
