// The tables of a replication that stand behind its main ones: means, ratios, and who is excluded
// from the ranking or left out.

package replicate

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

func replicationLossy(doc *finding.Replication) model.Section {
	g := model.Grid{Columns: append([]model.Column{{Head: "workload", Give: true}}, parts.LostColumns()...)}
	for _, l := range doc.Lossy {
		g.Add(append([]model.Cell{{Text: l.Workload}}, parts.LostCells(l.Lossy)...)...)
	}
	s := parts.LostSection(g)
	s.Depth = model.Shown
	return s
}

func replicationMeans(doc *finding.Replication) model.Section {
	s := model.Section{Title: "Means over operations"}
	for _, metric := range metricsOf(doc.Means, func(m finding.ReplicationMean) string { return m.Metric }) {
		g := model.Grid{Caption: finding.MetricName(metric), Columns: []model.Column{
			{Head: "workload", Give: true}, {Head: "variant", Give: true}, {Head: "operations", Right: true, Drop: 3}, {Head: "baseline", Right: true, Drop: 2}, {Head: "value", Right: true, Drop: 2},
			{Head: "geometric", Right: true}, {Head: "(95 %)", Close: true, Drop: 2},
			{Head: "arithmetic", Right: true},
		}}
		for i := range doc.Series {
			g.Columns = append(g.Columns, model.Column{Head: seriesHead(doc, i), Right: true, Drop: 1})
		}
		g.Columns = append(g.Columns, model.Column{Head: "ratio of means", Right: true}, model.Column{Head: "(95 %)", Close: true, Drop: 2})
		for i := range doc.Series {
			g.Columns = append(g.Columns, model.Column{Head: seriesHead(doc, i), Right: true}, model.Column{Head: "within"})
		}
		g.Columns = append(g.Columns, model.Column{Head: "without", Drop: 3})
		for _, m := range doc.Means {
			if m.Metric != metric {
				continue
			}
			row := []model.Cell{{Text: meanLabel(m)}, {Text: suppressedMarked(doc, m.Variant, inMean(m))}, {Text: operationsOf(m)}, {Text: finding.FormatValue(m.Baseline, m.Unit)}, {Text: finding.FormatValue(m.Value, m.Unit)}}
			row = append(row, ratioCells(m.Geometric)...)
			row = append(row, model.Cell{Text: finding.FormatInterval(finding.Interval{Estimate: m.Arithmetic}, "1", true)})
			for i := range doc.Series {
				text := ""
				for _, p := range m.Published {
					if p.Series == i {
						text = finding.FormatInterval(finding.Interval{Estimate: p.Value}, "1", true)
					}
				}
				row = append(row, model.Cell{Text: text})
			}
			row = append(row, ratioCells(m.OfMeans)...)
			for i := range doc.Series {
				row = append(row, publishedMeanCells(i, m.PublishedOfMeans)...)
			}
			row = append(row, model.Cell{Text: strings.Join(m.Without, "; "), Tone: model.Doubtful})
			g.Add(row...)
		}
		s.Grids = append(s.Grids, g.DropEmpty())
	}
	return s
}

// operationsOf is how many operations a mean is of: "2 of 4" where it lacks some.
func operationsOf(m finding.ReplicationMean) string {
	if len(m.Without) == 0 {
		return fmt.Sprint(m.Operations)
	}
	return fmt.Sprintf("%d of %d", m.Operations, m.Operations+len(m.Without))
}

// publishedMeanCells are the cost that a series gives as a mean over all operations, and
// whether it lies in our interval; empty where it gives none.
func publishedMeanCells(series int, published []finding.PublishedCell) []model.Cell {
	for _, p := range published {
		if p.Series == series && p.Cost != nil {
			return []model.Cell{{Text: finding.FormatInterval(finding.Interval{Estimate: *p.Cost}, "1", true)}, withinCell(p)}
		}
	}
	return []model.Cell{{}, {}}
}

// meanLabel says over what a mean is.
func meanLabel(m finding.ReplicationMean) string {
	if m.Operation == "" {
		return everyWorkload(m.Workload)
	}
	return everyWorkload(m.Workload) + ", " + m.Operation
}

func everyWorkload(name string) string {
	if name == "" {
		return "all workloads"
	}
	return name
}

// replicationRatios says how much the effect differs.
func replicationRatios(doc *finding.Replication) model.Section {
	s := model.Section{Title: "How much the effect differs: ratios of ratios"}
	for _, metric := range metricsOf(doc.Ratios, func(r finding.ReplicationRatio) string { return r.Metric }) {
		g := model.Grid{Caption: finding.MetricName(metric), Columns: []model.Column{
			{Head: "", Give: true}, {Head: "against", Give: true}, {Head: "on, with", Give: true}, {Head: "operations", Right: true, Drop: 1}, {Head: "ratio", Right: true}, {Head: "(95 %)", Close: true, Drop: 2},
		}}
		for _, r := range doc.Ratios {
			if r.Metric != metric {
				continue
			}
			where := r.Variant
			if r.Between == finding.BetweenVariants {
				where = everyWorkload(r.Workload)
			}
			over, under := r.Over, r.Under
			if r.Between == finding.BetweenVariants {
				over, under = suppressedMarked(doc, over, onWorkload(r.Workload)), suppressedMarked(doc, under, onWorkload(r.Workload))
			} else {
				where = suppressedMarked(doc, where, onWorkload(r.Over, r.Under))
			}
			row := []model.Cell{{Text: over}, {Text: under}, {Text: where}, {Text: fmt.Sprint(r.Operations)}}
			g.Add(append(row, ratioCells(r.Ratio)...)...)
		}
		s.Grids = append(s.Grids, g.DropEmpty())
	}
	return s
}

// metricsOf are the metrics of a list, in their order.
func metricsOf[T any](list []T, of func(T) string) []string {
	var out []string
	seen := map[string]bool{}
	for _, one := range list {
		if name := of(one); !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

func replicationLeft(doc *finding.Replication) model.Section {
	s := model.Section{Title: "Left out"}
	g := model.Grid{Columns: []model.Column{{Head: "workload", Give: true}, {Head: "variant", Give: true}, {Head: "why"}}}
	for _, l := range doc.LeftOut {
		g.Add(model.Texts(l.Workload, l.Variant, l.Reason)...)
	}
	if len(g.Rows) > 0 {
		s.Grids = []model.Grid{g}
	}
	return s
}

// replicationSteps are what each step of tracing adds.
func replicationSteps(doc *finding.Replication) model.Section {
	s := model.Section{Title: "What each step of tracing adds"}
	all := make([]finding.Increment, 0, len(doc.Increments))
	for _, i := range doc.Increments {
		one := i.Increment
		one.Operation = parts.At(one.Operation, one.Parameter)
		if len(doc.Results) > 1 {
			one.Operation = i.Workload + ", " + one.Operation
		}
		all = append(all, one)
	}
	s.Grids = parts.StepGrids(all)
	return s
}
