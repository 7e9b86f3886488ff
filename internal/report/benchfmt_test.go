// The Go benchmark format as its own library reads it.

package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
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

// The Go benchmark format as benchstat itself reads it. It is pinned in
// tools/go.mod.

// TestBenchstat compares two results; the second has a tracer that costs a
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
			return float64(f.Value)
		}
	}
	return math.NaN()
}

// CSV as a reader of CSV gets it.

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
		if row := rows[i+1]; row[3] != f.Variant || row[5] != f.Metric || row[10] != strconv.FormatFloat(float64(f.Value), 'g', -1, 64) {
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

// A figure that nobody knows is null, and an empty cell: zero is a figure. What is known of the baseline stays, also in the table.
func TestUnknownFigures(t *testing.T) {
	doc := small.make()
	f := &doc.Findings[0]
	f.Baseline, f.Value, f.Blocks, f.Absolute, f.Relative, f.Samples = 47e-6, finding.NotKnown(), 0, nil, nil, []finding.Sample{}
	f.Verdict = finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: finding.WhyRestless, Variant: f.Variant}}}
	var text bytes.Buffer
	if err := JSON(&text, doc); err != nil {
		t.Fatal(err)
	}
	var told struct {
		Findings []struct{ Baseline, Value *float64 }
	}
	if err := json.Unmarshal(text.Bytes(), &told); err != nil || told.Findings[0].Baseline == nil || told.Findings[0].Value != nil {
		t.Errorf("in JSON: %+v, %v", told.Findings[0], err)
	}
	var again finding.Document
	if err := json.Unmarshal(text.Bytes(), &again); err != nil || again.Findings[0].Value.Known() || again.Findings[0].Baseline != f.Baseline {
		t.Errorf("read again: %+v, %v", again.Findings[0], err)
	}
	text.Reset()
	if err := CSV(&text, doc); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil || rows[1][9] != "4.7e-05" || rows[1][10] != "" {
		t.Errorf("in CSV: %q, %v", rows[1], err)
	}
	text.Reset()
	if err := HTML(&text, doc); err != nil || strings.Contains(text.String(), "NaN ") {
		t.Errorf("on the page: %v", err)
	}
	for _, baseline := range []finding.Number{47e-6, 0} { // older results have zeros
		f.Baseline = baseline
		text.Reset()
		if err := Terminal(&text, doc, TerminalOptions{Width: 120}); err != nil || strings.Contains(text.String(), "47.0 µs") != (baseline > 0) || strings.Contains(text.String(), "NaN") {
			t.Errorf("a baseline of %g, in the table: %s, %v", baseline, text.String(), err)
		}
	}
}

// What may follow from a warning is folded below it: in the terminal by its code, or in full with --all, on the page, in Markdown.
func TestWarningsAreFolded(t *testing.T) {
	doc := small.make()
	doc.Warnings = []finding.Warning{
		{Code: "never-calm", Severity: "warning", Text: "still worked", Where: "otel", From: "busy-neighbour"},
		{Code: "modes", Severity: "warning", Text: "two modes", Where: "otel", From: "busy-neighbour"},
		{Code: "busy-neighbour", Severity: "warning", Text: "others took 50 %", Advice: "stop them"},
	}
	for name, c := range map[string]struct {
		write  func(*bytes.Buffer) error
		has    []string
		hasNot []string
	}{
		"terminal": {func(b *bytes.Buffer) error { return Terminal(b, doc, TerminalOptions{Width: 120}) }, []string{"others took 50 %", "never-calm, modes"}, []string{"still worked"}},
		"all":      {func(b *bytes.Buffer) error { return Terminal(b, doc, TerminalOptions{Width: 120, All: true}) }, []string{"others took 50 %", "  - otel: still worked", "  - otel: two modes"}, nil},
		"page":     {func(b *bytes.Buffer) error { return HTML(b, doc) }, []string{"<code>never-calm</code>", "2 more</summary>"}, nil},
		"markdown": {func(b *bytes.Buffer) error { return Markdown(b, doc) }, []string{"- ⚠ others took 50 %", "  - otel: still worked"}, nil},
		"JSON":     {func(b *bytes.Buffer) error { return JSON(b, doc) }, []string{`"from": "busy-neighbour"`}, nil},
	} {
		var text bytes.Buffer
		if err := c.write(&text); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.has {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, text.String())
			}
		}
		for _, not := range c.hasNot {
			if strings.Contains(text.String(), not) {
				t.Errorf("%s: %q is told", name, not)
			}
		}
	}
}
