// The orders of the variants in a replication, ours beside the published.

package replicate

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// replicationRankings are the orders of the variants, ours beside the published.
func replicationRankings(doc *finding.Replication) model.Section {
	s := model.Section{Title: "The order of the variants, the cheapest first"}
	for _, r := range doc.Rankings {
		g := model.Grid{Caption: r.Workload + ", " + parts.At(r.Operation, r.Parameter) + ": " + finding.MetricName(r.Metric), Remark: tauText(doc, r), Columns: []model.Column{
			{Head: "", Right: true}, {Head: "variant", Give: true}, {Head: "cost", Right: true}, {Head: "(95 %)", Close: true, Drop: 2}, {Head: "alike"},
		}}
		for i := range doc.Series {
			g.Columns = append(g.Columns, model.Column{Head: seriesHead(doc, i), Right: true})
		}
		unit, relative := replicationUnit(doc, r)
		for _, p := range r.Places {
			row := []model.Cell{{Text: fmt.Sprint(p.Rank)}, {Text: suppressedMarked(doc, p.Variant, inRanking(r))}}
			if p.Cost == nil {
				row = append(row, model.Cell{Text: finding.Missing}, model.Cell{})
			} else {
				estimate, ends := parts.Interval(*p.Cost, unit, relative, model.Plain)
				row = append(row, estimate, ends)
			}
			row = append(row, model.Cell{Text: p.Groups})
			for i := range doc.Series {
				text := ""
				if i < len(p.Published) && p.Published[i] > 0 {
					text = fmt.Sprint(p.Published[i])
				}
				row = append(row, model.Cell{Text: text})
			}
			g.Add(row...)
		}
		s.Grids = append(s.Grids, g.DropEmpty())
		for _, text := range r.Swapped {
			s.Notes = append(s.Notes, parts.Faint(r.Workload+", "+parts.At(r.Operation, r.Parameter)+": "+text)...)
		}
	}
	return s
}

// replicationUnit is the unit of a ranking's costs, and whether they are ratios.
func replicationUnit(doc *finding.Replication, r finding.Ranking) (unit string, relative bool) {
	for _, t := range doc.Tables {
		if t.Metric != r.Metric || t.Workload != r.Workload {
			continue
		}
		for _, row := range t.Rows {
			if row.Variant != t.Baseline && row.Operation == r.Operation {
				return t.Unit, row.Cost != nil && !t.Amount
			}
		}
	}
	return "1", true
}

func tauText(doc *finding.Replication, r finding.Ranking) string {
	var pieces []string
	for _, t := range r.Taus {
		tau := strings.Replace(fmt.Sprintf("%.2f", t.Tau), "-", "−", 1)
		pieces = append(pieces, fmt.Sprintf("Kendall's τ %s with %s over %d variants", tau, doc.Series[t.Series].Name, t.Variants))
	}
	return strings.Join(pieces, "; ")
}
