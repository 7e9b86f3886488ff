// The line through the levels of a sweep over depth, in every block: the cost of each
// further call, and the rest.

package effect

import (
	"math"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

// lines are the two lines of a block: through the time per call of both sides.
type lines struct {
	base, value, cost stats.Line
	bend              bend // of the cost
	bends             bool // there are enough levels for it
}

// slopes makes the findings of the lines of one pair on one operation: slope, base and
// r2 of what tracing costs, and the same of the time per call itself. A line's slope
// is a figure of its block; the intervals are over blocks.
func (s *Estimator) slopes(p dataset.Pair, operation string) []*draft {
	if !s.Sloped(operation) {
		return nil
	}
	a, _ := s.AxisOf(operation)
	byBlock := s.linesOf(p, a)
	if len(byBlock) == 0 {
		return nil
	}
	lossy := s.lossOfLine(p, a)
	at := cell.At{Operation: operation}
	bend := bent(byBlock, a, s.Confidence(claim.Confidence))
	var out []*draft
	for _, m := range []struct {
		name string
		of   func(stats.Line) float64
	}{
		{metric.Slope, func(l stats.Line) float64 { return l.Slope }},
		{metric.Base, func(l stats.Line) float64 { return l.Base }},
		{metric.R2, func(l stats.Line) float64 { return l.R2 }},
	} {
		added, itself := []finding.Sample{}, []finding.Sample{}
		for _, block := range dataset.BlocksIn(byBlock) {
			l := byBlock[block]
			added = append(added, finding.Sample{Block: block, Value: m.of(l.cost)})
			itself = append(itself, finding.Sample{Block: block, Baseline: m.of(l.base), Value: m.of(l.value)})
		}
		one := s.newClaim(lineMeasure(m.name), p, at, added)
		two := s.newClaim(measure.Made(metric.TimePerCall+"_"+m.name, false), p, at, itself)
		one.Headline = m.name == metric.Slope && !p.Extra
		one.remark(finding.Reason{Code: finding.NoteAdded, Figures: depths(a)})
		two.remark(finding.Reason{Code: finding.NoteLine, Figures: depths(a)})
		if lossy != nil {
			one.remark(*lossy)
			two.remark(*lossy)
		}
		switch {
		case bend == nil:
		case m.name == metric.Slope:
			one.remark(finding.Reason{Code: finding.NoteMeanSlope, Figures: bend.Figures})
			s.Bends = append(s.Bends, one.doubt(*bend))
		case m.name == metric.Base:
			one.bent = bend
		}
		for _, c := range []*draft{one, two} {
			c.estimate(s.Confidence)
		}
		out = append(out, one, two)
	}
	return out
}

// lineMeasure is one figure of the line through what tracing adds.
func lineMeasure(name string) measure.Measure {
	m := measure.Made(name, name != metric.R2)
	m.Added, m.Leads = true, name == metric.Slope
	return m
}

// linesOf are the lines in the blocks in which every level has a figure of both sides;
// none where a run of a level cannot give it.
func (s *Estimator) linesOf(p dataset.Pair, a dataset.Axis) map[int]lines {
	var base, value []map[int]float64
	for _, at := range a.Cells {
		m := measure.Of(metric.Must(metric.TimePerCall), role.Charge{}, metric.FixedRate)
		of, against := m.ByBlock(s.Set, p.Variant, at), m.ByBlock(s.Set, p.Against, at)
		if len(of) == 0 || len(against) == 0 {
			return nil
		}
		base, value = append(base, against), append(value, of)
	}
	out := map[int]lines{}
	for _, block := range s.BlocksOf(p.Variant, p.Against) {
		before, beforeAll := column(base, block)
		after, afterAll := column(value, block)
		if !beforeAll || !afterAll {
			continue
		}
		var l lines
		var fits [3]bool
		l.base, fits[0] = stats.FitLine(a.X, before)
		l.value, fits[1] = stats.FitLine(a.X, after)
		added := minus(after, before)
		l.cost, fits[2] = stats.FitLine(a.X, added)
		l.bend, l.bends = bendOf(a.X, added)
		if fits == [3]bool{true, true, true} {
			out[block] = l
		}
	}
	return out
}

// minus is value less base, one by one.
func minus(value, base []float64) []float64 {
	out := make([]float64, len(value))
	for i := range value {
		out[i] = value[i] - base[i]
	}
	return out
}

// column are a block's values over the levels; false where one is missing.
func column(levels []map[int]float64, block int) ([]float64, bool) {
	var out []float64
	for _, values := range levels {
		v, has := values[block]
		if !has {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// lossOfLine returns the largest share of the spans of a level that either side lost, or may have lost; nil if that is too
// small to matter.
func (s *Estimator) lossOfLine(p dataset.Pair, a dataset.Axis) *finding.Reason {
	lost, may := 0.0, 0.0
	for _, at := range a.Cells {
		for _, variant := range []string{p.Variant, p.Against} {
			lost = max(lost, 1-s.Of(variant, at).Share)
			if unknown := s.Of(variant, at).Unknown; unknown != nil {
				may = max(may, unknown.LostMost)
			}
		}
	}
	switch {
	case finding.Matters(lost):
		return &finding.Reason{Code: finding.NoteLineLost, Figures: []finding.Figure{{Name: "share", Value: lost, Unit: "1"}}}
	case may > 0:
		return &finding.Reason{Code: finding.NoteLineMayLose, Figures: []finding.Figure{{Name: "share", Value: may, Unit: "1"}}}
	}
	return nil
}

// Whether the times over depth go on, at the deepest levels, in the straight line of those before.

// What it takes to call a line bent.
const (
	bendLevels = 4   // levels at least: three below the deepest
	bendShare  = 0.2 // by which slope and base must change for it to matter
)

// bend holds the slopes of the added time in one block, in seconds per further call: through all
// levels but the deepest, and between the two deepest. base is the intercept of the line through
// all but the deepest, in seconds.
type bend struct{ below, between, base float64 }

// bendOf returns the bend of the times added at the depths x, smallest first; false: too few
// levels, or no line through those below.
func bendOf(x, added []float64) (bend, bool) {
	last := len(x) - 1
	if len(x) < bendLevels {
		return bend{}, false
	}
	below, ok := stats.FitLine(x[:last], added[:last])
	return bend{below.Slope, (added[last] - added[last-1]) / (x[last] - x[last-1]), below.Base}, ok
}

// bent returns a reason if a further call costs another amount between the two deepest levels
// than below them, over all blocks, by enough to change slope and base without the deepest; nil
// if not, or with too few blocks to decide.
func bent(byBlock map[int]lines, a dataset.Axis, confidence float64) *finding.Reason {
	var below, between, turn, slope, base, moves []float64
	for _, block := range dataset.BlocksIn(byBlock) {
		l := byBlock[block]
		if !l.bends {
			return nil
		}
		below, between = append(below, l.bend.below), append(between, l.bend.between)
		turn, moves = append(turn, l.bend.between-l.bend.below), append(moves, l.bend.base-l.cost.Base)
		slope, base = append(slope, l.cost.Slope), append(base, l.cost.Base)
	}
	e := stats.SignedRank(turn, confidence)
	surely := e.Against(0) == stats.Above || e.Against(0) == stats.Below
	matters := func(change float64, of []float64) bool {
		return math.Abs(change) > bendShare*math.Abs(stats.Center(of))
	}
	if !surely || !matters(e.Center, slope) || !matters(stats.Center(moves), base) {
		return nil
	}
	last := len(a.X) - 1
	return &finding.Reason{Code: finding.WhyBent, Figures: []finding.Figure{
		{Name: "below", Value: stats.Center(below), Unit: "s"}, {Name: "between", Value: stats.Center(between), Unit: "s"},
		{Name: "first", Value: a.X[0], Unit: "count"}, {Name: "before", Value: a.X[last-1], Unit: "count"}, {Name: "last", Value: a.X[last], Unit: "count"},
	}}
}

// depths are the levels of an axis as figures.
func depths(a dataset.Axis) []finding.Figure {
	var out []finding.Figure
	for _, x := range a.X {
		out = append(out, finding.Figure{Name: "depth", Value: x, Unit: "count"})
	}
	return out
}
