// The costs of several variants as bars on one axis, for a terminal.

package view

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// fewestBars is the least number in a chart: one alone shows no more than its figures.
const fewestBars = 2

// bars are the intervals of what variants cost by one metric, over base. Variants without an interval, without spans or
// that did other work have none. It is nil where there are too few, or where some are ratios and others amounts.
func bars(doc *finding.Document, g *Group, metric, role, base string, contenders []string) *model.Bars {
	out := &model.Bars{}
	var unit string
	var ratio bool
	for _, name := range contenders {
		f := g.find(metric, role, name, base)
		if f == nil || doc.NotTracing(f) {
			continue
		}
		kind := f.Verdict.ShownKind(f.ByRatio())
		i := f.Shown()
		if i == nil || i.Low == nil || i.High == nil || kind == finding.Overloaded {
			continue
		}
		if len(out.Rows) > 0 && f.ByRatio() != ratio {
			return nil
		}
		unit, ratio = f.Unit, f.ByRatio()
		out.From, out.To = min(out.From, *i.Low), max(out.To, *i.High)
		out.Rows = append(out.Rows, model.Bar{
			Name: markedVariant(doc, g, name), Low: *i.Low, Estimate: i.Estimate, High: *i.High,
			Least: isLeast(doc, g, f), Tone: parts.ToneOf(kind),
		})
	}
	if len(out.Rows) < fewestBars || out.From == out.To {
		return nil
	}
	end := func(x float64) string {
		if x == 0 {
			return "0"
		}
		return parts.IntervalText(&finding.Interval{Estimate: x}, unit, ratio)
	}
	out.First, out.Last = end(out.From), end(out.To)
	return out
}
