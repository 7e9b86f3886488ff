// The orders of the variants in a study, ours beside the published.

package report

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// studyRankings are the orders of the variants, ours beside the published.
func studyRankings(doc *finding.Study) studySection {
	s := studySection{title: "The order of the variants, the cheapest first"}
	for _, r := range doc.Rankings {
		g := grid{caption: visible(r.Workload + ", " + cellLabel(r.Operation, r.Parameter) + ": " + finding.MetricName(r.Metric)), remark: tauText(doc, r), columns: []column{
			{head: "", right: true}, {head: "variant", give: true}, {head: "cost", right: true}, {head: "(95 %)", close: true, drop: 2}, {head: "alike"},
		}}
		for i := range doc.Series {
			g.columns = append(g.columns, column{head: seriesHead(doc, i), right: true})
		}
		unit, relative := studyUnit(doc, r)
		for _, p := range r.Places {
			row := []textCell{{text: fmt.Sprint(p.Rank)}, {text: visible(unsentMarked(doc, p.Variant, inRanking(r)))}}
			if p.Cost == nil {
				row = append(row, textCell{text: finding.Missing}, textCell{})
			} else {
				estimate, ends := intervalCells(*p.Cost, unit, relative, plain)
				row = append(row, estimate, ends)
			}
			row = append(row, textCell{text: p.Groups})
			for i := range doc.Series {
				text := ""
				if i < len(p.Published) && p.Published[i] > 0 {
					text = fmt.Sprint(p.Published[i])
				}
				row = append(row, textCell{text: text})
			}
			g.rows = append(g.rows, row)
		}
		s.grids = append(s.grids, dropEmpty(g))
		for _, text := range r.Swapped {
			s.notes = append(s.notes, r.Workload+", "+cellLabel(r.Operation, r.Parameter)+": "+text)
		}
	}
	return s
}

// studyUnit is the unit of a ranking's costs, and whether they are ratios.
func studyUnit(doc *finding.Study, r finding.Ranking) (unit string, relative bool) {
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

func tauText(doc *finding.Study, r finding.Ranking) string {
	var parts []string
	for _, t := range r.Taus {
		tau := strings.Replace(fmt.Sprintf("%.2f", t.Tau), "-", "−", 1)
		parts = append(parts, fmt.Sprintf("Kendall's τ %s with %s over %d variants", tau, visible(doc.Series[t.Series].Name), t.Variants))
	}
	return strings.Join(parts, "; ")
}
