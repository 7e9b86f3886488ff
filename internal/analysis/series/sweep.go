// This file draws what was varied between the phases of a run: each variant's
// figures over the levels, without mixing them. A closed loop has no latency to show: it asks less
// of whoever answers late.

package series

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

// Sweeps returns a curve for each operation, metric and variant that has levels.
func (s Maker) Sweeps() []finding.Sweep {
	var out []finding.Sweep
	for _, operation := range s.Operations() {
		a, ok := s.AxisOf(operation)
		if !ok {
			continue
		}
		how := s.RegimeOf(a.Cells[0])
		list := measure.All(nil, how)
		for _, name := range metric.Swept(how) {
			m := list[slices.IndexFunc(list, func(m measure.Measure) bool { return m.Name == name && m.Payer == (role.Charge{}) })]
			for _, v := range s.Variants {
				if one := s.sweep(v.Name, operation, a, m); len(one.Points) > 0 {
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// sweep returns the curve of one variant. A level that one of its runs cannot give
// has no point, nor has the latency of a variant that could not hold the rate.
func (s Maker) sweep(variant, operation string, a dataset.Axis, m measure.Measure) finding.Sweep {
	out := finding.Sweep{Operation: operation, Variant: variant, Parameter: a.Parameter, Metric: m.Name, Unit: m.Unit, Points: []finding.SweepPoint{}}
	var curve []level
	for i, at := range a.Cells {
		if m.Nature == metric.Latency && s.Overloaded(variant, at) != nil {
			continue
		}
		values := m.ByBlock(s.Set, variant, at)
		if len(values) == 0 {
			continue
		}
		y := make([]float64, 0, len(values))
		for _, block := range dataset.BlocksIn(values) {
			y = append(y, values[block])
		}
		e := estimate.Interval(stats.SignedRank(y, s.Confidence(estimate.Confidence)), false)
		out.Points = append(out.Points, finding.SweepPoint{X: a.X[i], Y: e.Estimate, Low: e.Low, High: e.High})
		curve = append(curve, level{a.X[i], values})
	}
	if m.Name == metric.Throughput && s.RegimeOf(a.Cells[0]) == metric.Closed {
		out.Knee = kneeOf(curve, a.Parameter, s.Confidence)
	}
	return out
}

// SpanSweeps draws the added CPU per span over the levels, of the findings that there
// are: a level at which spans were lost has no point.
func (s Maker) SpanSweeps(findings []finding.Finding) []finding.Sweep {
	var out []finding.Sweep
	for _, operation := range s.Operations() {
		a, ok := s.AxisOf(operation)
		if !ok || !metric.Driven.Has(s.RegimeOf(a.Cells[0])) {
			continue
		}
		for _, v := range s.Variants[1:] {
			one := finding.Sweep{Operation: operation, Variant: v.Name, Parameter: a.Parameter, Metric: metric.CPUPerSpan, Unit: "s", Points: []finding.SweepPoint{}}
			for i, at := range a.Cells {
				for _, f := range findings {
					if f.Metric == metric.CPUPerSpan && f.Operation == operation && f.Variant == v.Name && f.Against == s.Baseline && cell.LevelOf(f.Parameter) == at.Level && f.Absolute != nil {
						one.Points = append(one.Points, finding.SweepPoint{X: a.X[i], Y: f.Absolute.Estimate, Low: f.Absolute.Low, High: f.Absolute.High})
					}
				}
			}
			if len(one.Points) > 0 {
				out = append(out, one)
			}
		}
	}
	return out
}
