// Findings as CSV, in the long format that R, pandas and spreadsheets take.

package data

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// keyColumns say what a row is about; both tables begin with them.
var keyColumns = []string{"workload", "operation", "parameter", "variant", "against", "metric", "role", "unit", "better"}

var findingColumns = []string{
	"baseline", "value",
	"absolute", "absolute_low", "absolute_high",
	"relative", "relative_low", "relative_high",
	"blocks", "headline", "verdict", "verdict_text", "verdict_low", "verdict_high", "budget", "more_blocks", "note", "joint", "amount", "service",
}

// CSV writes one row per finding. A cell is empty where there is no figure.
// Figures are in the finding's unit and unrounded.
func CSV(w io.Writer, doc *finding.Document) error {
	rows := [][]string{append(append([]string{}, keyColumns...), findingColumns...)}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		rows = append(rows, append(key(doc, f), figures(f)...))
	}
	return writeCSV(w, rows)
}

// SamplesCSV writes one row per finding and block: what the intervals rest on.
func SamplesCSV(w io.Writer, doc *finding.Document) error {
	rows := [][]string{append(append([]string{}, keyColumns...), "block", "baseline", "value", "service")}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		for _, s := range f.Samples {
			rows = append(rows, append(key(doc, f), strconv.Itoa(s.Block), number(s.Baseline), number(s.Value), csvCell(f.Service)))
		}
	}
	return writeCSV(w, rows)
}

func writeCSV(w io.Writer, rows [][]string) error {
	if err := csv.NewWriter(w).WriteAll(rows); err != nil {
		return fmt.Errorf("writing the findings as CSV: %w", err)
	}
	return nil
}

func key(doc *finding.Document, f *finding.Finding) []string {
	return []string{
		csvCell(doc.Experiment.Workload), csvCell(f.Operation), csvCell(parameterText(f.Parameter)),
		csvCell(f.Variant), csvCell(f.Against), csvCell(f.Metric), csvCell(f.Role), f.Unit, f.Better,
	}
}

func figures(f *finding.Finding) []string {
	row := []string{number(f.Baseline), number(f.Value)}
	row = append(row, interval(f.Absolute)...)
	row = append(row, interval(f.Relative)...)
	more := ""
	if f.Verdict.MoreBlocks > 0 {
		more = strconv.Itoa(f.Verdict.MoreBlocks)
	}
	return append(row, strconv.Itoa(f.Blocks), strconv.FormatBool(f.Headline),
		string(f.Verdict.Kind), csvCell(f.Verdict.Text), optional(f.Verdict.Low), optional(f.Verdict.High),
		optional(f.Verdict.Budget), more, csvCell(f.Note), strconv.FormatBool(f.Verdict.Joint), strconv.FormatBool(f.Amount), csvCell(f.Service))
}

func interval(i *finding.Interval) []string {
	if i == nil {
		return []string{"", "", ""}
	}
	return []string{number(i.Estimate), optional(i.Low), optional(i.High)}
}

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// csvCell keeps a spreadsheet from taking a name for a formula: names come from
// experiment files and from programs, and the file is opened by somebody else.
func csvCell(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r':
		return "'" + s
	}
	return s
}

// parameterText is a parameter as "depth=8, threads=2", its keys sorted.
func parameterText(p map[string]string) string { return cell.LevelOf(p).Join("=", ", ") }

// operationName names an operation; the whole run has a name too.
func operationName(operation string) string { return cell.At{Operation: operation}.Title() }
