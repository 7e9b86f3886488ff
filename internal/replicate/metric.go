// This file says which metrics a replication is about, which of them make an order, and of what sort one is.

package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// metrics are those that the replication is about, in the order in which they come: headlines,
// what was published, what is claimed, and what must stand beside a headline.
func (s *replication) metrics() []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) && slices.ContainsFunc(s.figures, func(f *figure) bool { return f.Metric == name }) {
			out = append(out, name)
		}
	}
	for _, f := range s.figures {
		if f.Headline {
			add(f.Metric)
		}
	}
	for _, r := range s.results {
		for _, p := range r.Experiment.Published {
			add(p.Metric)
		}
	}
	for _, c := range s.claims {
		add(c.Metric)
	}
	for _, row := range metric.Table {
		if slices.ContainsFunc(s.figures, func(f *figure) bool { return f.Metric == row.Name }) {
			for _, name := range row.Beside {
				add(name)
			}
		}
	}
	return out
}

// rankedMetrics are headlines and what was published: an order by anything else is
// nobody's question.
func (s *replication) rankedMetrics() []string {
	return slices.DeleteFunc(s.metrics(), func(name string) bool {
		if name == "slope" || name == "cpu_per_span" {
			return false
		}
		if isCount(name) {
			return true
		}
		headline := slices.ContainsFunc(s.figures, func(f *figure) bool { return f.Metric == name && f.Headline })
		published := slices.ContainsFunc(s.results, func(r *result) bool {
			return slices.ContainsFunc(r.Experiment.Published, func(p finding.Published) bool { return p.Metric == name })
		})
		return !headline && !published
	})
}

// isCount reports whether a metric counts what was done or arrived: that costs nobody
// anything.
func isCount(name string) bool {
	row, _ := metric.Of(name)
	return row.Nature == metric.Count
}

// isAdded reports whether a finding is over the baseline by definition: nothing but
// noughts stand on its other side.
func isAdded(f *finding.Finding) bool {
	return f.Relative == nil && f.Absolute != nil && !hasBaseline(f) && !isCount(f.Metric)
}

// hasBaseline reports whether anything but noughts stands on the other side.
func hasBaseline(f *finding.Finding) bool {
	return slices.ContainsFunc(f.Samples, func(p finding.Sample) bool { return p.Baseline != 0 })
}
