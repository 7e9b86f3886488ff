// This file ranks the variants by cost, and compares the ranking with a published one.

package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/stats"
)

// leastForTau is the number of variants that a rank correlation needs.
const leastForTau = 3

// rankings ranks the variants on every operation that has two, without those that lost spans.
func (s *replication) rankings() []Ranking {
	var out []Ranking
	for _, metric := range s.rankedMetrics() {
		for _, r := range s.results {
			cells := s.find(func(f *figure) bool {
				return f.of == r && f.Metric == metric && f.Better != "" && f.whole() && (f.value != nil || isAdded(f.Finding)) && r.ordered(f.Variant)
			})
			for _, group := range groupBy(cells, (*figure).at) {
				if len(group) > 1 {
					out = append(out, s.ranking(group))
				}
			}
		}
	}
	return out
}

// ordered reports whether to rank a variant: one that leaves out steps of tracing, traces or
// spans is ranked only if fewer than two others are complete.
func (r *result) ordered(variant string) bool {
	partial, whole := false, 0
	for _, v := range r.Experiment.Variants {
		if v.Name == variant {
			partial = v.Partial
		}
		if v.Name != r.baseline && !v.Partial {
			whole++
		}
	}
	return !partial || whole < 2
}

// worse returns the figure's sort key: larger is dearer.
func (f *figure) worse() float64 {
	if i := f.Shown(); i != nil {
		return direction(f.Better) * i.Estimate
	}
	return math.Inf(1)
}

func direction(better string) float64 {
	if better == "higher" {
		return -1
	}
	return 1
}

func (s *replication) ranking(group []*figure) Ranking {
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(a, b *figure) int { return cmp.Compare(a.worse(), b.worse()) })
	first := group[0]
	out := Ranking{Workload: first.of.workload, Operation: first.Operation, Parameter: first.Parameter, Metric: first.Metric}
	letters := groupLetters(len(group), func(i, j int) bool { return apart(group[i], group[j]) != 0 })
	places := make([][]int, len(s.series))
	for n := range s.series {
		places[n] = s.publishedPlaces(n, group, &out)
	}
	for i, f := range group {
		place := RankPlace{Variant: f.Variant, Rank: i + 1, Cost: f.Shown(), Groups: letters[i]}
		for n := range s.series {
			place.Published = append(place.Published, places[n][i])
		}
		out.Places = append(out.Places, place)
	}
	return out
}

// publishedPlaces returns the group's ranks in a series, 0 for absent ones, and adds the rank
// correlation and the swapped pairs to the ranking.
func (s *replication) publishedPlaces(series int, group []*figure, out *Ranking) []int {
	ranks := make([]int, len(group))
	var here []int
	var ours, theirs []float64
	for i, f := range group {
		if cost, has := publishedCost(s.published(f.of, f.Finding, f.Variant), series, isAdded(f.Finding)); has {
			here, ours, theirs = append(here, i), append(ours, f.worse()), append(theirs, direction(f.Better)*cost)
		}
	}
	for n, i := range here {
		ranks[i] = 1
		for m := range here {
			if theirs[m] < theirs[n] {
				ranks[i]++
			}
			if side := apart(group[here[n]], group[here[m]]); side < 0 && theirs[n] > theirs[m] {
				out.Swapped = append(out.Swapped, fmt.Sprintf("%s costs less than %s here, and more in %s", group[here[n]].Variant, group[here[m]].Variant, s.series[series].Name))
			}
		}
	}
	if tau, ok := stats.KendallTau(ours, theirs); ok && len(here) >= leastForTau {
		out.Taus = append(out.Taus, Tau{Series: series, Tau: tau, Variants: len(here)})
	}
	return ranks
}

// apart returns −1 if a surely costs less than b, 1 if it surely costs more, else 0, by the
// interval of their ratio within blocks, uncorrected for other pairs.
func apart(a, b *figure) int {
	differ := absolutes(a).Minus(absolutes(b))
	if a.value != nil && b.value != nil {
		differ = a.value.Minus(b.value)
	}
	if pointOnly(a.Metric) {
		return 0
	}
	switch claim.Paired(differ, false, ask(a.of)).At(claim.Confidence).Against(0) {
	case stats.Below:
		return -int(direction(a.Better))
	case stats.Above:
		return int(direction(a.Better))
	}
	return 0
}

// absolutes returns the values by block, for figures without logarithms.
func absolutes(f *figure) claim.Figures {
	_, value := claim.Sides(f.Samples)
	return value
}

// groupLetters returns the group letters of n ordered things. A group is a longest stretch of
// neighbours without a distinguishable pair.
func groupLetters(n int, apart func(i, j int) bool) []string {
	out := make([]string, n)
	letter, reached := 0, -1
	for from := range n {
		to := from
		for to+1 < n && !anyApart(from, to+1, apart) {
			to++
		}
		if to <= reached { // within the stretch before
			continue
		}
		reached = to
		for i := from; i <= to; i++ {
			out[i] += letterOf(letter)
		}
		letter++
	}
	return out
}

// anyApart reports whether the last of a stretch is distinguishable from any before it.
func anyApart(from, last int, apart func(i, j int) bool) bool {
	for i := from; i < last; i++ {
		if apart(i, last) {
			return true
		}
	}
	return false
}

// letterOf returns a, b … z, then a2, b2 ….
func letterOf(n int) string {
	text := string(rune('a' + n%26))
	if n >= 26 {
		text += fmt.Sprint(n/26 + 1)
	}
	return text
}

// This file compares effects: of two tracers on one workload, and of one tracer on two workloads.

// mostCompared is the largest number of variants, or workloads, to compare pairwise: for more the
// ranking suffices.
const mostCompared = 4

func (s *replication) ratios() []Ratio {
	var out []Ratio
	for _, metric := range s.rankedMetrics() {
		if pointOnly(metric) { // a ratio would have an interval
			continue
		}
		out = append(out, s.betweenVariants(metric)...)
		out = append(out, s.betweenWorkloads(metric)...)
	}
	return out
}

// betweenVariants compares variants within blocks.
func (s *replication) betweenVariants(metric string) []Ratio {
	names := s.variants()
	if len(names) > mostCompared {
		return nil
	}
	var out []Ratio
	for i, under := range names {
		for _, over := range names[i+1:] {
			var parts []claim.Figures
			var weights []float64
			var of []*result
			all := 0
			for _, r := range s.results {
				logs := pairs(s.told(metric, over, r), s.told(metric, under, r))
				if len(logs) == 0 {
					continue
				}
				mean := claim.Mean(logs)
				out = append(out, ratioOf(claim.Paired(mean, true, ask(r)), Ratio{
					Between: BetweenVariants, Metric: metric, Over: over, Under: under, Workload: r.workload, Operations: len(logs),
				}))
				parts, weights, of, all = append(parts, mean), append(weights, float64(len(logs))), append(of, r), all+len(logs)
			}
			if len(parts) > 1 && !s.apart {
				mean := claim.MeanAcross(parts, weights)
				out = append(out, ratioOf(claim.Paired(mean, true, ask(of...)), Ratio{
					Between: BetweenVariants, Metric: metric, Over: over, Under: under, Operations: all,
				}))
			}
		}
	}
	return out
}

// pairs returns the log-ratios of two variants on each operation that both have.
func pairs(over, under []*figure) []claim.Figures {
	var out []claim.Figures
	for _, a := range over {
		for _, b := range under {
			if a.Operation == b.Operation {
				out = append(out, a.value.Minus(b.value))
			}
		}
	}
	return out
}

// betweenWorkloads compares a variant's cost on two workloads, whose blocks are independent.
func (s *replication) betweenWorkloads(metric string) []Ratio {
	if len(s.results) > mostCompared || s.apart {
		return nil
	}
	var out []Ratio
	for _, variant := range s.variants() {
		for i, under := range s.results {
			for _, over := range s.results[i+1:] {
				a, b := common(s.averaged(metric, variant, over), s.averaged(metric, variant, under))
				if len(a) == 0 {
					continue
				}
				above, below := claim.Mean(costs(a)), claim.Mean(costs(b))
				out = append(out, ratioOf(claim.Apart(below, above, true, ask(over, under)), Ratio{
					Between: BetweenWorkloads, Metric: metric, Over: over.workload, Under: under.workload, Variant: variant,
					Operations: len(a),
				}))
			}
		}
	}
	return out
}

// common returns the figures of two results on the operations that both have.
func common(a, b []*figure) ([]*figure, []*figure) {
	has := func(list []*figure) func(*figure) bool {
		return func(f *figure) bool {
			return !slices.ContainsFunc(list, func(g *figure) bool { return g.Operation == f.Operation })
		}
	}
	return slices.DeleteFunc(slices.Clone(a), has(b)), slices.DeleteFunc(slices.Clone(b), has(a))
}

func costs(figures []*figure) []claim.Figures {
	var out []claim.Figures
	for _, f := range figures {
		out = append(out, f.cost())
	}
	return out
}

func ratioOf(e *claim.Evidence, out Ratio) Ratio {
	out.Ratio, out.Blocks = e.Interval(claim.Confidence), e.Blocks()
	return out
}

// groupBy splits a list by a key, in the keys' order of appearance.
func groupBy[T any](list []T, key func(T) string) [][]T {
	var out [][]T
	place := map[string]int{}
	for _, one := range list {
		i, seen := place[key(one)]
		if !seen {
			i = len(out)
			place[key(one)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], one)
	}
	return out
}
