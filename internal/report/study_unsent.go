// Which variants of a study did not send spans by a limit of their tracer's own, and the mark
// of their figures.

package report

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

func studyUnsent(doc *finding.Study) studySection {
	s := studySection{title: "Spans that were not sent, by a limit of the tracer's own"}
	g := grid{columns: []column{{head: "workload", give: true}, {head: "operation", give: true}, {head: "variant", give: true}, {head: "not sent", right: true}, {head: "spans", right: true, drop: 1}}}
	for _, u := range doc.Unsent {
		g.rows = append(g.rows, []textCell{
			{text: visible(u.Workload)}, {text: visible(cellLabel(u.Operation, u.Parameter))}, {text: visible(u.Variant)},
			{finding.FormatValue(u.Share, "1"), yellow}, {text: finding.FormatCount(u.Spans)},
		})
	}
	if len(g.rows) > 0 {
		s.grids = []grid{g}
		s.notes = []string{"Nothing of them is lost; but what a variant costs that does not send them is the cost of less work than sending them all."}
	}
	return s
}

// unsentMarked is a variant's name, with a mark where it held back spans on any operation
// that passes.
func unsentMarked(doc *finding.Study, variant string, pass func(finding.StudyUnsent) bool) string {
	if slices.ContainsFunc(doc.Unsent, func(u finding.StudyUnsent) bool { return u.Variant == variant && pass(u) }) {
		return variant + " " + unsentMark
	}
	return variant
}

// onWorkload passes the operations of some workloads; of no name, of all.
func onWorkload(names ...string) func(finding.StudyUnsent) bool {
	return func(u finding.StudyUnsent) bool {
		return slices.Contains(names, u.Workload) || slices.Contains(names, "")
	}
}

// inMean passes the operations that a mean is of.
func inMean(m finding.StudyMean) func(finding.StudyUnsent) bool {
	return func(u finding.StudyUnsent) bool { return slices.Contains(m.Cells, u.Workload+", "+u.Operation) }
}

// inRanking passes the operation that an order is of.
func inRanking(r finding.Ranking) func(finding.StudyUnsent) bool {
	return func(u finding.StudyUnsent) bool {
		return u.Workload == r.Workload && cellLabel(u.Operation, u.Parameter) == cellLabel(r.Operation, r.Parameter)
	}
}
