// The format of Otava, which looks for changes over a history of results.

package data

import (
	"io"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/sheet"
)

// unknownFigure stands in a column of figures where a result has none: Otava reads a number in each.
const unknownFigure = "nan"

// Otava writes a row for each result, in the order of time: the time, the commit of the program where it is known, and a
// column for each figure that any of them has, called "workload/operation/variant measure".
func Otava(w io.Writer, docs []*finding.Document) error {
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b *finding.Document) int { return measuredAt(a).Compare(measuredAt(b)) })
	var columns []string
	values := make([]map[string]float64, len(docs))
	for i, doc := range docs {
		values[i] = map[string]float64{}
		for _, t := range trackedOf(doc) {
			column := t.name + " " + t.measure
			values[i][column] = t.value
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	head := []string{"time", "commit"}
	for _, column := range columns {
		head = append(head, sheet.Text(column))
	}
	rows := [][]string{head}
	for i, doc := range docs {
		row := []string{measuredAt(doc).UTC().Format(time.RFC3339), sheet.Text(commitOf(doc))}
		for _, column := range columns {
			if v, known := values[i][column]; known {
				row = append(row, sheet.Number(v))
			} else {
				row = append(row, unknownFigure)
			}
		}
		rows = append(rows, row)
	}
	return sheet.Write(w, "the history", rows)
}

// measuredAt is when a result was begun; when it was analysed, where that is not known.
func measuredAt(doc *finding.Document) time.Time {
	text, _ := doc.Environment["started"].(string)
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at
	}
	return doc.Created
}

// commitOf is the commit of the user's checkout, "-dirty" where its files were changed since; "" where it is not known.
func commitOf(doc *finding.Document) string {
	checkout, _ := doc.Environment["checkout"].(map[string]any)
	commit, _ := checkout["commit"].(string)
	if dirty, _ := checkout["dirty"].(bool); dirty && commit != "" {
		commit += "-dirty"
	}
	return commit
}
