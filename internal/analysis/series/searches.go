// This file describes the searches for a capacity. The capacity itself is a metric
// like any other; a search that met a limit has none, but a reason.

package series

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// Searches returns what there is of each variant on each cell that was searched.
func (s Builder) Searches() ([]finding.Search, error) {
	var out []finding.Search
	for _, at := range s.Cells() {
		if s.RegimeOf(at) != metric.Search {
			continue
		}
		for _, v := range s.Variants {
			one, err := s.search(v.Name, at)
			if err != nil {
				return nil, fmt.Errorf("the search of %s on %s: %w", v.Name, at, err)
			}
			if one != nil {
				out = append(out, *one)
			}
		}
	}
	return out, nil
}

// search returns the searches of one variant on one cell; nil where there is none.
func (s Builder) search(variant string, at cell.At) (*finding.Search, error) {
	out := &finding.Search{Operation: at.Operation, Variant: variant, Parameter: at.Level.Map(), Outcomes: []string{}, Points: []finding.SearchPoint{}}
	var made []*record.Search
	for _, block := range s.BlocksOf(variant, s.Baseline) {
		p := s.Runs[variant][block].ByCell[at]
		if p == nil || p.Capacity == nil {
			continue
		}
		points, err := s.searchPoints(block, p.Capacity)
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", block, err)
		}
		made = append(made, p.Capacity)
		out.Outcomes = append(out.Outcomes, string(p.Capacity.Outcome))
		if len(p.Capacity.Before) > 0 {
			out.Repeated++
		}
		out.Points = append(out.Points, points...)
	}
	if len(made) == 0 {
		return nil, nil
	}
	first := made[0]
	out.Kind, out.Target, out.Method, out.Goal = first.Goal, first.Target, first.Method, wording.Goal(first, s.SearchedPercentile())
	out.Binding = mostFrequent(made, func(c *record.Search) string { return c.Binding })
	out.Seconds = stats.Center(claim.Each(made, func(c *record.Search) (float64, bool) { return c.Seconds, true }))
	if lost := s.Of(variant, at).Measured; lost.Known && (!lost.Unsure() || finding.Matters(lost.Share())) && !s.LosesOnPurpose(at) {
		share := lost.Share()
		out.LostShare = &share
	}
	out.Held, out.Failed = heldIn(made)
	out.Below = failedBelow(made, out.Held)
	s.searchFigures(out, made)
	wording.FillSearch(out, made)
	return out, nil
}

// heldIn returns the least of the highest rates that passed in each search, and the lowest
// that one of them ended with as not passing; 0 where there is none. A search without a span to
// lose tried no rate.
func heldIn(made []*record.Search) (held, failed float64) {
	held, failed = math.Inf(1), math.Inf(1)
	for _, c := range made {
		if c.Outcome == record.NoSpans {
			continue
		}
		held = math.Min(held, c.Passing)
		if c.Failing > 0 {
			failed = math.Min(failed, c.Failing)
		}
	}
	if !claim.Sane(held) {
		held = 0
	}
	if !claim.Sane(failed) {
		failed = 0
	}
	return held, failed
}

// failedBelow counts the searches, made twice or not, in which a probe at a rate or a lower one
// did not pass: more was asked of it later, and passed.
func failedBelow(made []*record.Search, rate float64) int {
	n := 0
	for _, c := range made {
		if slices.ContainsFunc(slices.Concat(c.Before, c.Probes), func(p record.Probe) bool { return !p.Passed && p.Rate <= rate }) {
			n++
		}
	}
	return n
}

// searchFigures fills in the rate, and the line of those searches whose fit held.
func (s Builder) searchFigures(out *finding.Search, made []*record.Search) {
	rates := ratesOf(made)
	limited := slices.ContainsFunc(made, func(c *record.Search) bool {
		_, known := c.Carries()
		return !known && c.Outcome != record.Unsteady
	})
	if len(rates) > 0 && !limited && len(made)-len(rates) <= len(made)/dataset.Droppable {
		out.Rate = claim.Paired(rates, false, s.Confidence).Interval(claim.Confidence)
	}
	linear := func(value func(*record.Search) float64) *float64 {
		values := claim.Each(made, func(c *record.Search) (float64, bool) { return value(c), c.Linear })
		out.Linear = len(values)
		if len(values) == 0 {
			return nil
		}
		centre := stats.Center(values)
		return &centre
	}
	out.Base = linear(func(c *record.Search) float64 { return c.Base })
	out.Demand = linear(func(c *record.Search) float64 { return c.Demand })
}

// ratesOf are the rates of those searches that know one, with what each lies between.
func ratesOf(made []*record.Search) claim.Figures {
	var samples []finding.Sample
	for _, c := range made {
		if rate, known := c.Carries(); known && claim.Sane(rate) {
			samples = append(samples, finding.Sample{Value: rate, ValueWithin: claim.Bracket(c)})
		}
	}
	_, rates := claim.Sides(samples)
	return rates
}

// searchPoints are the probes of one search.
func (s Builder) searchPoints(block int, c *record.Search) ([]finding.SearchPoint, error) {
	var out []finding.SearchPoint
	for _, probe := range c.Probes {
		point := finding.SearchPoint{
			Block: block, Purpose: probe.Purpose, Rate: probe.Rate, Utilisation: probe.Utilisation,
			Lost: probe.Lost, Passed: probe.Passed, Why: finding.PlainText(probe.Why),
		}
		if c.Goal == string(config.GoalLatency) {
			h, err := probe.Load.Latency.Decode()
			if err != nil {
				return nil, err
			}
			point.Seconds = float64(h.ValueAtQuantile(s.SearchedPercentile())) / 1e9
		}
		out = append(out, point)
	}
	return out, nil
}

// mostFrequent names what the searches have in common, with counts where they
// differ: "quota (7 of 10), database (3 of 10)".
func mostFrequent(made []*record.Search, name func(*record.Search) string) string {
	count := map[string]int{}
	for _, c := range made {
		if word := name(c); word != "" {
			count[word]++
		}
	}
	words := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	if len(words) == 1 && count[words[0]] == len(made) {
		return words[0]
	}
	for i, word := range words {
		words[i] = fmt.Sprintf("%s (%d of %d)", word, count[word], len(made))
	}
	return strings.Join(words, ", ")
}
