// This file makes means over operations: as studies make them, and as ratios ask for.

package study

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// means are those of each variant and metric over the operations of each workload, over
// all, and of each operation over the workloads. Levels of a sweep are no operations.
func (s *replication) means() []Mean {
	var out []Mean
	for _, metric := range s.rankedMetrics() {
		for _, variant := range s.variants() {
			for _, r := range s.results {
				out = append(out, s.meanOver(metric, variant, []*result{r}, "")...)
			}
			if s.apart || len(s.results) < 2 {
				continue
			}
			out = append(out, s.meanOver(metric, variant, s.results, "")...)
			for _, group := range groupBy(s.across(metric, variant, s.results, ""), func(f *figure) string { return f.Operation }) {
				out = append(out, s.meanOver(metric, variant, s.results, group[0].Operation)...)
			}
		}
	}
	return out
}

// meanOver is the mean of a variant over the operations of some results, of those of one name unless that is empty; none
// where there are fewer than two.
func (s *replication) meanOver(metric, variant string, results []*result, operation string) []Mean {
	own := s.shared(metric, variant, results, operation)
	if len(own) < 2 {
		return nil
	}
	workload := ""
	if len(results) == 1 {
		workload = results[0].workload
	}
	mean := s.meanOf(own, workload)
	mean.Operation = operation
	return []Mean{without(mean, cellsOf(results, operation))}
}

// cellsOf names the operations of some results; those of one name unless that is empty.
func cellsOf(results []*result, operation string) []string {
	var out []string
	for _, r := range results {
		for _, name := range r.Experiment.Operations {
			if operation == "" || name == operation {
				out = append(out, join(r.workload, name))
			}
		}
	}
	return out
}

// without says which of the cells a mean is not of, so it does not read like one of all.
func without(mean Mean, cells []string) Mean {
	mean.Without = slices.DeleteFunc(cells, func(name string) bool { return slices.Contains(mean.Cells, name) })
	return mean
}

// averaged are the figures of a variant in a result that a mean of costs is made of: those
// whose ratio to the baseline answers.
func (s *replication) averaged(metric, variant string, r *result) []*figure {
	return slices.DeleteFunc(s.told(metric, variant, r), func(f *figure) bool { return f.Amount })
}

// across are likewise those in several results, on one operation unless that is empty. A variant that is not in all of their
// experiments has none: its mean would be one of other workloads.
func (s *replication) across(metric, variant string, results []*result, operation string) []*figure {
	var out []*figure
	for _, r := range results {
		if operation != "" && !slices.Contains(r.Experiment.Operations, operation) {
			continue
		}
		if !slices.ContainsFunc(r.Experiment.Variants, func(v finding.Variant) bool { return v.Name == variant }) {
			return nil
		}
		for _, f := range s.averaged(metric, variant, r) {
			if operation == "" || f.Operation == operation {
				out = append(out, f)
			}
		}
	}
	return out
}

// shared are those of them that all variants have which have more than one: means that stand beside each other are of the
// same operations of the same workloads.
func (s *replication) shared(metric, variant string, results []*result, operation string) []*figure {
	own := s.across(metric, variant, results, operation)
	for _, other := range s.variants() {
		theirs := s.across(metric, other, results, operation)
		if len(theirs) < 2 {
			continue
		}
		own = slices.DeleteFunc(own, func(f *figure) bool {
			return !slices.ContainsFunc(theirs, func(o *figure) bool { return o.of == f.of && o.Operation == f.Operation })
		})
	}
	return own
}

// told are the figures of a variant in a result that may be reckoned with, of operations
// by themselves.
func (s *replication) told(metric, variant string, r *result) []*figure {
	return s.find(func(f *figure) bool {
		return f.of == r && f.Metric == metric && f.Variant == variant && f.Operation != "" && len(f.Parameter) == 0 && f.told() && f.Relative != nil
	})
}

func (s *replication) meanOf(figures []*figure, workload string) Mean {
	first := figures[0]
	out := Mean{Metric: first.Metric, Unit: first.Unit, Workload: workload, Variant: first.Variant, Operations: len(figures)}
	for _, f := range figures {
		n := float64(len(figures))
		out.Arithmetic += f.Relative.Estimate / n
		out.Baseline += float64(f.Baseline) / n
		out.Value += float64(f.Value) / n
		out.Cells = append(out.Cells, f.at())
	}
	logs, of := together(figures)
	out.Blocks = len(logs)
	e := logs.estimate(ask(confidence, of...))
	out.Geometric = relative(e)
	e = ofMeans(figures).estimate(ask(confidence, of...))
	out.OfMeans = relative(e)
	if workload != "" && len(figures) == len(first.of.Experiment.Operations) {
		out.PublishedOfMeans = s.publishedMeans(first.of, first.Metric, first.Variant, out.OfMeans)
	}
	for n := range s.series {
		sum, all := 0.0, true
		for _, f := range figures {
			cost, has := publishedCost(s.published(f.of, f.Finding, f.Variant), n, false)
			sum, all = sum+cost/float64(len(figures)), all && has
		}
		if all {
			out.Published = append(out.Published, SeriesFig{Series: n, Value: sum})
		}
	}
	return out
}

// together is the mean of the figures' log-ratios: within each result by its blocks,
// across results with as much weight as each has figures.
func together(figures []*figure) (byBlock, []*result) {
	var parts []byBlock
	var weights []float64
	var of []*result
	for _, group := range groupBy(figures, func(f *figure) string { return f.of.workload }) {
		var logs []byBlock
		for _, f := range group {
			logs = append(logs, f.cost())
		}
		parts, weights, of = append(parts, meanWithin(logs)), append(weights, float64(len(group))), append(of, group[0].of)
	}
	if len(parts) == 1 {
		return parts[0], of
	}
	return meanAcross(parts, weights), of
}

// ofMeans is the logarithm of the mean of the values over the mean of the baseline's, by
// block: within each result in its blocks, across results the first blocks of all, then the
// second.
func ofMeans(figures []*figure) byBlock {
	var values, bases []byBlock
	for _, group := range groupBy(figures, func(f *figure) string { return f.of.workload }) {
		var value, base []byBlock
		for _, f := range group {
			value, base = append(value, plain(f.value)), append(base, plain(f.base))
		}
		// As sums, so every operation weighs the same in the mean over results.
		values, bases = append(values, times(meanWithin(value), len(group))), append(bases, times(meanWithin(base), len(group)))
	}
	if len(values) == 1 {
		return logged(values[0]).over(logged(bases[0]))
	}
	return logged(meanAcross(values, nil)).over(logged(meanAcross(bases, nil)))
}

// plain undoes the logarithms.
func plain(logs byBlock) byBlock {
	return each(logs, math.Exp)
}

func logged(values byBlock) byBlock {
	return each(values, math.Log)
}

func times(values byBlock, n int) byBlock {
	return each(values, func(v float64) float64 { return v * float64(n) })
}

// each is what a rising function makes of every band.
func each(of byBlock, do func(float64) float64) byBlock {
	out := byBlock{}
	for block, x := range of {
		out[block] = band{do(x.low), do(x.mid), do(x.high)}
	}
	return out
}

// This file reckons with logarithms by block: within a result blocks are pairs, across
// results they are independent.

// band is a figure that lies between two ends: equal where it is exact.
type band struct{ low, mid, high float64 }

// byBlock is a figure of each block of one result.
type byBlock map[int]band

// over is the difference in the blocks that both have: of logarithms, the ratio.
func (a byBlock) over(b byBlock) byBlock {
	out := byBlock{}
	for block, x := range a {
		if y, has := b[block]; has {
			out[block] = band{x.low - y.high, x.mid - y.mid, x.high - y.low}
		}
	}
	return out
}

// meanWithin is the mean over figures of one result, in the blocks that all have.
func meanWithin(parts []byBlock) byBlock {
	out := byBlock{}
	if len(parts) == 0 {
		return out
	}
	for block := range parts[0] {
		all := make([]band, 0, len(parts))
		for _, p := range parts {
			if x, has := p[block]; has {
				all = append(all, x)
			}
		}
		if len(all) == len(parts) {
			out[block] = weighted(all, nil)
		}
	}
	return out
}

// meanAcross is the mean over results, each with its weight: the first block of each,
// then the second, as long as all have one. The blocks of different results are independent,
// so it does not matter which are put together, and the means are as independent of
// each other as the blocks are.
func meanAcross(parts []byBlock, weights []float64) byBlock {
	out := byBlock{}
	least := math.MaxInt
	rows := make([][]int, len(parts))
	for i, p := range parts {
		rows[i] = slices.Sorted(maps.Keys(p))
		least = min(least, len(rows[i]))
	}
	for n := range least {
		if len(parts) == 0 {
			break
		}
		all := make([]band, 0, len(parts))
		for i, p := range parts {
			all = append(all, p[rows[i][n]])
		}
		out[n+1] = weighted(all, weights)
	}
	return out
}

// weighted is a mean; nil weights are equal ones.
func weighted(all []band, weights []float64) band {
	var sum band
	total := 0.0
	for i, x := range all {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		sum.low, sum.mid, sum.high, total = sum.low+w*x.low, sum.mid+w*x.mid, sum.high+w*x.high, total+w
	}
	return band{sum.low / total, sum.mid / total, sum.high / total}
}

// columns are the figures in the order of the blocks.
func (a byBlock) columns() (low, mid, high []float64, exact bool) {
	exact = true
	for _, block := range slices.Sorted(maps.Keys(a)) {
		x := a[block]
		low, mid, high = append(low, x.low), append(mid, x.mid), append(high, x.high)
		exact = exact && x.low == x.mid && x.mid == x.high
	}
	return low, mid, high, exact
}

// estimate is the centre over blocks with its signed-rank interval; it covers what lies
// between the ends of each block.
func (a byBlock) estimate(confidence float64) stats.Estimate {
	low, mid, high, exact := a.columns()
	e := stats.SignedRank(mid, confidence)
	if exact {
		return e
	}
	return outermost(e, stats.SignedRank(low, confidence), stats.SignedRank(high, confidence))
}

// shift is by how much one result's figures lie above another's, with the rank-sum interval:
// their blocks are independent.
func shift(under, over byBlock, confidence float64) stats.Estimate {
	underLow, underMid, underHigh, exact := under.columns()
	overLow, overMid, overHigh, exactToo := over.columns()
	e := stats.RankSum(underMid, overMid, confidence)
	if exact && exactToo {
		return e
	}
	return outermost(e, stats.RankSum(underHigh, overLow, confidence), stats.RankSum(underLow, overHigh, confidence))
}

// outermost is an estimate with the ends of others; without them where one of those
// has none.
func outermost(e, low, high stats.Estimate) stats.Estimate {
	if !low.Bounded || !high.Bounded {
		return stats.Estimate{Center: e.Center, N: e.N}
	}
	e.Low, e.High = low.Low, high.High
	return e
}

// relative is an estimate of a logarithm as a change: 0.05 is 5 % more. It is nil where
// there is nothing to estimate from.
func relative(e stats.Estimate) *finding.Interval {
	if math.IsNaN(e.Center) {
		return nil
	}
	return interval(stats.Ratio(e))
}

func interval(e stats.Estimate) *finding.Interval {
	i := &finding.Interval{Estimate: e.Center}
	if e.Bounded {
		low, high := e.Low, e.High
		i.Low, i.High = &low, &high
	}
	return i
}
