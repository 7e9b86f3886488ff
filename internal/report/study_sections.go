// The tables of a study, made once for every form in which it is shown.

package report

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// studySection is a part of a study: its tables, and what is to be known of them.
type studySection struct {
	id    string // of the section of a page, to be linked to; "" for none
	title string
	grids []grid
	notes []string
}

// studySections are the parts that have something to show.
func studySections(doc *finding.Study) []studySection {
	all := []studySection{
		studyTables(doc), studySearches(doc), studyRankings(doc), studyLossy(doc), studyUnsent(doc), studyMeans(doc), studyRatios(doc), studySteps(doc), studyLeft(doc),
	}
	return slices.DeleteFunc(all, func(s studySection) bool { return len(s.grids) == 0 })
}

// studyTables are the measured figures beside the published ones.
func studyTables(doc *finding.Study) studySection {
	s := studySection{title: "What was measured, beside what was published"}
	if len(doc.Series) == 0 {
		s.title = "What was measured"
	}
	type place struct {
		workload string
		side     *side
	}
	shown := map[place]bool{}
	for _, t := range doc.Tables {
		with := sideOfMetric(t.Metric)
		if with == nil {
			s.grids = append(s.grids, studyTable(doc, t))
		} else if at := (place{t.Workload, with}); !shown[at] {
			shown[at] = true
			s.grids = append(s.grids, sideTable(doc, t.Workload, with))
		}
	}
	if anyRow(doc, func(r finding.StudyCell) bool { return r.Lossy }) {
		s.notes = append(s.notes, lossyMark+" lost over 1 % of its spans: listed apart, in no order")
	}
	if anyRow(doc, func(r finding.StudyCell) bool { return !r.Lossy && r.Unsent > 0 }) {
		s.notes = append(s.notes, unsentText)
	}
	return s
}

// anyRow reports whether a row of the tables is so.
func anyRow(doc *finding.Study, is func(finding.StudyCell) bool) bool {
	return slices.ContainsFunc(doc.Tables, func(t finding.StudyTable) bool { return slices.ContainsFunc(t.Rows, is) })
}

func variantMark(r finding.StudyCell) string {
	switch {
	case r.Lossy:
		return r.Variant + " " + lossyMark
	case r.Unsent > 0:
		return r.Variant + " " + unsentMark
	}
	return r.Variant
}

func studyTable(doc *finding.Study, t finding.StudyTable) grid {
	g := grid{caption: visible(t.Workload + ": " + finding.MetricName(t.Metric)), columns: []column{
		{head: "operation", give: true}, {head: "variant", give: true}, {head: "value", right: true},
		{head: "cost", right: true}, {head: "(95 %)", close: true, drop: 2},
	}}
	for i := range doc.Series {
		if !slices.ContainsFunc(t.Rows, func(r finding.StudyCell) bool { return publishedOf(r, i) != nil }) {
			continue
		}
		g.columns = append(g.columns, column{head: seriesHead(doc, i), right: true}, column{head: "its cost", right: true, drop: 1}, column{head: "within", close: true, drop: 1})
	}
	g.columns = append(g.columns, column{head: "remark", drop: 3})
	last := ""
	for _, r := range t.Rows {
		at := cellLabel(r.Operation, r.Parameter)
		row := []textCell{{text: visible(at), style: bold}, {text: visible(variantMark(r))}, {text: shownEstimate(r.Value, t.Unit)}}
		if at == last {
			row[0].text = ""
		}
		last = at
		row = append(row, costCells(r, t)...)
		for i := range doc.Series {
			if slices.ContainsFunc(t.Rows, func(r finding.StudyCell) bool { return publishedOf(r, i) != nil }) {
				row = append(row, publishedCells(publishedOf(r, i), t.Unit)...)
			}
		}
		g.rows = append(g.rows, append(row, textCell{visible(reasonText(r.Reason)), dim}))
	}
	return dropEmpty(g)
}

// cellLabel is an operation at its level.
func cellLabel(operation string, parameter map[string]string) string {
	return (&group{operation: operation, parameter: parameterText(parameter)}).title()
}

func publishedOf(r finding.StudyCell, series int) *finding.PublishedCell {
	for i := range r.Published {
		if r.Published[i].Series == series {
			return &r.Published[i]
		}
	}
	return nil
}

func shownEstimate(i *finding.Interval, unit string) string {
	if i == nil {
		return finding.Missing
	}
	return finding.FormatValue(i.Estimate, unit)
}

// costCells are the cost over the baseline: as a ratio where there is one.
func costCells(r finding.StudyCell, t finding.StudyTable) []textCell {
	switch {
	case r.Variant == t.Baseline:
		return make([]textCell, 2)
	case r.Cost != nil && !t.Amount:
		estimate, ends := intervalCells(*r.Cost, t.Unit, true, plain)
		return []textCell{estimate, ends}
	case r.Added != nil:
		estimate, ends := intervalCells(*r.Added, t.Unit, false, plain)
		return []textCell{estimate, ends}
	}
	return make([]textCell, 2)
}

func publishedCells(p *finding.PublishedCell, unit string) []textCell {
	if p == nil {
		return make([]textCell, 3)
	}
	cells := []textCell{{text: finding.FormatValue(p.Value, unit)}, {}, {}}
	if p.Spread > 0 {
		cells[0].text += " ± " + finding.FormatValue(p.Spread, unit)
	}
	switch {
	case p.Cost != nil:
		cells[1].text = finding.FormatInterval(finding.Interval{Estimate: *p.Cost}, "1", true)
	case p.Added != nil:
		cells[1].text = finding.FormatInterval(finding.Interval{Estimate: *p.Added}, unit, false)
	}
	cells[2] = withinCell(*p)
	return cells
}

// withinCell says whether a published cost lies in our interval; empty where it cannot be
// said.
func withinCell(p finding.PublishedCell) textCell {
	switch {
	case p.Within == nil:
		return textCell{}
	case *p.Within:
		return textCell{"yes", green}
	}
	return textCell{"no", dim}
}

// reasonText is a reason in words; "" where there is none.
func reasonText(r *finding.Reason) string {
	if r == nil {
		return ""
	}
	return r.Text
}
