// Package tidy owns the raw records as tables for R and pandas: a row a value. It copies what was measured; it must not
// know how a result is analysed or shown.
package tidy

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sheet"
)

// runColumns say of which run a row is, phaseColumns of which part of it; both tables begin with them.
var (
	runColumns   = []string{"workload", "kind", "purpose", "variant", "block", "order", "attempt", "failed", "started"}
	phaseColumns = []string{"operation", "parameter", "operation_order", "phase", "part"}
)

// Runs writes a row for each figure of the records: run × phase × process × metric. A figure that is not known has no row.
func Runs(w io.Writer, records []record.Record) error {
	rows := [][]string{head("process", "role", "service", "metric", "key", "unit", "value")}
	for i := range records {
		for _, f := range figuresOf(&records[i]) {
			rows = append(rows, append(where(&records[i], f.at),
				sheet.Text(f.process), sheet.Text(f.role), sheet.Text(f.service), f.metric, sheet.Text(f.key), f.unit, sheet.Number(f.value)))
		}
	}
	return sheet.Write(w, "the runs", rows)
}

// Histograms writes a row for each interval of each histogram of the records in which a value lies.
func Histograms(w io.Writer, records []record.Record) error {
	rows := [][]string{head("metric", "unit", "from", "to", "count")}
	for i := range records {
		for _, l := range loadsOf(&records[i]) {
			for _, h := range []struct {
				metric string
				values record.Histogram
			}{{"latency", l.load.Latency}, {"lag", l.load.Lag}} {
				values, err := h.values.Decode()
				if err != nil {
					return fmt.Errorf("block %d, %s, %s of %s: %w", records[i].Block, records[i].Variant, h.metric, l.at.operation, err)
				}
				for _, bar := range values.Distribution() {
					if bar.Count > 0 {
						rows = append(rows, append(where(&records[i], l.at), h.metric, "s", seconds(bar.From), seconds(bar.To), strconv.FormatInt(bar.Count, 10)))
					}
				}
			}
		}
	}
	return sheet.Write(w, "the histograms", rows)
}

// seconds are nanoseconds as a cell.
func seconds(ns int64) string { return sheet.Number(float64(ns) / 1e9) }

// at is a part of a run: a phase of an operation, or a stretch besides.
type at struct {
	operation string
	parameter map[string]string
	position  string // of the operation's phase, from 0; "" for what belongs to no operation
	phase     string
	part      int // which probe or slice, from 1; 0: there is one
}

func head(more ...string) []string {
	return append(append(append([]string{}, runColumns...), phaseColumns...), more...)
}

// where are the cells of runColumns and phaseColumns.
func where(r *record.Record, a at) []string {
	part := ""
	if a.part > 0 {
		part = strconv.Itoa(a.part)
	}
	return []string{
		sheet.Text(r.Workload), sheet.Text(string(r.Kind)), sheet.Text(string(r.Purpose)), sheet.Text(r.Variant), strconv.Itoa(r.Block), strconv.Itoa(r.Position),
		strconv.Itoa(r.Attempt), strconv.FormatBool(r.Failed()), r.Started.UTC().Format(time.RFC3339Nano),
		sheet.Text(a.operation), sheet.Text(cell.LevelOf(a.parameter).Join("=", ", ")), a.position, a.phase, part,
	}
}
