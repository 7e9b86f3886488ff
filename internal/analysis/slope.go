// This file fits a line through the levels of a sweep over depth, in every block: what
// each further call costs, and what there is beside.
package analysis

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

// sloped reports whether a line is fitted through the levels of an operation. What is
// claimed of it is the line: a verdict on every level by itself would make all of them
// wider for no question that anybody asks.
func (s *study) sloped(operation string) bool {
	a, ok := s.axisOf(operation)
	return ok && a.parameter == cell.Depth && s.loopOf(a.cells[0]).drives()
}

// lines are the two lines of a block: through the time per call of both sides.
type lines struct {
	base, value, cost stats.Line
	bend              bend // of the cost
	bends             bool // there are levels enough to tell it
}

// slopes makes the findings of the lines of one pair on one operation: slope, base and
// r2 of what tracing costs, and the same of the time per call itself. A line's slope
// is a figure of its block; the intervals are over blocks.
func (s *study) slopes(p pair, operation string) []*claim {
	if !s.sloped(operation) {
		return nil
	}
	a, _ := s.axisOf(operation)
	byBlock := s.linesOf(p, a)
	if len(byBlock) == 0 {
		return nil
	}
	about := "of time per call over depth " + strings.Join(levelWords(a), ", ")
	if lost := s.mostLost(p, a); lost > 1-finding.Lossless {
		about += "; up to " + finding.FormatValue(lost, "1") + " of the spans were lost: the line is that of a tracer that throws spans away"
	}
	at, bent := cell.At{Operation: operation}, ""
	if !s.quick() {
		bent = bentText(byBlock, a, s.confidence(estimate.Confidence))
	}
	var out []*claim
	for _, m := range []struct {
		name string
		of   func(stats.Line) float64
	}{
		{metric.Slope, func(l stats.Line) float64 { return l.Slope }},
		{metric.Base, func(l stats.Line) float64 { return l.Base }},
		{metric.R2, func(l stats.Line) float64 { return l.R2 }},
	} {
		added, itself := []finding.Sample{}, []finding.Sample{}
		for _, block := range blocksIn(byBlock) {
			l := byBlock[block]
			added = append(added, finding.Sample{Block: block, Value: m.of(l.cost)})
			itself = append(itself, finding.Sample{Block: block, Baseline: m.of(l.base), Value: m.of(l.value)})
		}
		one := s.newClaim(lineMeasure(m.name), p, at, added)
		two := s.newClaim(made(metric.TimePerCall+"_"+m.name, false), p, at, itself)
		one.Headline = m.name == metric.Slope && !p.extra
		one.Note, two.Note = "what tracing adds, "+about, about
		switch {
		case bent == "":
		case m.name == metric.Slope:
			one.remark(bent + "; the slope is a mean over all of them")
			s.noteBend(one, bent)
		case m.name == metric.Base:
			one.bent = bent
		}
		for _, c := range []*claim{one, two} {
			c.estimate(s.confidence(estimate.Confidence), s.quick())
		}
		out = append(out, one, two)
	}
	return out
}

// lineMeasure is one figure of the line through what tracing adds.
func lineMeasure(name string) measure {
	m := made(name, name != metric.R2)
	m.added, m.headline = true, name == metric.Slope
	return m
}

// linesOf are the lines in the blocks in which every level has a figure of both sides;
// none where a run of a level cannot give it.
func (s *study) linesOf(p pair, a axis) map[int]lines {
	var base, value []map[int]float64
	for _, at := range a.cells {
		m := of(metric.Must(metric.TimePerCall), role.Charge{}, paced)
		of, against := s.levelValues(p.variant, at, m), s.levelValues(p.against, at, m)
		if len(of) == 0 || len(against) == 0 {
			return nil
		}
		base, value = append(base, against), append(value, of)
	}
	out := map[int]lines{}
	for _, block := range s.blocksOf(p.variant, p.against) {
		before, beforeAll := column(base, block)
		after, afterAll := column(value, block)
		if !beforeAll || !afterAll {
			continue
		}
		var l lines
		var fits [3]bool
		l.base, fits[0] = stats.FitLine(a.x, before)
		l.value, fits[1] = stats.FitLine(a.x, after)
		added := estimate.Minus(after, before)
		l.cost, fits[2] = stats.FitLine(a.x, added)
		l.bend, l.bends = bendOf(a.x, added)
		if fits == [3]bool{true, true, true} {
			out[block] = l
		}
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

// mostLost is the largest share of spans that either side lost at a level.
func (s *study) mostLost(p pair, a axis) float64 {
	most := 0.0
	for _, at := range a.cells {
		most = max(most, 1-s.share(p.variant, at), 1-s.share(p.against, at))
	}
	return most
}

func levelWords(a axis) []string {
	var words []string
	for _, x := range a.x {
		words = append(words, fmt.Sprintf("%.6g", x))
	}
	return words
}
