// The Go benchmark format as its own library reads it.

package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// TestBenchfmtIsRead checks that every sample comes back under its variant.
func TestBenchfmtIsRead(t *testing.T) {
	for name, doc := range fixtures() {
		t.Run(name, func(t *testing.T) {
			got := readBenchfmt(t, doc)
			for variant, want := range centres(doc) {
				if diff := math.Abs(got[variant]/want - 1); diff > 1e-9 || math.IsNaN(diff) {
					t.Errorf("CPU seconds of %s add up to %v, want %v", variant, got[variant], want)
				}
			}
			if len(got) != len(centres(doc)) {
				t.Errorf("benchproc sees %d variants, want %d: %v", len(got), len(centres(doc)), got)
			}
		})
	}
}

// readBenchfmt adds up the CPU seconds of every line by its /variant, named as
// the document names it.
func readBenchfmt(t *testing.T, doc *finding.Document) map[string]float64 {
	t.Helper()
	var text bytes.Buffer
	if err := Benchfmt(&text, doc); err != nil {
		t.Fatal(err)
	}
	var parser benchproc.ProjectionParser
	projection, err := parser.Parse("/variant", nil)
	if err != nil {
		t.Fatal(err)
	}
	original := map[string]string{}
	for _, v := range doc.Experiment.Variants {
		original[strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || r == '/' {
				return '_'
			}
			return r
		}, v.Name)] = v.Name
	}
	sums := map[string]float64{}
	reader := benchfmt.NewReader(&text, name(doc))
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(r)
		case *benchfmt.Result:
			if v, ok := r.Value("cpu-sec/op"); ok {
				sums[original[projection.Project(r).Get(projection.Fields()[0])]] += v
			}
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	return sums
}

func name(doc *finding.Document) string { return doc.Experiment.Name + "/benchfmt.txt" }

// centres adds up the CPU samples of each variant, over all operations.
func centres(doc *finding.Document) map[string]float64 {
	type run struct {
		operation, parameter, variant string
		block                         int
	}
	values := map[run]float64{}
	for _, f := range doc.Findings {
		if f.Metric != "cpu_per_operation" || f.Role != "" || f.Uncompared { // benchstat would compare it
			continue
		}
		for _, s := range f.Samples {
			values[run{f.Operation, cell.LevelOf(f.Parameter).String(), f.Variant, s.Block}] = s.Value
			values[run{f.Operation, cell.LevelOf(f.Parameter).String(), f.Against, s.Block}] = s.Baseline
		}
	}
	sums := map[string]float64{}
	for r, v := range values {
		sums[r.variant] += v
	}
	return sums
}

// TestBenchfmtKeepsNamesApart has names that read the same once a slash or a
// space has gone, and one that ends like a number of processors.
func TestBenchfmtKeepsNamesApart(t *testing.T) {
	doc := shape{
		operations: []string{"GET /a b", "GET /a_b"},
		variants:   []finding.Variant{{Name: "none"}, {Name: "otel-10"}, {Name: "otel-1"}},
		blocks:     3,
	}.make()
	var text bytes.Buffer
	if err := Benchfmt(&text, doc); err != nil {
		t.Fatal(err)
	}
	var parser benchproc.ProjectionParser
	projection, err := parser.Parse("/op,/variant", nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for reader := benchfmt.NewReader(&text, "apart"); reader.Scan(); {
		if r, ok := reader.Result().(*benchfmt.Result); ok {
			seen[projection.Project(r).String()]++
		}
	}
	if len(seen) != 6 || seen["/op:GET__a_b /variant:otel-10"] != 3 || seen["/op:GET__a_b#2 /variant:otel-1"] != 3 {
		t.Errorf("operations and variants read as %v, want 2 × 3 with 3 lines each", seen)
	}
}

// TestLevelsAreKeys checks that a level is a key of its own in a benchmark's name.
func TestLevelsAreKeys(t *testing.T) {
	var text bytes.Buffer
	if err := Benchfmt(&text, sweeping(2, 1, 8)); err != nil {
		t.Fatal(err)
	}
	var parser benchproc.ProjectionParser
	projection, err := parser.Parse("/connections", nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	reader := benchfmt.NewReader(&text, "benchfmt.txt")
	for reader.Scan() {
		if r, ok := reader.Result().(*benchfmt.Result); ok {
			seen[projection.Project(r).Get(projection.Fields()[0])]++
		}
	}
	if seen["1"] != 32 || seen["8"] != 32 || len(seen) != 2 {
		t.Errorf("lines by connections: %v", seen)
	}
}
