// The rates that the searches of a replication found: the least that passed in a block, and the
// least that did not.

package replicate

import (
	"cmp"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

func replicationSearches(doc *finding.Replication) model.Section {
	s := model.Section{Title: "The rates that were found"}
	g := model.Grid{Columns: []model.Column{
		{Head: "workload", Give: true}, {Head: "operation", Give: true}, {Head: "variant", Give: true}, {Head: "rate", Right: true}, {Head: "(95 %)", Close: true, Drop: 2},
		{Head: "least that passed", Right: true}, {Head: "did not", Right: true}, {Head: "bound by", Drop: 3}, {Head: "searches", Right: true, Drop: 4},
	}}
	for _, l := range doc.Searches {
		rate, ends := parts.Missing, model.Cell{}
		if l.Rate != nil {
			rate, ends = parts.Interval(*l.Rate, "1/s", false, model.Plain)
			rate.Text = finding.FormatValue(l.Rate.Estimate, "1/s")
		}
		g.Add([]model.Cell{
			{Text: l.Workload}, {Text: parts.At(l.Operation, l.Parameter)}, {Text: l.Variant}, rate, ends,
			{Text: rateText(l.Held)}, {Text: rateText(l.Failed)}, {Text: cmp.Or(l.Binding, finding.Missing)}, {Text: finding.FormatCount(int64(len(l.Outcomes)))},
		}...)
		name := l.Workload + ", " + parts.At(l.Operation, l.Parameter) + ", " + l.Variant + ": "
		if l.Rate == nil {
			s.Notes = append(s.Notes, parts.Faint(name+l.Text)...)
		}
		if l.Below > 0 {
			s.Notes = append(s.Notes, parts.Faint(name+"at "+rateText(l.Held)+" or less a probe did not pass in "+
				finding.FormatCount(int64(l.Below))+" of "+finding.FormatCount(int64(len(l.Outcomes)))+" blocks, whose search passed there later or above it")...)
		}
	}
	if len(g.Rows) == 0 {
		return s
	}
	g.Caption = doc.Searches[0].Goal
	s.Grids = []model.Grid{g.DropEmpty()}
	s.Notes = append(s.Notes, parts.Faint("Each block ends with a highest rate that passed, and a lowest that did not: the least of each over the blocks.")...)
	return s
}

// rateText is a rate, missing where there is none.
func rateText(rate float64) string {
	if rate <= 0 {
		return finding.Missing
	}
	return finding.FormatValue(rate, "1/s")
}
