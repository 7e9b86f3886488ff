// Package data owns the forms of a document for other programs: JSON, CSV, the Go benchmark format, and what dashboards
// read. Figures are unrounded. It must not know how anything is shown to a person.
package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/sheet"
)

// JSON writes the document, indented.
func JSON(w io.Writer, doc *finding.Document) error { return Indented(w, doc, "the findings") }

// ComparisonJSON writes the comparison, indented.
func ComparisonJSON(w io.Writer, doc *finding.Comparison) error {
	return Indented(w, doc, "the comparison")
}

// Indented writes any document as JSON, indented; what names it in an error.
func Indented(w io.Writer, doc any, what string) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}

// ErrOlder is why findings that an earlier tracetax wrote are not read: they say in sentences what codes say now, or call
// something else by its name.
var ErrOlder = errors.New("older than this tracetax reads")

// Read reads a document that JSON wrote. It refuses one of another schema.
func Read(r io.Reader) (*finding.Document, error) {
	var doc finding.Document
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading findings: %w", err)
	}
	if doc.Schema > finding.Schema {
		return nil, fmt.Errorf("reading findings: schema %d is newer than %d, the newest that this tracetax knows: use a newer tracetax", doc.Schema, finding.Schema)
	}
	if doc.Schema < 1 {
		return nil, fmt.Errorf("reading findings: no schema version: is this a findings.json of tracetax?")
	}
	if doc.Schema < finding.Schema {
		return nil, fmt.Errorf("reading findings: schema %d is %w, %d: read them with the tracetax that wrote them, or make them again", doc.Schema, ErrOlder, finding.Schema)
	}
	if doc.Summary == "" { // once it was written as full_summary
		return nil, fmt.Errorf("reading findings: they have no summary, and are %w", ErrOlder)
	}
	return &doc, nil
}

// Findings as CSV, in the long format that R, pandas and spreadsheets take.

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
	return sheet.Write(w, "the findings", rows)
}

// SamplesCSV writes one row per finding and block: what the intervals rest on.
func SamplesCSV(w io.Writer, doc *finding.Document) error {
	rows := [][]string{append(append([]string{}, keyColumns...), "block", "baseline", "value", "service")}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		for _, s := range f.Samples {
			rows = append(rows, append(key(doc, f), strconv.Itoa(s.Block), sheet.Number(s.Baseline), sheet.Number(s.Value), sheet.Text(f.Service)))
		}
	}
	return sheet.Write(w, "the findings", rows)
}

func key(doc *finding.Document, f *finding.Finding) []string {
	return []string{
		sheet.Text(doc.Experiment.Workload), sheet.Text(f.Operation), sheet.Text(parameterText(f.Parameter)),
		sheet.Text(f.Variant), sheet.Text(f.Against), sheet.Text(f.Metric), sheet.Text(f.Role), sheet.Text(f.Unit), sheet.Text(f.Better),
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
		sheet.Text(string(f.Verdict.Kind)), sheet.Text(f.Verdict.Text), sheet.Optional(f.Verdict.Low), sheet.Optional(f.Verdict.High),
		sheet.Optional(f.Verdict.Budget), more, sheet.Text(f.Note), strconv.FormatBool(f.Verdict.Joint), strconv.FormatBool(f.Amount), sheet.Text(f.Service))
}

// number is a figure, unrounded; empty where it is unknown.
func number(v finding.Number) string {
	if !v.Known() {
		return ""
	}
	return sheet.Number(float64(v))
}

func interval(i *finding.Interval) []string {
	if i == nil {
		return []string{"", "", ""}
	}
	return []string{sheet.Number(i.Estimate), sheet.Optional(i.Low), sheet.Optional(i.High)}
}

// parameterText is a parameter as "depth=8, threads=2", its keys sorted.
func parameterText(p map[string]string) string { return cell.LevelOf(p).Join("=", ", ") }

// operationName names an operation; the whole run has a name too.
func operationName(operation string) string { return cell.At{Operation: operation}.Title() }
