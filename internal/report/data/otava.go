// The format of Otava, which looks for changes over a history of results.

package data

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/sheet"
)

// errNothingShared is why results make no history.
var errNothingShared = errors.New("no figure is in all of these results: Otava reads a number in each row of a column; give results of one experiment and workload")

// Otava writes a row for each result, in the order of time: the time, the commit of the program where it is known, and a
// column for each figure that all of them have, called "workload/operation/variant measure". Otava passes over no row of a
// column: it refuses an empty cell, and reckons with a nan.
func Otava(w io.Writer, docs []*finding.Document) error {
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b *finding.Document) int { return measuredAt(a).Compare(measuredAt(b)) })
	var columns []string
	values := make([]map[string]float64, len(docs))
	for i, doc := range docs {
		values[i] = map[string]float64{}
		for _, t := range trackedOf(doc) {
			column := t.name + " " + t.measure()
			values[i][column] = t.value
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	some := len(columns) > 0
	columns = slices.DeleteFunc(columns, func(column string) bool {
		return slices.ContainsFunc(values, func(of map[string]float64) bool { _, known := of[column]; return !known })
	})
	if some && len(columns) == 0 {
		return errNothingShared
	}
	head := []string{"time", "commit"}
	for _, column := range columns {
		head = append(head, sheet.Text(column))
	}
	rows := [][]string{head}
	for i, doc := range docs {
		row := []string{measuredAt(doc).UTC().Format(time.RFC3339), sheet.Text(commitOf(doc))}
		for _, column := range columns {
			row = append(row, sheet.Number(values[i][column]))
		}
		rows = append(rows, row)
	}
	return sheet.Write(w, "the history", rows)
}

// measuredAt is when a result was begun; when it was analysed, where that is not known.
func measuredAt(doc *finding.Document) time.Time {
	if at, known := parts.Started(doc); known {
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
