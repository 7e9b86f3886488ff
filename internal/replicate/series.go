// This file sets published figures beside ours.

package replicate

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// findSeries sorts what was published into series: figures of one source with one
// remark belong together.
func (s *replication) findSeries() {
	sources := map[string]bool{}
	for _, r := range s.results {
		for _, p := range r.Experiment.Published {
			sources[p.Source] = true
			if !slices.ContainsFunc(s.series, func(t finding.Series) bool { return t.Source == p.Source && t.Note == p.Note }) {
				s.series = append(s.series, finding.Series{Source: p.Source, Note: p.Note})
			}
		}
	}
	for i, t := range s.series {
		name := "published"
		if len(sources) > 1 {
			name = t.Source
		}
		s.series[i].Name = join(name, t.Note)
	}
}

// of returns the published figure of a series for a cell; false where there is none.
func (s *replication) of(series int, r *result, metric, operation string, parameter map[string]string, variant string) (finding.Published, bool) {
	t := s.series[series]
	for _, p := range r.Experiment.Published {
		if p.Source == t.Source && p.Note == t.Note && p.Metric == metric && p.Operation == operation && p.Variant == variant && maps.Equal(p.Parameter, parameter) {
			return p, true
		}
	}
	return finding.Published{}, false
}

// published are the figures of all series for a cell, with their cost over the same
// series' own baseline, and whether it lies in our interval. A figure that is over the
// baseline by definition has none itself: it is looked for in ours as it is.
func (s *replication) published(r *result, f *finding.Finding, variant string) []finding.PublishedCell {
	var out []finding.PublishedCell
	for i := range s.series {
		p, has := s.of(i, r, f.Metric, f.Operation, f.Parameter, variant)
		if !has {
			continue
		}
		one := finding.PublishedCell{Series: i, Value: p.Value, Spread: p.Spread}
		if variant != r.baseline {
			base, hasBase := s.of(i, r, f.Metric, f.Operation, f.Parameter, r.baseline)
			switch {
			case hasBase && f.Amount:
				added := p.Value - base.Value
				one.Added, one.Within = &added, inside(added, f.Absolute)
			case hasBase && base.Value > 0:
				cost := p.Value/base.Value - 1
				one.Cost, one.Within = &cost, inside(cost, f.Relative)
			case isAdded(f):
				one.Within = inside(p.Value, f.Absolute)
			}
		}
		out = append(out, one)
	}
	return out
}

// publishedMeans are the figures of all series that are means over all operations, with
// their cost over the same series' own baseline, and whether it lies in our interval of the
// same mean. One operation by itself is never held against them.
func (s *replication) publishedMeans(r *result, metric, variant string, ours *finding.Interval) []finding.PublishedCell {
	var out []finding.PublishedCell
	for i := range s.series {
		p, has := s.of(i, r, metric, "", nil, variant)
		base, hasBase := s.of(i, r, metric, "", nil, r.baseline)
		if !has || !hasBase || !(base.Value > 0) {
			continue
		}
		cost := p.Value/base.Value - 1
		out = append(out, finding.PublishedCell{Series: i, Value: p.Value, Spread: p.Spread, Cost: &cost, Within: inside(cost, ours)})
	}
	return out
}

// publishedCost is what a series says that a variant costs: over its baseline, or the
// value itself where that is the cost. False where it does not say.
func publishedCost(cells []finding.PublishedCell, series int, added bool) (float64, bool) {
	for _, p := range cells {
		switch {
		case p.Series != series:
			continue
		case p.Cost != nil:
			return *p.Cost, true
		case p.Added != nil:
			return *p.Added, true
		case added:
			return p.Value, true
		}
	}
	return 0, false
}

// inside reports whether a figure lies in an interval; nil where there is none.
func inside(v float64, i *finding.Interval) *bool {
	if i == nil || i.Low == nil || i.High == nil {
		return nil
	}
	in := *i.Low <= v && v <= *i.High
	return &in
}
