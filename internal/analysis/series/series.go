// Package series owns what is drawn: latency by percentile, figures over levels with their knees, the costs of services and
// their calls, and how searches for a capacity went. It must not know verdicts.
package series

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// Builder draws what there is of each variant, by the records and by what became of spans.
type Builder struct{ *delivery.Accounts }

// Latency by percentile.

// Curves returns a curve for each cell and variant under an open loop: the points
// that all of its runs support.
func (s Builder) Curves() []finding.Curve {
	out := []finding.Curve{}
	for _, at := range s.Cells() {
		if how := s.RegimeOf(at); how != metric.Open && how != metric.Unthrottled {
			continue
		}
		for _, v := range s.Variants {
			if points := points(s.PhasesOf(v.Name, at)); len(points) > 0 {
				out = append(out, finding.Curve{Operation: at.Operation, Parameter: at.Level.Map(), Variant: v.Name, Points: points})
			}
		}
	}
	return out
}

func points(phases []*dataset.Phase) []finding.Point {
	var out []finding.Point
	for _, percentile := range dataset.Grid {
		values := make([]float64, 0, len(phases))
		for _, p := range phases {
			if v, ok := p.Latency.At(percentile); ok {
				values = append(values, v)
			}
		}
		if len(values) == 0 || len(values) < len(phases) {
			continue
		}
		out = append(out, finding.Point{
			Percentile: percentile, Seconds: stats.Center(values), Low: slices.Min(values), High: slices.Max(values),
		})
	}
	return out
}

// This file finds where a curve of throughput bends: from where on more connections
// bring little more.
//
// The rule is marginal: from the knee on, doubling the connections brings under a
// tenth more throughput. Kneedle (Satopää et al., Finding a "Kneedle" in a Haystack,
// ICDCSW 2011) takes the point farthest from the chord, which moves with the range
// that was measured and exists on every concave curve; the peak of the Universal
// Scalability Law (Gunther, Guerrilla Capacity Planning, ch. 4) needs a fit of more
// levels than people measure, and of one shape. The gain of a doubling needs two
// levels, and has an interval over the blocks.

// littleMore is the gain of a doubling under which more brings little more.
const littleMore = 0.10

// level is the values of one level by block.
type level struct {
	x      float64
	values map[int]float64
}

// kneeOf returns the first level from which every larger level gains surely less
// than a tenth per doubling; nil if none is distinguishable from noise. "Surely" is
// by the interval of the gain over the blocks, corrected for the number of levels
// tried. If the level before it is not surely a bend away, After names the levels
// that the knee lies between.
func kneeOf(curve []level, parameter string, ask func(float64) float64) *finding.Knee {
	sure := ask(stats.Bonferroni(claim.Confidence, len(curve)-1))
	limit := math.Log1p(littleMore)
	for i := range curve[:max(0, len(curve)-1)] {
		if !flatFrom(curve, i, limit, sure) {
			continue
		}
		before := i
		for before > 0 && gain(curve[before-1], curve[before], sure).Against(limit) != stats.Above {
			before--
		}
		last := gain(curve[i], curve[len(curve)-1], sure)
		knee := &finding.Knee{
			X: curve[i].x, First: i == 0, Under: littleMore, Last: curve[len(curve)-1].x, Gain: *claim.Interval(stats.Ratio(last)),
		}
		if before < i {
			knee.After = &curve[before].x
		}
		knee.Text = wording.Knee(*knee, parameter)
		return knee
	}
	return nil
}

func flatFrom(curve []level, i int, limit, confidence float64) bool {
	for _, later := range curve[i+1:] {
		if gain(curve[i], later, confidence).Against(limit) != stats.Below {
			return false
		}
	}
	return true
}

// gain returns the gain of a doubling from one level to another: the logarithm of
// the ratio, within blocks, per doubling.
func gain(from, to level, confidence float64) stats.Estimate {
	doublings := math.Log2(to.x / from.x)
	var gains []float64
	for _, block := range dataset.BlocksIn(from.values) {
		a, b := from.values[block], to.values[block]
		if a > 0 && b > 0 {
			gains = append(gains, math.Log(b/a)/doublings)
		}
	}
	return stats.SignedRank(gains, confidence)
}

// This file draws what was varied between the phases of a run: each variant's
// figures over the levels, without mixing them. A closed loop has no latency to show: it asks less
// of whoever answers late.

// Sweeps returns a curve for each operation, metric and variant that has levels.
func (s Builder) Sweeps() []finding.Sweep {
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
func (s Builder) sweep(variant, operation string, a dataset.Axis, m measure.Measure) finding.Sweep {
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
		e := claim.Interval(stats.SignedRank(y, s.Confidence(claim.Confidence)))
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
func (s Builder) SpanSweeps(findings []finding.Finding) []finding.Sweep {
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
