// The charts of a replication: its curves, drawn like those of one result, and the published lines.

package view

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/lab/study"
)

func replicationCharts(doc *study.Replication) *parts.Charts {
	drawn := &finding.Document{Findings: []finding.Finding{}}
	c := &parts.Charts{Document: drawn, Figures: []parts.ChartFigures{}, Order: []int{}, Names: map[string]string{}, Looks: parts.Looks, Entries: parts.ChartEntries, Bars: []int{}, Replication: doc}
	variant := func(name string) {
		if !slices.ContainsFunc(drawn.Experiment.Variants, func(v finding.Variant) bool { return v.Name == name }) {
			drawn.Experiment.Variants = append(drawn.Experiment.Variants, finding.Variant{Name: name, Tracer: doc.Tracers[name]})
		}
	}
	for _, t := range doc.Tables {
		variant(t.Baseline)
		c.Names[t.Metric] = finding.MetricName(t.Metric)
		for _, r := range t.Rows {
			variant(r.Variant)
		}
	}
	for _, m := range doc.Means {
		c.Names[m.Metric] = finding.MetricName(m.Metric)
	}
	drawn.Sweeps = replicationSweeps(doc)
	for _, s := range drawn.Sweeps {
		c.Names[s.Metric] = finding.MetricName(s.Metric)
	}
	c.Lines = publishedLines(doc)
	if len(drawn.Experiment.Variants) > 0 {
		c.Baseline = drawn.Experiment.Variants[0].Name
	}
	c.Points, c.Costs = parts.PointTexts(drawn.Sweeps), costTexts(doc)
	c.Paints = parts.Paints(drawn.Experiment.Variants, c.Baseline)
	return c
}

// costTexts returns the costs of the tables' rows.
func costTexts(doc *study.Replication) [][]string {
	out := [][]string{}
	for _, t := range doc.Tables {
		texts := []string{}
		for _, r := range t.Rows {
			cells := costCells(r, t)
			texts = append(texts, strings.TrimSpace(cells[0].Text+" "+cells[1].Text))
		}
		out = append(out, texts)
	}
	return out
}

// replicationSweeps returns the curves; operations name the workload if there are several results.
func replicationSweeps(doc *study.Replication) []finding.Sweep {
	var out []finding.Sweep
	for _, c := range doc.Sweeps {
		one := c.Sweep
		one.Operation = inStudy(doc, c.Workload, one.Operation)
		out = append(out, one)
	}
	return out
}

// inStudy returns an operation, with its workload if there are several results.
func inStudy(doc *study.Replication, workload, operation string) string {
	if len(doc.Results) > 1 {
		return workload + ", " + operation
	}
	return operation
}

// publishedLines returns the lines of published slopes and bases over the depth, one for each variant
// and series with both. They have points only where our baseline has.
func publishedLines(doc *study.Replication) []parts.ChartLine {
	var out []parts.ChartLine
	for _, c := range doc.Sweeps {
		if c.Metric != metric.TimePerCall || c.Parameter != cell.Depth {
			continue
		}
		for series := range doc.Series {
			slope, over := publishedFigure(doc, c, metric.Slope, series)
			base, _ := publishedFigure(doc, c, metric.Base, series)
			if slope == nil || base == nil {
				continue
			}
			line := parts.ChartLine{Operation: inStudy(doc, c.Workload, c.Operation), Metric: c.Metric, Variant: c.Variant}
			for _, p := range c.Points {
				if ours, known := baselinePoint(doc, c, over, p.X); known {
					line.Points = append(line.Points, [2]float64{p.X, ours + *base + *slope*p.X})
				}
			}
			if len(line.Points) > 0 {
				out = append(out, line)
			}
		}
	}
	return out
}

// publishedFigure returns a series' figure for the variant of a curve, and its baseline.
func publishedFigure(doc *study.Replication, c study.Sweep, name string, series int) (value *float64, over string) {
	for _, t := range doc.Tables {
		if t.Metric != name || t.Workload != c.Workload {
			continue
		}
		for _, r := range t.Rows {
			if p := publishedOf(r, series); p != nil && r.Variant == c.Variant && r.Operation == c.Operation {
				return &p.Value, t.Baseline
			}
		}
	}
	return nil, ""
}

// baselinePoint returns the baseline of a curve at a depth.
func baselinePoint(doc *study.Replication, c study.Sweep, over string, x float64) (float64, bool) {
	for _, o := range doc.Sweeps {
		if o.Workload == c.Workload && o.Operation == c.Operation && o.Metric == c.Metric && o.Variant == over {
			for _, p := range o.Points {
				if p.X == x {
					return p.Y, true
				}
			}
		}
	}
	return 0, false
}
