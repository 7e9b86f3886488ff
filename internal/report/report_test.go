// Golden files: what each shape of report looks like for each document. They
// are refreshed with: go test ./internal/report -update

package report

import (
	"bytes"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tracetax/tracetax/internal/finding"
)

var update = flag.Bool("update", false, "write the golden files again")

// form is one shape of report, by the end of its golden file's name.
type form map[string]func(io.Writer, *finding.Document) error

func TestGolden(t *testing.T) {
	check := func(name string, doc *finding.Document, forms form) {
		for ending, write := range forms {
			t.Run(name+"."+ending, func(t *testing.T) {
				var got bytes.Buffer
				if err := write(&got, doc); err != nil {
					t.Fatal(err)
				}
				golden(t, name+"."+ending, got.Bytes())
			})
		}
	}
	for name, doc := range fixtures() {
		check(name, doc, form{"80.txt": terminalForm(80, false, false), "140.txt": terminalForm(140, true, false), "all.txt": terminalForm(0, false, true)})
	}
	causes := func(width int) func(io.Writer, *finding.Document) error {
		return func(w io.Writer, doc *finding.Document) error {
			return Causes(w, doc, TerminalOptions{Width: width})
		}
	}
	check("causes", whys(), form{"80.txt": causes(80), "140.txt": causes(140)})
	start := whys()
	start.Causes = start.Causes[2:]
	check("start", start, form{"80.txt": causes(80)})
	tables := form{"csv": CSV, "samples.csv": SamplesCSV, "benchfmt.txt": Benchfmt}
	check("small", small.make(), tables)
	check("empty", empty(), tables)
	check("sweep", sweeping(2, 1, 8), tables)
	check("capacity", searching(2, false), form{"csv": CSV, "benchfmt.txt": Benchfmt})
}

func terminalForm(width int, colour, all bool) func(io.Writer, *finding.Document) error {
	return func(w io.Writer, doc *finding.Document) error {
		return Terminal(w, doc, TerminalOptions{Width: width, Color: colour, All: all})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/report -update makes it)", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// The document to JSON and back, and figures that JSON cannot hold.

func TestJSONIsReadBack(t *testing.T) {
	for name, doc := range fixtures() {
		var text bytes.Buffer
		if err := JSON(&text, doc); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(doc, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema": 99}`:    "newer than",
		`{}`:                "no schema version",
		`not JSON`:          "reading findings",
		`{"schema": 1}`:     "older than",
		`{"schema": 3, "fi`: "reading findings",

		`{"schema": 3, "full_summary": "otel costs 3 %"}`: "older than",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %v, want an error with %q", text, err, want)
		}
	}
}

func TestFiguresThatAreNoNumbers(t *testing.T) {
	doc := small.make()
	doc.Findings[0].Value = finding.Number(math.Inf(1))
	var page bytes.Buffer
	if err := HTML(&page, doc); err == nil || page.Len() > 0 {
		t.Errorf("HTML wrote %d bytes with error %v, want none and an error", page.Len(), err)
	}
	if err := JSON(io.Discard, doc); err == nil {
		t.Error("JSON wrote infinity")
	}
}

// FuzzReports reads any text; what is a document must come out in every form.
func FuzzReports(f *testing.F) {
	var text bytes.Buffer
	if err := JSON(&text, empty()); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes(), uint8(80))
	f.Add([]byte(`{"schema":3,"summary":"s","findings":[{"operation":"a","variant":"b","against":"c","metric":"latency_p50","unit":"s","samples":[{"block":1}]}],
		"ledgers":[{"entries":[{"name":"expected","spans":-5,"low":1,"high":3}]}],"curves":[{"points":[{"percentile":100}]}]}`), uint8(20))
	f.Add([]byte(`{"schema":3,"summary":"s","findings":[{"verdict":{"kind":"x"},"absolute":{"estimate":1e308,"low":-1e308,"high":1e308}}]}`), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, width uint8) {
		doc, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, write := range []error{
			Terminal(io.Discard, doc, TerminalOptions{Width: int(width)}),
			Terminal(io.Discard, doc, TerminalOptions{Color: true, All: true}),
			HTML(io.Discard, doc), CSV(io.Discard, doc), SamplesCSV(io.Discard, doc), Benchfmt(io.Discard, doc),
		} {
			if write != nil {
				t.Error(write)
			}
		}
	})
}

// The paragraph for documentation.

func pasted(t *testing.T, doc *finding.Document) string {
	t.Helper()
	var text bytes.Buffer
	if err := Paste(&text, doc); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// One table with every variant, the method and the machine, and nothing that must be unfolded.
func TestPaste(t *testing.T) {
	for name, doc := range fixtures() {
		t.Run(name, func(t *testing.T) {
			text := pasted(t, doc)
			golden(t, name+".paste.md", []byte(text))
			if strings.Contains(text, "<details>") {
				t.Error("something is folded away")
			}
			if tables := strings.Count(text, "\n| :--"); tables > 1 {
				t.Errorf("%d tables", tables)
			}
			if !strings.Contains(text, "### How it was measured") {
				t.Error("it does not say how it was measured")
			}
		})
	}
	doc := ladder.make()
	doc.Environment["cpu_model"] = "a processor"
	text := pasted(t, doc)
	for _, v := range doc.Experiment.Variants {
		if strings.Count(text, "| "+v.Name+" |") != len(doc.Experiment.Operations) {
			t.Errorf("variant %s is not in every operation's rows:\n%s", v.Name, text)
		}
	}
	if !strings.Contains(text, "API only") || !strings.Contains(text, "a processor") || !strings.Contains(text, "In each of 10 blocks") {
		t.Errorf("what is compared, where, or how is missing:\n%s", text)
	}
}

// The day is that of the measurement: an analysis may come later, and none is named where it is not known.
func TestPasteDay(t *testing.T) {
	doc := small.make()
	doc.Created, doc.Environment = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), map[string]any{"tool": "1.2.3", "started": "2026-01-02T03:04:05.678Z"}
	if text := pasted(t, doc); !strings.Contains(text, "Measured by tracetax 1.2.3 on 2026-01-02") {
		t.Error(text)
	}
	delete(doc.Environment, "started")
	if text := pasted(t, doc); !strings.Contains(text, "Measured by tracetax 1.2.3.") {
		t.Error(text)
	}
	doc.Runs.Blocks = 1
	if text := pasted(t, doc); !strings.Contains(text, "In 1 block, every variant ran once,") {
		t.Error(text)
	}
}

// A cost that cannot be told is not shown as one.
func TestPasteInconclusive(t *testing.T) {
	doc := small.make()
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Headline {
			bound := 0.9
			f.Verdict.Kind, f.Verdict.Bound = finding.NoDifference, &bound
		}
	}
	if text := pasted(t, doc); strings.Count(text, "inconclusive: ") != len(doc.Experiment.Operations) {
		t.Error(text)
	}
	doc = untracedAt(true, small.operations...)
	if text := pasted(t, doc); !strings.Contains(text, "⛔") {
		t.Errorf("no alarm:\n%s", text)
	}
}
