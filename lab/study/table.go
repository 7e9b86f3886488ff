// This file makes the tables of a metric and a workload: variants by operations, beside published figures.

package study

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
)

func (s *replication) tables() []Table {
	out := []Table{}
	for _, metric := range s.metrics() {
		for _, r := range s.results {
			if t := s.table(r, metric); len(t.Rows) > 0 {
				out = append(out, t)
			}
		}
	}
	return out
}

func (s *replication) table(r *result, metric string) Table {
	t := Table{Workload: r.workload, Metric: metric, Baseline: r.baseline}
	told := map[string]bool{} // cells whose baseline has a row
	for _, f := range s.find(func(f *figure) bool { return f.of == r && f.Metric == metric && len(f.Samples) > 0 }) {
		t.Unit, t.Better, t.Amount = f.Unit, f.Better, t.Amount || f.Amount
		base, value := claim.Sides(f.Samples)
		if at := f.at(); !told[at] && hasBaseline(f.Finding) {
			told[at] = true
			t.Rows = append(t.Rows, Row{
				Operation: f.Operation, Parameter: f.Parameter, Variant: r.baseline, Blocks: f.Blocks,
				Value: itself(f, base), Published: s.published(r, f.Finding, r.baseline),
			})
		}
		row := Row{
			Operation: f.Operation, Parameter: f.Parameter, Variant: f.Variant, Blocks: f.Blocks, Lossy: f.lossy, Suppressed: f.suppressed(), Reason: f.why(),
			Value: itself(f, value), Cost: f.Relative, Added: f.Absolute,
			Published: s.published(r, f.Finding, f.Variant),
		}
		if isCount(metric) {
			row.Cost, row.Added = nil, nil
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) > 0 {
		t.Rows = append(t.Rows, s.absent(r, t)...)
	}
	return t
}

// absent returns the rows of variants that could not run but have a published figure.
func (s *replication) absent(r *result, t Table) []Row {
	var out []Row
	for _, left := range r.Experiment.LeftOut {
		for _, p := range r.Experiment.Published {
			if p.Metric != t.Metric || p.Variant != left.Variant {
				continue
			}
			row := Row{Operation: p.Operation, Parameter: p.Parameter, Variant: left.Variant, Reason: leftOut(left)}
			if slices.ContainsFunc(out, func(o Row) bool {
				return o.Variant == row.Variant && o.Operation == row.Operation && maps.Equal(o.Parameter, row.Parameter)
			}) {
				continue // of another series
			}
			f := &finding.Finding{Operation: p.Operation, Parameter: p.Parameter, Variant: left.Variant, Metric: t.Metric, Amount: t.Amount}
			row.Published = s.published(r, f, left.Variant)
			out = append(out, row)
		}
	}
	return out
}

// itself returns the centre of one side over the blocks, with its interval.
func itself(f *figure, side claim.Figures) *finding.Interval {
	return claim.Paired(side, false, ask(f.of)).Interval(claim.Confidence)
}

// This file sets published figures beside ours.

// findSeries sorts published figures into series by source and remark.
func (s *replication) findSeries() {
	sources := map[string]bool{}
	for _, r := range s.results {
		for _, p := range r.Experiment.Published {
			sources[p.Source] = true
			if !slices.ContainsFunc(s.series, func(t Series) bool { return t.Source == p.Source && t.Note == p.Note }) {
				s.series = append(s.series, Series{Source: p.Source, Note: p.Note})
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

// of returns the published figure of a series for a cell; false: none.
func (s *replication) of(series int, r *result, metric, operation string, parameter map[string]string, variant string) (finding.Published, bool) {
	t := s.series[series]
	for _, p := range r.Experiment.Published {
		if p.Source == t.Source && p.Note == t.Note && p.Metric == metric && p.Operation == operation && p.Variant == variant && maps.Equal(p.Parameter, parameter) {
			return p, true
		}
	}
	return finding.Published{}, false
}

// published returns the figures of all series for a cell, with their cost over the series' own
// baseline, and whether our interval contains it. A figure that is over the baseline by
// definition is compared as it is.
func (s *replication) published(r *result, f *finding.Finding, variant string) []PublishedFigure {
	var out []PublishedFigure
	for i := range s.series {
		p, has := s.of(i, r, f.Metric, f.Operation, f.Parameter, variant)
		if !has {
			continue
		}
		one := PublishedFigure{Series: i, Value: p.Value, Spread: p.Spread}
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

// publishedMeans returns the series' means over all operations, with their cost over the series' own
// baseline, and whether our interval of the same mean contains it. They are never compared with
// one operation.
func (s *replication) publishedMeans(r *result, metric, variant string, ours *finding.Interval) []PublishedFigure {
	var out []PublishedFigure
	for i := range s.series {
		p, has := s.of(i, r, metric, "", nil, variant)
		base, hasBase := s.of(i, r, metric, "", nil, r.baseline)
		if !has || !hasBase || !(base.Value > 0) {
			continue
		}
		cost := p.Value/base.Value - 1
		out = append(out, PublishedFigure{Series: i, Value: p.Value, Spread: p.Spread, Cost: &cost, Within: inside(cost, ours)})
	}
	return out
}

// publishedCost returns a variant's cost in a series: over its baseline, or the value itself if
// that is the cost. False: no cost is known.
func publishedCost(cells []PublishedFigure, series int, added bool) (float64, bool) {
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

// inside reports whether a figure lies in an interval; nil without an interval.
func inside(v float64, i *finding.Interval) *bool {
	if i == nil || i.Low == nil || i.High == nil {
		return nil
	}
	in := *i.Low <= v && v <= *i.High
	return &in
}
