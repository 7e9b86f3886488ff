// Figures as cells of a table.

package parts

import (
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/wording"
)

// Shown is what answers and, apart from it, its interval: the ratio, or the difference
// where there is none or it says nothing, so no verdict is without a figure.
func Shown(f *finding.Finding) (estimate, ends model.Cell) {
	i := f.Shown()
	if i == nil {
		return Missing, model.Cell{}
	}
	return Interval(*i, f.Unit, f.ByRatio(), ToneOf(f.Verdict.ShownKind(f.ByRatio())))
}

// Missing stands where a figure could, and is none.
var Missing = model.Cell{Text: finding.Missing, Tone: model.Faint}

// Interval is an estimate and, apart from it, its interval.
func Interval(i finding.Interval, unit string, relative bool, tone model.Tone) (estimate, ends model.Cell) {
	size, between := finding.FormatParts(i, unit, relative)
	if i.Estimate > 0 && size != finding.Missing {
		size = "+" + size
	}
	if between != "" {
		ends = model.Cell{Text: between, Tone: model.Faint}
	}
	return model.Cell{Text: size, Tone: tone}, ends
}

// BadgeCell is a verdict where there is little room.
func BadgeCell(f *finding.Finding) model.Cell {
	return model.Cell{Mark: VerdictMark(f.Verdict.ShownKind(f.ByRatio())), Text: wording.Badge(f), Tone: ToneOf(f.Verdict.ShownKind(f.ByRatio()))}
}

// ValueCells is a value and the mark of its verdict.
func ValueCells(f *finding.Finding) []model.Cell {
	if f == nil {
		return []model.Cell{Missing, {}}
	}
	return []model.Cell{{Text: Value(f, f.Value)}, {Text: VerdictMark(f.Verdict.ShownKind(f.ByRatio())), Tone: ToneOf(f.Verdict.ShownKind(f.ByRatio()))}}
}

// IntervalText is an interval in one text, missing where there is none.
func IntervalText(i *finding.Interval, unit string, relative bool) string {
	if i == nil {
		return finding.Missing
	}
	return finding.FormatInterval(*i, unit, relative)
}

// DifferenceText is the absolute difference without its interval.
func DifferenceText(f *finding.Finding) string {
	if f.Absolute == nil {
		return finding.Missing
	}
	return finding.FormatEstimate(*f.Absolute, f.Unit, false)
}

// Seconds is a time, or what stands for one that is unknown.
func Seconds(v finding.Number) string {
	if !v.Known() {
		return finding.Missing
	}
	return finding.FormatValue(float64(v), "s")
}

// Value is a value, missing where it is unknown. Older results have zeros where no block tells.
func Value(f *finding.Finding, v finding.Number) string {
	if !v.Known() || f.Blocks == 0 && v == 0 {
		return finding.Missing
	}
	return finding.FormatValue(float64(v), f.Unit)
}

// What metrics, operations and levels are called, and in which order a reader wants them.

// Rank is the place of a metric in the order; unknown ones come last.
func Rank(name string) int { return metric.Rank(name) }

// IsMain reports whether the short table shows the finding: the metrics that
// people decide by, over all roles.
func IsMain(f *finding.Finding) bool {
	if f.Headline {
		return true
	}
	row, _ := metric.Of(f.Metric)
	return f.Role == "" && row.Main
}

// Label is the finding's metric and role for a reader.
func Label(f *finding.Finding) string {
	switch {
	case f.Role == "":
		return finding.MetricName(f.Metric)
	case f.Service != "":
		return finding.MetricName(f.Metric) + ", " + f.Service + " (" + f.Role + ")"
	}
	return finding.MetricName(f.Metric) + ", " + f.Role
}

// IsSpare reports whether a metric goes first where there is little room.
func IsSpare(name string) bool {
	row, _ := metric.Of(name)
	return row.Spare
}

// Operation names an operation; "" stands for the whole run.
func Operation(operation string) string {
	if operation == "" {
		return "whole run"
	}
	return operation
}

// At is an operation at its level.
func At(operation string, parameter map[string]string) string {
	name := Operation(operation)
	if level := Parameter(parameter); level != "" {
		name += ", " + level
	}
	return name
}

// Parameter is a parameter as "depth=8, threads=2", its keys sorted.
func Parameter(p map[string]string) string { return cell.LevelOf(p).Join("=", ", ") }

// The marks of variants that did less than the others: they lost spans, suppressed them, or
// sent none at all.

// The marks, and what they say.
const (
	LossyMark      = "†"
	SuppressedMark = "‡"
	UntracedMark   = "∅"

	LossyText      = LossyMark + " lost over 1 % of its spans: what it costs is the cost of less work."
	SuppressedText = SuppressedMark + " suppressed over 1 % of its spans by the tracer's own limit: it does less than a variant that sends them all."

	UntracedText = UntracedMark + " no span came: what it costs here is not the overhead of tracing."
)

// The table of the variants that lost too many spans to be ranked, of a result and of a
// replication.

// LostColumns and LostCells make a row for a variant that is excluded from the ranking.
func LostColumns() []model.Column {
	return []model.Column{
		{Head: "operation", Give: true}, {Head: "variant", Give: true}, {Head: "lost", Right: true},
		{Head: "costs", Right: true, Drop: 2}, {Head: "(95 %)", Close: true, Drop: 3}, {Head: "of", Drop: 3}, {Head: "where", Drop: 1},
	}
}

func LostCells(l finding.Lossy) []model.Cell {
	row := []model.Cell{{Text: At(l.Operation, l.Parameter)}, {Text: l.Variant}, {Text: finding.FormatValue(l.LostShare, "1"), Tone: model.Doubtful}, {}, {}, {}, {Text: wording.Places(l.Where)}}
	if len(l.Where) == 1 && finding.FormatValue(l.Where[0].Share, "1") == row[2].Text { // which says how many
		row[6].Text = wording.Place(l.Where[0].Place)
	}
	switch {
	case l.Cost != nil:
		row[3], row[4] = Interval(*l.Cost, "1", true, model.Plain)
	case l.Added != nil:
		row[3], row[4] = Interval(*l.Added, l.Unit, false, model.Plain)
	default:
		return row
	}
	row[5].Text = finding.MetricName(l.Metric)
	return row
}

// LostTable has a row for each variant that is excluded from the ranking.
func LostTable(lossy []finding.Lossy) model.Grid {
	table := model.Grid{Columns: LostColumns()}
	for _, l := range lossy {
		table.Add(LostCells(l)...)
	}
	return table
}

// LostSection has the table of variants that are excluded from the ranking, if any, with the meaning of their costs.
func LostSection(apart model.Grid) model.Section {
	s := model.Section{ID: "apart", Title: "Excluded from the ranking: variants that lost spans", Depth: model.Folded}
	if len(apart.Rows) == 0 {
		return s
	}
	shown := apart.DropEmpty()
	s.Grids = []model.Grid{shown}
	if slices.ContainsFunc(shown.Columns, func(c model.Column) bool { return c.Head == "costs" }) {
		s.Notes = Faint("The costs are lower bounds: with all of its spans sent, a variant costs at least as much.")
	}
	return s
}
