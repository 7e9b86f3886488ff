// This file orders the variants where figures of different machines cannot be compared.

package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
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

// This file makes geometric means of the costs over operations.

// means compares the geometric means over the operations, for each variant, metric
// and parameter that has ratios on at least two; of the operations that all of these variants have, so their means
// are of the same. The operations of a run share
// what the run was like, so the mean is taken within each block, and the interval
// is over blocks.
func means(index int, made []*change) []*change {
	groups := map[key][]*change{}
	var order []key
	for _, c := range made {
		if !c.ratio || c.figure || c.Operation == "" || c.Role != "" || c.Against == "" || c.Note != "" {
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
	}, ratio: true, ask: first.ask, unjudged: first.unjudged || !first.Headline, figure: first.figure, paired: first.paired}
	var before, after []blockLogs
	for _, p := range parts {
		before, after = append(before, p.logsBefore), append(after, p.logsAfter)
		mean.overloaded, mean.broken = cmp.Or(mean.overloaded, p.overloaded), cmp.Or(mean.broken, p.broken)
		if p.doubt != nil && mean.doubt == nil {
			on := *p.doubt
			on.Operation = p.Operation
			mean.doubt = &on
		}
		mean.looksCheaper, mean.looksDearer = cmp.Or(mean.looksCheaper, p.looksCheaper), cmp.Or(mean.looksDearer, p.looksDearer)
	}
	_, mean.before, mean.endsBefore = meanByBlock(before)
	mean.in, mean.after, mean.endsAfter = meanByBlock(after)
	if !mean.paired {
		mean.Before, mean.After = meanCost(mean.before, mean.endsBefore, mean.ask), meanCost(mean.after, mean.endsAfter, mean.ask)
	}
	mean.Relative = shift(stats.Ratio(mean.estimate(claim.Confidence)))
	return mean
}

// blockLogs are logarithms of ratios by block, with the least and the most that each
// can be.
type blockLogs map[int][3]float64

func byBlock(samples []finding.Sample, logs []float64, ends *claim.Extent) blockLogs {
	out, of := blockLogs{}, values{logs, ends}
	low, high := of.low(), of.high()
	for i, s := range samples {
		out[s.Block] = [3]float64{low[i], logs[i], high[i]}
	}
	return out
}

// meanByBlock are the means over operations in the blocks that all of them have, and these blocks; the extent is nil where
// they are exact.
func meanByBlock(parts []blockLogs) (in []int, mid []float64, ends *claim.Extent) {
	ends = &claim.Extent{}
	exact := true
	for _, block := range sortedInts(parts[0]) {
		var sum [3]float64
		all := true
		for _, p := range parts {
			v, has := p[block]
			for i := range sum {
				sum[i] += v[i] / float64(len(parts))
			}
			all = all && has
		}
		if !all {
			continue
		}
		in, mid = append(in, block), append(mid, sum[1])
		ends.Low, ends.High = append(ends.Low, sum[0]), append(ends.High, sum[2])
		exact = exact && sum[0] == sum[1] && sum[2] == sum[1]
	}
	if exact {
		return in, mid, nil
	}
	return in, mid, ends
}

// meanCost is the mean cost in one result by itself: paired, as its parts are.
func meanCost(logs []float64, ends *claim.Extent, ask func(float64) float64) finding.Cost {
	if len(logs) == 0 {
		return finding.Cost{Value: finding.NotKnown()}
	}
	e := stats.Ratio(ends.SignedRank(logs, ask(claim.Confidence)))
	if math.IsNaN(e.Center) {
		return finding.Cost{Value: finding.NotKnown()}
	}
	return finding.Cost{Value: finding.NotKnown(), Relative: claim.Interval(e, false), Blocks: len(logs)}
}
