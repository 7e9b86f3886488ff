// This file says how much the effect differs: between two tracers on one workload, and
// between two workloads with one tracer.

package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// mostCompared is the most variants, or workloads, of which every pair is compared: of
// more of them the order says what a reader wants to know.
const mostCompared = 4

func (s *replication) ratios() []finding.ReplicationRatio {
	var out []finding.ReplicationRatio
	for _, metric := range s.rankedMetrics() {
		if pointOnly(metric) { // a ratio would have an interval
			continue
		}
		out = append(out, s.betweenVariants(metric)...)
		out = append(out, s.betweenWorkloads(metric)...)
	}
	return out
}

// betweenVariants compares variants within blocks: both ran in each.
func (s *replication) betweenVariants(metric string) []finding.ReplicationRatio {
	names := s.variants()
	if len(names) > mostCompared {
		return nil
	}
	var out []finding.ReplicationRatio
	for i, under := range names {
		for _, over := range names[i+1:] {
			var parts []byBlock
			var weights []float64
			var of []*result
			all := 0
			for _, r := range s.results {
				logs := pairs(s.told(metric, over, r), s.told(metric, under, r))
				if len(logs) == 0 {
					continue
				}
				mean := meanWithin(logs)
				out = append(out, ratioOf(mean.estimate(ask(confidence, r)), finding.ReplicationRatio{
					Between: finding.BetweenVariants, Metric: metric, Over: over, Under: under, Workload: r.workload, Operations: len(logs), Blocks: len(mean),
				}))
				parts, weights, of, all = append(parts, mean), append(weights, float64(len(logs))), append(of, r), all+len(logs)
			}
			if len(parts) > 1 && !s.apart {
				mean := meanAcross(parts, weights)
				out = append(out, ratioOf(mean.estimate(ask(confidence, of...)), finding.ReplicationRatio{
					Between: finding.BetweenVariants, Metric: metric, Over: over, Under: under, Operations: all, Blocks: len(mean),
				}))
			}
		}
	}
	return out
}

// pairs are the log-ratios of two variants on each operation that both have.
func pairs(over, under []*figure) []byBlock {
	var out []byBlock
	for _, a := range over {
		for _, b := range under {
			if a.Operation == b.Operation {
				out = append(out, a.value.over(b.value))
			}
		}
	}
	return out
}

// betweenWorkloads compares the cost of a variant on two workloads. Their blocks are
// independent.
func (s *replication) betweenWorkloads(metric string) []finding.ReplicationRatio {
	if len(s.results) > mostCompared || s.apart {
		return nil
	}
	var out []finding.ReplicationRatio
	for _, variant := range s.variants() {
		for i, under := range s.results {
			for _, over := range s.results[i+1:] {
				a, b := common(s.averaged(metric, variant, over), s.averaged(metric, variant, under))
				if len(a) == 0 {
					continue
				}
				above, below := meanWithin(costs(a)), meanWithin(costs(b))
				out = append(out, ratioOf(shift(below, above, ask(confidence, over, under)), finding.ReplicationRatio{
					Between: finding.BetweenWorkloads, Metric: metric, Over: over.workload, Under: under.workload, Variant: variant,
					Operations: len(a), Blocks: min(len(above), len(below)),
				}))
			}
		}
	}
	return out
}

// common are the figures of two results on the operations that both have.
func common(a, b []*figure) ([]*figure, []*figure) {
	has := func(list []*figure) func(*figure) bool {
		return func(f *figure) bool {
			return !slices.ContainsFunc(list, func(g *figure) bool { return g.Operation == f.Operation })
		}
	}
	return slices.DeleteFunc(slices.Clone(a), has(b)), slices.DeleteFunc(slices.Clone(b), has(a))
}

func costs(figures []*figure) []byBlock {
	var out []byBlock
	for _, f := range figures {
		out = append(out, f.cost())
	}
	return out
}

func ratioOf(e stats.Estimate, out finding.ReplicationRatio) finding.ReplicationRatio {
	out.Ratio = relative(e)
	return out
}
