// This file draws latency by percentile.

package series

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// Curves returns a curve for each cell and variant under an open loop: the points
// that all of its runs support.
func (s Maker) Curves() []finding.Curve {
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
