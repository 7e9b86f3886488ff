// This file draws what was varied between the phases of a run: each variant's
// figures over the levels, without mixing them. A closed loop has no latency to show: it asks less
// of whoever answers late.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

// axis is what one operation was varied over.
type axis struct {
	parameter string
	cells     []cell.At
	x         []float64
}

// axisOf returns an operation's levels, smallest first; false where there are not
// two of them, or where they are not one number each.
func (s *study) axisOf(operation string) (axis, bool) {
	var a axis
	for _, at := range s.cells() {
		if at.Operation != operation {
			continue
		}
		name, x, ok := at.Level.Swept()
		if !ok || a.parameter != "" && name != a.parameter {
			return axis{}, false
		}
		a.parameter = name
		a.cells, a.x = append(a.cells, at), append(a.x, x)
	}
	return a, len(a.cells) > 1
}

// sweeps returns a curve for each operation, metric and variant that has levels.
func (s *study) sweeps() []finding.Sweep {
	var out []finding.Sweep
	for _, operation := range s.operations() {
		a, ok := s.axisOf(operation)
		if !ok {
			continue
		}
		how := s.loopOf(a.cells[0])
		list := measures(nil, how)
		for _, name := range metric.Swept(how.regime()) {
			m := list[slices.IndexFunc(list, func(m measure) bool { return m.Name == name && m.charged == (role.Charge{}) })]
			for _, v := range s.variants {
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
func (s *study) sweep(variant, operation string, a axis, m measure) finding.Sweep {
	out := finding.Sweep{Operation: operation, Variant: variant, Parameter: a.parameter, Metric: m.Name, Unit: m.Unit, Points: []finding.SweepPoint{}}
	var curve []level
	for i, at := range a.cells {
		if _, over := s.overloaded(variant, at); m.Nature == metric.Latency && over {
			continue
		}
		values := s.levelValues(variant, at, m)
		if len(values) == 0 {
			continue
		}
		y := make([]float64, 0, len(values))
		for _, block := range blocksIn(values) {
			y = append(y, values[block])
		}
		e := estimate.Interval(stats.SignedRank(y, s.confidence(estimate.Confidence)), s.quick())
		out.Points = append(out.Points, finding.SweepPoint{X: a.x[i], Y: e.Estimate, Low: e.Low, High: e.High})
		curve = append(curve, level{a.x[i], values})
	}
	if m.Name == metric.Throughput && s.loopOf(a.cells[0]) == closedLoop && !s.quick() {
		out.Knee = kneeOf(curve, a.parameter, s.confidence)
	}
	return out
}

// spanSweeps draws the added CPU per span over the levels, of the findings that there
// are: a level at which spans were lost has no point.
func (s *study) spanSweeps(findings []finding.Finding) []finding.Sweep {
	var out []finding.Sweep
	for _, operation := range s.operations() {
		a, ok := s.axisOf(operation)
		if !ok || !s.loopOf(a.cells[0]).drives() {
			continue
		}
		for _, v := range s.variants[1:] {
			one := finding.Sweep{Operation: operation, Variant: v.Name, Parameter: a.parameter, Metric: metric.CPUPerSpan, Unit: "s", Points: []finding.SweepPoint{}}
			for i, at := range a.cells {
				for _, f := range findings {
					if f.Metric == metric.CPUPerSpan && f.Operation == operation && f.Variant == v.Name && f.Against == s.baseline && cell.LevelOf(f.Parameter) == at.Level && f.Absolute != nil {
						one.Points = append(one.Points, finding.SweepPoint{X: a.x[i], Y: f.Absolute.Estimate, Low: f.Absolute.Low, High: f.Absolute.High})
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

// levelValues are a variant's values at a level by block; none where a run cannot
// give the metric.
func (s *study) levelValues(variant string, at cell.At, m measure) map[int]float64 {
	values := map[int]float64{}
	for _, block := range s.blocksOf(variant, s.baseline) {
		r := s.runs[variant][block]
		p := r.phases[at]
		if p == nil {
			continue
		}
		v, ok := m.value(r, p)
		if !ok || !estimate.Sane(v) {
			return nil
		}
		values[block] = v
	}
	return values
}

func blocksIn[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
