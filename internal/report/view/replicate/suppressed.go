// Which variants of a replication suppressed spans by a limit of their tracer's own, and the mark
// of their figures.

package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

func replicationSuppressed(doc *finding.Replication) model.Section {
	s := model.Section{Title: "Spans suppressed by the tracer's own limit"}
	g := model.Grid{Columns: []model.Column{{Head: "workload", Give: true}, {Head: "operation", Give: true}, {Head: "variant", Give: true}, {Head: "suppressed", Right: true}, {Head: "spans", Right: true, Drop: 1}}}
	for _, u := range doc.Suppressed {
		g.Add([]model.Cell{
			{Text: u.Workload}, {Text: parts.At(u.Operation, u.Parameter)}, {Text: u.Variant},
			{Text: finding.FormatValue(u.Share, "1"), Tone: model.Doubtful}, {Text: finding.FormatCount(u.Spans)},
		}...)
	}
	if len(g.Rows) > 0 {
		s.Grids = []model.Grid{g}
		s.Notes = parts.Faint("Nothing of them is lost; but what a variant costs that does not send them is the cost of less work than sending them all.")
	}
	return s
}

// suppressedMarked is a variant's name, with a mark where its tracer suppressed spans on any operation
// that passes.
func suppressedMarked(doc *finding.Replication, variant string, pass func(finding.ReplicationSuppressed) bool) string {
	if slices.ContainsFunc(doc.Suppressed, func(u finding.ReplicationSuppressed) bool { return u.Variant == variant && pass(u) }) {
		return variant + " " + parts.SuppressedMark
	}
	return variant
}

// onWorkload passes the operations of some workloads; of no name, of all.
func onWorkload(names ...string) func(finding.ReplicationSuppressed) bool {
	return func(u finding.ReplicationSuppressed) bool {
		return slices.Contains(names, u.Workload) || slices.Contains(names, "")
	}
}

// inMean passes the operations that a mean is of.
func inMean(m finding.ReplicationMean) func(finding.ReplicationSuppressed) bool {
	return func(u finding.ReplicationSuppressed) bool {
		return slices.Contains(m.Cells, u.Workload+", "+u.Operation)
	}
}

// inRanking passes the operation that an order is of.
func inRanking(r finding.Ranking) func(finding.ReplicationSuppressed) bool {
	return func(u finding.ReplicationSuppressed) bool {
		return u.Workload == r.Workload && parts.At(u.Operation, u.Parameter) == parts.At(r.Operation, r.Parameter)
	}
}
