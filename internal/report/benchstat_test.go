// The Go benchmark format as benchstat itself reads it. It is pinned in
// tools/go.mod.

package report

import (
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// TestBenchstat compares two results, of which the second has a tracer that costs a
// tenth more, and was made with another seed.
func TestBenchstat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds benchstat")
	}
	before, after := small.make(), small.make()
	after.Experiment.Seed++
	after.Tool = "0.2.0"
	for i := range after.Findings {
		for j := range after.Findings[i].Samples {
			after.Findings[i].Samples[j].Value *= 1.1
		}
	}
	dir := t.TempDir()
	args := []string{"tool", "-modfile=../../tools/go.mod", "benchstat", "-format=csv", "-filter=.unit:cpu-sec/op /variant:otel", "-row=/op"}
	for name, doc := range map[string]*finding.Document{"before": before, "after": after} {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := Benchfmt(file, doc); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	args = append(args, "before="+filepath.Join(dir, "before"), "after="+filepath.Join(dir, "after"))
	var stderr strings.Builder
	command := exec.Command("go", args...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s", err, stderr.String())
	}
	rows := benchstatRows(t, string(out))
	for _, operation := range small.operations {
		row := rows[operation]
		if len(row) < 6 {
			t.Errorf("no comparison of %s in\n%s", operation, out)
			continue
		}
		old, errOld := strconv.ParseFloat(row[1], 64)
		new, errNew := strconv.ParseFloat(row[3], 64)
		if errOld != nil || errNew != nil || math.Abs(new/old-1.1) > 1e-6 || row[5] != "+10.00%" {
			t.Errorf("%s: %v, want a tenth more", operation, row)
		}
		if want := centre(before, operation); math.Abs(old/want-1) > 0.01 {
			t.Errorf("%s: benchstat has %g s, the document %g", operation, old, want)
		}
	}
	if row := rows["geomean"]; len(row) < 6 || row[5] != "+10.00%" {
		t.Errorf("the geometric mean is %v", row)
	}
}

// benchstatRows are the rows of the only table, by their first cell.
func benchstatRows(t *testing.T, text string) map[string][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	rows := map[string][]string{}
	for _, row := range all {
		if _, twice := rows[row[0]]; twice && row[0] != "" {
			t.Errorf("two rows of %s: benchstat does not compare the results with each other\n%s", row[0], text)
		}
		rows[row[0]] = row
	}
	return rows
}

func centre(doc *finding.Document, operation string) float64 {
	for _, f := range doc.Findings {
		if f.Operation == operation && f.Variant == "otel" && f.Metric == "cpu_per_operation" && f.Role == "" {
			return f.Value
		}
	}
	return math.NaN()
}
