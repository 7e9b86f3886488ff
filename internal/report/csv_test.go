// CSV as a reader of CSV gets it.

package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
)

func TestCSVHasEveryFinding(t *testing.T) {
	doc := nasty()
	var text bytes.Buffer
	if err := CSV(&text, doc); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(doc.Findings)+1 {
		t.Fatalf("%d rows, want a head and %d findings", len(rows), len(doc.Findings))
	}
	for i, f := range doc.Findings {
		if row := rows[i+1]; row[3] != f.Variant || row[5] != f.Metric || row[10] != strconv.FormatFloat(f.Value, 'g', -1, 64) {
			t.Errorf("row %d is %q, want variant %q, metric %q and value %v", i+1, row, f.Variant, f.Metric, f.Value)
		}
	}
}

func TestCSVKeepsFormulasFromRunning(t *testing.T) {
	doc := small.make()
	doc.Experiment.Workload = `=HYPERLINK("x")`
	f := &doc.Findings[0]
	f.Note, f.Unit, f.Better, f.Verdict.Kind = "-1+1", "@unit", "+better", "=kind"
	var text bytes.Buffer
	if err := CSV(&text, doc); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if rows[1][0] != `'=HYPERLINK("x")` || !strings.HasPrefix(rows[1][len(rows[1])-4], "'-") {
		t.Errorf("names that a spreadsheet would run: %q", rows[1])
	}
	for i, cell := range rows[1] {
		if strings.ContainsAny(cell[:min(1, len(cell))], "=+@") {
			t.Errorf("%s is %q", rows[0][i], cell)
		}
	}
}
