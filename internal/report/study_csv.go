// A study as CSV: a row for each measured figure, with what was published of it.

package report

import (
	"io"
	"strconv"

	"github.com/tracetax/tracetax/internal/finding"
)

// StudyCSV writes one row for each cell of the tables; one for each series where several
// were published. Figures are in the metric's unit and unrounded.
func StudyCSV(w io.Writer, doc *finding.Study) error {
	rows := [][]string{{
		"workload", "operation", "parameter", "variant", "metric", "unit", "better", "value", "value_low", "value_high", "cost", "cost_low", "cost_high",
		"added", "added_low", "added_high", "blocks", "lossy", "unsent", "reason", "series", "published", "published_spread", "published_cost", "published_added", "within",
	}}
	for _, t := range doc.Tables {
		for _, r := range t.Rows {
			row := []string{cell(t.Workload), cell(r.Operation), cell(parameterText(r.Parameter)), cell(r.Variant), cell(t.Metric), t.Unit, t.Better}
			for _, i := range []*finding.Interval{r.Value, r.Cost, r.Added} {
				row = append(row, endsOf(i)...)
			}
			row = append(row, strconv.Itoa(r.Blocks), strconv.FormatBool(r.Lossy), unsentNumber(r.Unsent), cell(r.Reason))
			if len(r.Published) == 0 {
				rows = append(rows, append(row, make([]string, 6)...))
			}
			for _, p := range r.Published {
				one := append([]string{}, row...)
				one = append(one, cell(doc.Series[p.Series].Name), number(p.Value), "", "", "", "")
				if p.Spread != 0 {
					one[len(one)-4] = number(p.Spread)
				}
				if p.Cost != nil {
					one[len(one)-3] = number(*p.Cost)
				}
				if p.Added != nil {
					one[len(one)-2] = number(*p.Added)
				}
				if p.Within != nil {
					one[len(one)-1] = strconv.FormatBool(*p.Within)
				}
				rows = append(rows, one)
			}
		}
	}
	return writeCSV(w, rows)
}

// unsentNumber is the share that was not sent, empty where all was.
func unsentNumber(share float64) string {
	if share == 0 {
		return ""
	}
	return number(share)
}

// endsOf are an interval's figures, empty where there are none.
func endsOf(i *finding.Interval) []string {
	out := make([]string, 3)
	if i == nil {
		return out
	}
	out[0] = number(i.Estimate)
	if i.Low != nil && i.High != nil {
		out[1], out[2] = number(*i.Low), number(*i.High)
	}
	return out
}
