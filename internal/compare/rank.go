// This file orders the variants where figures of different machines cannot be
// compared.

package compare

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// ranks orders the variants by their ratio in the headline metric, in each result, but for those of which no span came,
// or too many were lost or may have been: what they cost is the cost of less work.
func (c *comparison) ranks() []finding.Rank {
	docs := append([]*finding.Document{c.in.Base}, c.in.News...)
	var out []finding.Rank
	place := map[key]int{}
	for i, doc := range docs {
		byCell := map[key][]*finding.Finding{}
		var order []key
		for _, f := range overBaseline(doc) {
			if f.Headline && f.Relative != nil && c.in.Filter.matches(f) && didItsWork(doc, f) {
				k := key{operation: f.Operation, level: cell.LevelOf(f.Parameter), metric: f.Metric}
				if byCell[k] == nil {
					order = append(order, k)
				}
				byCell[k] = append(byCell[k], f)
			}
		}
		for _, k := range order {
			for n, v := range ranked(byCell[k]) {
				id := k
				id.variant = v
				at, known := place[id]
				if !known {
					at = len(out)
					place[id] = at
					out = append(out, finding.Rank{
						Operation: k.operation, Parameter: byCell[k][0].Parameter, Metric: k.metric, Variant: v, Places: make([]int, len(docs)),
					})
				}
				out[at].Places[i] = n + 1
			}
		}
	}
	return out
}

// didItsWork reports whether spans came on both sides of a finding, and no more were lost, as far as anybody knows, than a
// ranking may go without.
func didItsWork(doc *finding.Document, f *finding.Finding) bool {
	lost := func(variant string) bool {
		return doc.LostOf(f, variant) != nil || doc.UnknownLossOf(f, variant) != nil
	}
	return !doc.NotTracing(f) && !lost(f.Variant) && !lost(f.Against)
}

// ranked are the variants and their baseline, the best first.
func ranked(findings []*finding.Finding) []string {
	type entry struct {
		name  string
		ratio float64
	}
	sign := 1.0
	if findings[0].Better == metric.Higher {
		sign = -1
	}
	entries := []entry{{findings[0].Against, 0}}
	for _, f := range findings {
		entries = append(entries, entry{f.Variant, sign * f.Relative.Estimate})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.ratio, b.ratio) })
	var names []string
	for _, e := range entries {
		names = append(names, e.name)
	}
	return names
}
