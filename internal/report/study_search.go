// The rates that the searches of a study found: the least that passed in a block, and the
// least that did not.

package report

import (
	"cmp"

	"github.com/tracetax/tracetax/internal/finding"
)

func studySearches(doc *finding.Study) studySection {
	s := studySection{title: "The rates that were found"}
	g := grid{columns: []column{
		{head: "workload", give: true}, {head: "operation", give: true}, {head: "variant", give: true}, {head: "rate", right: true}, {head: "(95 %)", close: true, drop: 2},
		{head: "least that passed", right: true}, {head: "did not", right: true}, {head: "bound by", drop: 3}, {head: "searches", right: true, drop: 4},
	}}
	for _, l := range doc.Searches {
		rate, ends := textCell{text: finding.Missing, style: dim}, textCell{}
		if l.Rate != nil {
			rate, ends = intervalCells(*l.Rate, "1/s", false, plain)
			rate.text = finding.FormatValue(l.Rate.Estimate, "1/s")
		}
		g.rows = append(g.rows, []textCell{
			{text: visible(l.Workload)}, {text: visible(cellLabel(l.Operation, l.Parameter))}, {text: visible(l.Variant)}, rate, ends,
			{text: rateText(l.Held)}, {text: rateText(l.Failed)}, {text: cmp.Or(visible(l.Binding), finding.Missing)}, {text: finding.FormatCount(int64(len(l.Outcomes)))},
		})
		name := l.Workload + ", " + cellLabel(l.Operation, l.Parameter) + ", " + l.Variant + ": "
		if l.Rate == nil {
			s.notes = append(s.notes, name+l.Text)
		}
		if l.Below > 0 {
			s.notes = append(s.notes, name+"at "+rateText(l.Held)+" or less a probe did not pass in "+
				finding.FormatCount(int64(l.Below))+" of "+finding.FormatCount(int64(len(l.Outcomes)))+" blocks, whose search passed there later or above it")
		}
	}
	if len(g.rows) == 0 {
		return s
	}
	g.caption = visible(doc.Searches[0].Goal)
	s.grids = []grid{dropEmpty(g)}
	s.notes = append(s.notes, "Each block ends with a highest rate that passed, and a lowest that did not: the least of each over the blocks.")
	return s
}

// rateText is a rate, missing where there is none.
func rateText(rate float64) string {
	if rate <= 0 {
		return finding.Missing
	}
	return finding.FormatValue(rate, "1/s")
}
