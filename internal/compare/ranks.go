// The order of variants, where figures of different machines cannot be compared.

package compare

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// ranks orders the variants by their ratio in the headline metric, in each result, but for those without a span,
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

// didItsWork reports whether spans came on both sides of a finding, and no more are known to be lost than a
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

// Geometric means of the costs over operations.

// means compares the geometric means over the operations, for each variant, metric
// and parameter that has ratios on at least two; of the operations that all of these variants have, so their means
// are of the same. The operations of a run share
// what the run was like, so the mean is taken within each block, and the interval
// is over blocks.
func means(index int, made []*change) []*change {
	groups := map[key][]*change{}
	var order []key
	for _, c := range made {
		if !c.evidence.Ratio || c.figure || c.Operation == "" || c.Role != "" || c.Against == "" || c.Note != "" {
			continue
		}
		k := key{variant: c.Variant, metric: c.Metric, level: cell.LevelOf(c.Parameter)}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], c)
	}
	var out []*change
	for _, k := range order {
		parts := groups[k]
		for other, of := range groups {
			if other.metric == k.metric && other.level == k.level && len(of) > 1 { // one operation makes no mean
				parts = slices.DeleteFunc(slices.Clone(parts), func(c *change) bool {
					return !slices.ContainsFunc(of, func(o *change) bool { return o.Operation == c.Operation })
				})
			}
		}
		if len(parts) > 1 {
			out = append(out, meanOf(index, parts))
		}
	}
	return out
}

func meanOf(index int, parts []*change) *change {
	first := parts[0]
	mean := &change{Change: finding.Change{
		Of: finding.OfMean, New: index, Variant: first.Variant, Against: first.Against, Parameter: first.Parameter,
		Metric: first.Metric, Unit: first.Unit, Better: first.Better, Headline: first.Headline,
	}, ask: first.ask, unjudged: first.unjudged || !first.Headline, figure: first.figure, paired: first.paired}
	var before, after []claim.Figures
	for _, p := range parts {
		before, after = append(before, p.evidence.Base), append(after, p.evidence.Value)
		mean.overloaded, mean.broken = cmp.Or(mean.overloaded, p.overloaded), cmp.Or(mean.broken, p.broken)
		if p.doubt != nil && mean.doubt == nil {
			on := *p.doubt
			on.Operation = p.Operation
			mean.doubt = &on
		}
		mean.looksCheaper, mean.looksDearer = cmp.Or(mean.looksCheaper, p.looksCheaper), cmp.Or(mean.looksDearer, p.looksDearer)
	}
	if mean.paired {
		mean.evidence = claim.Paired(claim.Mean(after), true, mean.ask)
	} else {
		mean.evidence = claim.Apart(claim.Mean(before), claim.Mean(after), true, mean.ask)
		mean.Before, mean.After = meanCost(mean.evidence.Base, mean.ask), meanCost(mean.evidence.Value, mean.ask)
	}
	mean.Relative = mean.evidence.Interval(claim.Confidence)
	return mean
}

// meanCost is the mean cost in one result by itself: paired, as its parts are.
func meanCost(logs claim.Figures, ask claim.Ask) finding.Cost {
	out := finding.Cost{Value: finding.NotKnown(), Relative: claim.Paired(logs, true, ask).Interval(claim.Confidence)}
	if out.Relative != nil {
		out.Blocks = len(logs)
	}
	return out
}
