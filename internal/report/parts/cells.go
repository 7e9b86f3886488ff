// Figures as cells of a table.

package parts

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

// Shown is what answers and, apart from it, its interval: the ratio, or the difference
// where there is none or it says nothing, so that no verdict is without a figure.
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
	size, between := finding.FormatApart(i, unit, relative)
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
	return model.Cell{Mark: VerdictMark(f.Verdict.ShownKind(f.ByRatio())), Text: badge(f), Tone: ToneOf(f.Verdict.ShownKind(f.ByRatio()))}
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

// Value is a value, missing where nothing was measured.
func Value(f *finding.Finding, v float64) string {
	if f.Blocks == 0 {
		return finding.Missing
	}
	return finding.FormatValue(v, f.Unit)
}

// Counted is a number with its noun: "1 block", "2 blocks".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return finding.FormatCount(int64(n)) + " " + noun + "s"
}
