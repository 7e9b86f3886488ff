// This file reads a metric in all runs that count, block by block.

package measure

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// Samples returns the values of both sides, block by block; nil where a run
// cannot give the metric. A block in which a search came to nothing does not count,
// like one in which a run failed; but too many of those are nil as well.
func (m Measure) Samples(s *dataset.Set, p dataset.Pair, at cell.At) []finding.Sample {
	var out []finding.Sample
	unsteady := 0
	blocks := s.BlocksOf(p.Variant, p.Against)
	for _, block := range blocks {
		base, value := s.Both(p, block)
		basePhase, valuePhase := base.ByCell[at], value.ByCell[at]
		if !m.WholeRun && (basePhase == nil || valuePhase == nil) {
			continue
		}
		if !m.WholeRun && (basePhase.Unsteady() || valuePhase.Unsteady()) {
			if unsteady++; unsteady > len(blocks)/dataset.Droppable {
				return nil
			}
			continue
		}
		b, okBase := m.Read(base, basePhase)
		v, okValue := m.Read(value, valuePhase)
		if !okBase || !okValue || !estimate.Sane(b) || !estimate.Sane(v) {
			return nil
		}
		one := finding.Sample{Block: block, Baseline: b, Value: v}
		if m.Name == metric.Capacity {
			one.BaselineWithin, one.ValueWithin = basePhase.Bracket(), valuePhase.Bracket()
		}
		out = append(out, one)
	}
	return out
}

// ByBlock are a variant's values on a cell by block; none where a run cannot
// give the metric.
func (m Measure) ByBlock(s *dataset.Set, variant string, at cell.At) map[int]float64 {
	values := map[int]float64{}
	for _, block := range s.BlocksOf(variant, s.Baseline) {
		r := s.Runs[variant][block]
		p := r.ByCell[at]
		if p == nil {
			continue
		}
		v, ok := m.Read(r, p)
		if !ok || !estimate.Sane(v) {
			return nil
		}
		values[block] = v
	}
	return values
}
