// This file computes means over operations: arithmetic, as in studies, and geometric, as ratios need.

package study

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
)

// means returns the means of each variant and metric: over the operations of each workload, over
// those of all workloads, and over the workloads for each operation. Levels of a sweep are no operations.
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

// meanOver returns a variant's mean over the results' operations, or over those of the given name; none for fewer than two.
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

// cellsOf names the results' operations, or those of the given name.
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

// without lists the cells that a mean lacks: it must not look complete.
func without(mean Mean, cells []string) Mean {
	mean.Without = slices.DeleteFunc(cells, func(name string) bool { return slices.Contains(mean.Cells, name) })
	return mean
}

// averaged returns a variant's figures for a mean of costs: usable ratios to the baseline, no amounts.
func (s *replication) averaged(metric, variant string, r *result) []*figure {
	return slices.DeleteFunc(s.told(metric, variant, r), func(f *figure) bool { return f.Amount })
}

// across returns them for several results, for the operation unless it is empty. A variant that an experiment lacks has none:
// its mean would be over other workloads.
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

// shared returns those that every variant with at least two has too: means are compared over the same operations of the same
// workloads.
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

// told returns a variant's usable figures in a result, by operation, without levels.
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
	out.Geometric = claim.Paired(logs, true, ask(of...)).Interval(claim.Confidence)
	out.OfMeans = claim.Paired(ofMeans(figures), true, ask(of...)).Interval(claim.Confidence)
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

// together returns the mean of the figures' log-ratios and its results; see meanOfEach.
func together(figures []*figure) (claim.Figures, []*result) {
	return meanOfEach(figures, func(f *figure) *result { return f.of }, (*figure).cost)
}

// meanOfEach averages figures by block within each result, then across results, weighted by the number of figures.
func meanOfEach[T any](all []T, in func(T) *result, logs func(T) claim.Figures) (claim.Figures, []*result) {
	var parts []claim.Figures
	var weights []float64
	var of []*result
	for _, group := range groupBy(all, func(one T) string { return in(one).workload }) {
		var own []claim.Figures
		for _, one := range group {
			own = append(own, logs(one))
		}
		parts, weights, of = append(parts, claim.Mean(own)), append(weights, float64(len(group))), append(of, in(group[0]))
	}
	if len(parts) == 1 {
		return parts[0], of
	}
	return claim.MeanAcross(parts, weights), of
}

// ofMeans returns the logarithm of the mean value over the mean baseline value, by block. Across
// results it pairs the first blocks, then the second ones.
func ofMeans(figures []*figure) claim.Figures {
	var values, bases []claim.Figures
	for _, group := range groupBy(figures, func(f *figure) string { return f.of.workload }) {
		var value, base []claim.Figures
		for _, f := range group {
			value, base = append(value, f.value.Map(math.Exp)), append(base, f.base.Map(math.Exp))
		}
		sum := func(v float64) float64 { return v * float64(len(group)) } // every operation weighs the same in the mean over results
		values, bases = append(values, claim.Mean(value).Map(sum)), append(bases, claim.Mean(base).Map(sum))
	}
	if len(values) == 1 {
		return values[0].Map(math.Log).Minus(bases[0].Map(math.Log))
	}
	return claim.MeanAcross(values, nil).Map(math.Log).Minus(claim.MeanAcross(bases, nil).Map(math.Log))
}
