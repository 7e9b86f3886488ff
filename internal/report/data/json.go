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
func JSON(w io.Writer, doc *finding.Document) error { return write(w, doc, "the findings") }

// ComparisonJSON writes the comparison, indented.
func ComparisonJSON(w io.Writer, doc *finding.Comparison) error {
	return write(w, doc, "the comparison")
}

// ReplicationJSON writes the replication, indented.
func ReplicationJSON(w io.Writer, doc *finding.Replication) error {
	return write(w, doc, "the replication")
}

func write(w io.Writer, doc any, what string) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}

// ErrOlder is why findings that an earlier tracetax wrote are not read: they say in sentences what codes say now.
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
	row := []string{sheet.Number(f.Baseline), sheet.Number(f.Value)}
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

// A replication as CSV: a row for each measured figure, with what was published of it.

// ReplicationCSV writes one row for each cell of the tables; one for each series where several
// were published; and two for the searches of a variant, passing_rate and failing_rate, the least
// over the blocks (see finding.Search). Figures are in the metric's unit and unrounded.
func ReplicationCSV(w io.Writer, doc *finding.Replication) error {
	rows := [][]string{{
		"workload", "operation", "parameter", "variant", "metric", "unit", "better", "value", "value_low", "value_high", "cost", "cost_low", "cost_high",
		"added", "added_low", "added_high", "blocks", "lossy", "suppressed", "reason", "series", "published", "published_spread", "published_cost", "published_added", "within",
	}}
	for _, t := range doc.Tables {
		for _, r := range t.Rows {
			row := []string{sheet.Text(t.Workload), sheet.Text(r.Operation), sheet.Text(parameterText(r.Parameter)), sheet.Text(r.Variant), sheet.Text(t.Metric), sheet.Text(t.Unit), sheet.Text(t.Better)}
			for _, i := range []*finding.Interval{r.Value, r.Cost, r.Added} {
				row = append(row, endsOf(i)...)
			}
			row = append(row, strconv.Itoa(r.Blocks), strconv.FormatBool(r.Lossy), suppressedNumber(r.Suppressed), sheet.Text(r.Reason.Words()))
			if len(r.Published) == 0 {
				rows = append(rows, append(row, make([]string, 6)...))
			}
			for _, p := range r.Published {
				one := append([]string{}, row...)
				one = append(one, sheet.Text(doc.Series[p.Series].Name), sheet.Number(p.Value), "", "", "", "")
				if p.Spread != 0 {
					one[len(one)-4] = sheet.Number(p.Spread)
				}
				if p.Cost != nil {
					one[len(one)-3] = sheet.Number(*p.Cost)
				}
				if p.Added != nil {
					one[len(one)-2] = sheet.Number(*p.Added)
				}
				if p.Within != nil {
					one[len(one)-1] = strconv.FormatBool(*p.Within)
				}
				rows = append(rows, one)
			}
		}
	}
	for _, l := range doc.Searches {
		rows = append(rows, searchRow(&l, "passing_rate", l.Held, len(rows[0])), searchRow(&l, "failing_rate", l.Failed, len(rows[0])))
	}
	return sheet.Write(w, "the replication", rows)
}

// searchRow is one figure of a variant's searches, over so many columns; without a value where no
// rate was found.
func searchRow(l *finding.ReplicationSearch, metric string, rate float64, columns int) []string {
	row := make([]string, columns)
	copy(row, []string{sheet.Text(l.Workload), sheet.Text(l.Operation), sheet.Text(parameterText(l.Parameter)), sheet.Text(l.Variant), metric, "1/s", "higher"})
	if rate > 0 {
		row[7] = sheet.Number(rate)
	}
	row[16] = strconv.Itoa(len(l.Outcomes)) // whether it lost spans nobody judged
	return row
}

// suppressedNumber is the share that was suppressed, empty where all was.
func suppressedNumber(share float64) string {
	if share == 0 {
		return ""
	}
	return sheet.Number(share)
}

// endsOf are an interval's figures, empty where there are none.
func endsOf(i *finding.Interval) []string {
	out := make([]string, 3)
	if i == nil {
		return out
	}
	out[0] = sheet.Number(i.Estimate)
	if i.Low != nil && i.High != nil {
		out[1], out[2] = sheet.Number(*i.Low), sheet.Number(*i.High)
	}
	return out
}
