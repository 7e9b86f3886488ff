// The claims and their verdicts.

package view

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
	"github.com/tracetax/tracetax/lab/study"
)

const claimsTitle = "What was claimed"

// claimNotes returns each claim with its verdict, in sentences.
func claimNotes(doc *study.Replication) []model.Section {
	if len(doc.Claims) == 0 {
		return nil
	}
	s := model.Section{Title: claimsTitle}
	for _, c := range doc.Claims {
		cell := claimCell(c.Kind)
		s.Notes = append(s.Notes, model.Note{Lead: cell.Mark + " " + c.Name + "  ", Text: cell.Text + ": " + c.Said, Tone: cell.Tone})
		if c.Text != "" {
			s.Notes = append(s.Notes, model.Note{Lead: "  ", Text: c.Text, Tone: model.Faint})
		}
	}
	return []model.Section{s}
}

// claimTables returns a row for each claim, and the figures behind it.
func claimTables(doc *study.Replication) []model.Section {
	if len(doc.Claims) == 0 {
		return nil
	}
	g := model.Grid{Columns: []model.Column{{Head: "claim"}, {Head: "in words", Wrap: true}, {Head: "verdict", Badge: true}, {Head: "because", Wrap: true}}}
	s := model.Section{ID: "claims", Title: claimsTitle, Grids: []model.Grid{g}}
	for _, c := range doc.Claims {
		s.Grids[0].Add(model.Cell{Text: c.Name}, model.Cell{Text: c.Text}, claimCell(c.Kind), model.Cell{Text: c.Said})
		if len(c.Figures) > 0 {
			s.Grids = append(s.Grids, claimFigures(c))
		}
	}
	return []model.Section{s}
}

func claimCell(kind study.ClaimKind) model.Cell {
	switch kind {
	case study.Confirmed:
		return model.Cell{Mark: "✓", Text: string(kind), Tone: model.Good}
	case study.Refuted:
		return model.Cell{Mark: "✗", Text: string(kind), Tone: model.Bad}
	}
	return model.Cell{Mark: "?", Text: string(kind), Tone: model.Doubtful}
}

// claimFigures returns a row for each figure behind a claim.
func claimFigures(c study.ClaimResult) model.Grid {
	g := model.Grid{Caption: c.Name, Remark: wording.Counted(len(c.Figures), "figure"), Fold: model.Closed, Columns: []model.Column{
		{Head: "workload"}, {Head: "operation"}, {Head: "variant"}, {Head: "cost", Right: true}, {Head: "(95 %)", Close: true}, {Head: "by itself"}, {Head: "blocks", Right: true}, {Head: "remark"},
	}}
	for _, f := range c.Figures {
		operation := ""
		if f.Operation != "" {
			operation = parts.At(f.Operation, f.Parameter)
		}
		row := append(model.Texts(f.Workload, operation, f.Variant), ratioCells(f.Interval)...)
		g.Add(append(row, model.Texts(holdsText(f.Holds), finding.FormatCount(int64(f.Blocks)), f.Reason.Words())...)...)
	}
	return g.DropEmpty()
}

func holdsText(kind study.ClaimKind) string {
	switch kind {
	case study.Confirmed:
		return "in the range"
	case study.Refuted:
		return "beyond it"
	}
	return "open"
}

// The further tables: means, ratios, and variants that are not ranked or left out.

func replicationLossy(doc *study.Replication) model.Section {
	g := model.Grid{Columns: append([]model.Column{{Head: "workload", Give: true}}, parts.LostColumns()...)}
	for _, l := range doc.Lossy {
		g.Add(append([]model.Cell{{Text: l.Workload}}, parts.LostCells(l.Lossy)...)...)
	}
	s := parts.LostSection(g)
	s.Depth = model.Shown
	return s
}

func replicationMeans(doc *study.Replication) model.Section {
	s := model.Section{Title: "Means over operations"}
	for _, metric := range metricsOf(doc.Means, func(m study.Mean) string { return m.Metric }) {
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

// operationsOf returns the number of operations of a mean: "2 of 4" if it lacks some.
func operationsOf(m study.Mean) string {
	if len(m.Without) == 0 {
		return fmt.Sprint(m.Operations)
	}
	return fmt.Sprintf("%d of %d", m.Operations, m.Operations+len(m.Without))
}

// publishedMeanCells returns a series' mean cost over all operations, and whether our interval
// contains it; empty if none was published.
func publishedMeanCells(series int, published []study.PublishedFigure) []model.Cell {
	for _, p := range published {
		if p.Series == series && p.Cost != nil {
			return []model.Cell{{Text: finding.FormatInterval(finding.Interval{Estimate: *p.Cost}, "1", true)}, withinCell(p)}
		}
	}
	return []model.Cell{{}, {}}
}

// meanLabel names the operation or workload of a mean.
func meanLabel(m study.Mean) string {
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

// replicationRatios shows ratios of effects.
func replicationRatios(doc *study.Replication) model.Section {
	s := model.Section{Title: "How much the effect differs: ratios of ratios"}
	for _, metric := range metricsOf(doc.Ratios, func(r study.Ratio) string { return r.Metric }) {
		g := model.Grid{Caption: finding.MetricName(metric), Columns: []model.Column{
			{Head: "", Give: true}, {Head: "against", Give: true}, {Head: "on, with", Give: true}, {Head: "operations", Right: true, Drop: 1}, {Head: "ratio", Right: true}, {Head: "(95 %)", Close: true, Drop: 2},
		}}
		for _, r := range doc.Ratios {
			if r.Metric != metric {
				continue
			}
			where := r.Variant
			if r.Between == study.BetweenVariants {
				where = everyWorkload(r.Workload)
			}
			over, under := r.Over, r.Under
			if r.Between == study.BetweenVariants {
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

// metricsOf returns the metrics of a list, each once, in order.
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

func replicationLeft(doc *study.Replication) model.Section {
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

// replicationSteps shows the cost that each step of tracing adds.
func replicationSteps(doc *study.Replication) model.Section {
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
