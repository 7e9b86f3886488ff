// What the charts of a page are drawn from: the document, its figures in words, and what the
// program of the charts would else have to know of metrics, goals and ledgers.

package view

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// chartsOf is what the charts of a result are drawn from.
func chartsOf(doc *finding.Document) *parts.Charts {
	c := &parts.Charts{Document: doc, Baseline: baseline(doc), Figures: make([]parts.ChartFigures, len(doc.Findings)), Order: []int{}, Names: map[string]string{}, Looks: parts.Looks, Entries: parts.ChartEntries}
	for _, g := range Groups(doc) {
		for _, f := range g.Findings {
			i := indexOf(doc, f)
			c.Figures[i] = figuresOf(doc, g, f)
			c.Order = append(c.Order, i)
		}
	}
	for _, s := range doc.Sweeps {
		c.Names[s.Metric] = finding.MetricName(s.Metric)
	}
	c.Points = parts.PointTexts(doc.Sweeps)
	c.Bars = []int{}
	for i := range doc.Ledgers {
		if parts.HasBar(&doc.Ledgers[i]) {
			c.Bars = append(c.Bars, i)
		}
	}
	c.Paints = parts.Paints(everyVariant(doc), baseline(doc))
	return c
}

// everyVariant are those of the experiment, and any that only the findings name.
func everyVariant(doc *finding.Document) []finding.Variant {
	all := slices.Clone(doc.Experiment.Variants)
	for _, f := range doc.Findings {
		for _, name := range []string{f.Against, f.Variant} {
			if !slices.ContainsFunc(all, func(v finding.Variant) bool { return v.Name == name }) {
				all = append(all, finding.Variant{Name: name})
			}
		}
	}
	return all
}

func figuresOf(doc *finding.Document, g *Group, f *finding.Finding) parts.ChartFigures {
	one := parts.ChartFigures{
		Label: parts.Label(f), Group: g.title(), Variant: markedVariant(doc, g, f.Variant), Against: markedVariant(doc, g, f.Against),
		Mark: parts.VerdictMark(f.Verdict.ShownKind(f.ByRatio())), Tone: parts.ToneOf(f.Verdict.ShownKind(f.ByRatio())).String(),
		Baseline: finding.FormatValue(f.Baseline, f.Unit), Value: finding.FormatValue(f.Value, f.Unit),
		Absolute: parts.IntervalText(f.Absolute, f.Unit, false), Relative: parts.IntervalText(f.Relative, f.Unit, true), Dark: doc.NotTracing(f),
		Told: toldOf(doc, g, f.Variant), Apart: lossyOf(doc, g, f.Variant) != nil,
	}
	if isLeast(doc, g, f) {
		one.Before = atLeast
	}
	return one
}
