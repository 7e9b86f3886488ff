// The forms of a replication, for readers and for other programs.

package view

import (
	"io"
	"strconv"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/data"
	"github.com/tracetax/tracetax/internal/report/markdown"
	"github.com/tracetax/tracetax/internal/report/page"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/report/terminal"
	"github.com/tracetax/tracetax/internal/sheet"
	"github.com/tracetax/tracetax/lab/study"
)

// Terminal writes it for a terminal.
func Terminal(w io.Writer, doc *study.Replication, opts terminal.Options) error {
	return terminal.Write(w, brief(doc), opts)
}

// HTML writes its page. It fails on a replication that JSON cannot hold.
func HTML(w io.Writer, doc *study.Replication) error { return page.Write(w, whole(doc)) }

// Markdown writes it as a part of a page.
func Markdown(w io.Writer, doc *study.Replication) error { return markdown.Write(w, whole(doc)) }

// JSON writes the document itself.
func JSON(w io.Writer, doc *study.Replication) error { return data.Indented(w, doc, "the replication") }

// CSV writes one row for each cell of the tables, or one for each published series; and two for a
// variant's searches, passing_rate and failing_rate, the least over the blocks (see
// finding.Search). Figures are in the metric's unit and unrounded.
func CSV(w io.Writer, doc *study.Replication) error {
	rows := [][]string{{
		"workload", "operation", "parameter", "variant", "metric", "unit", "better", "value", "value_low", "value_high", "cost", "cost_low", "cost_high",
		"added", "added_low", "added_high", "blocks", "lossy", "suppressed", "reason", "series", "published", "published_spread", "published_cost", "published_added", "within",
	}}
	for _, t := range doc.Tables {
		for _, r := range t.Rows {
			row := []string{sheet.Text(t.Workload), sheet.Text(r.Operation), sheet.Text(parts.Parameter(r.Parameter)), sheet.Text(r.Variant), sheet.Text(t.Metric), sheet.Text(t.Unit), sheet.Text(t.Better)}
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

// searchRow returns one figure of a variant's searches in so many columns; without a value if no
// rate was found.
func searchRow(l *study.Search, metric string, rate float64, columns int) []string {
	row := make([]string, columns)
	copy(row, []string{sheet.Text(l.Workload), sheet.Text(l.Operation), sheet.Text(parts.Parameter(l.Parameter)), sheet.Text(l.Variant), metric, "1/s", "higher"})
	if rate > 0 {
		row[7] = sheet.Number(rate)
	}
	row[16] = strconv.Itoa(len(l.Outcomes)) // lost spans were not judged
	return row
}

// suppressedNumber returns the suppressed share, empty for 0.
func suppressedNumber(share float64) string {
	if share == 0 {
		return ""
	}
	return sheet.Number(share)
}

// endsOf returns an interval's estimate and ends, empty if missing.
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
