package e2e

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// selfDriving is an experiment over a self-driving program, in a folder of
// its own. Its check ends with the status in the file status. One of its variants
// can run nowhere.
func selfDriving(t *testing.T, more string) (file string) {
	t.Helper()
	driven := built(t, "driven", func(dir string) error {
		return runIn(".", "go", "build", "-o", filepath.Join(dir, "driven"), "./testdata/driven")
	})
	file = filepath.Join(t.TempDir(), "calls.yaml")
	text := `
workload:
  language: java
  self: true
  processes:
    - {name: app, run: [DRIVEN, "127.0.0.1:{port}"]}
  operations:
    call: {drive: {depth: 3}}
  verify: {run: [sh, -c, 'if [ "$1" = wrong ]; then echo "a row is missing"; exit 1; fi; echo "looked at $0"', "{app.port}", "CHECK"]}
variants:
  none:
  sdk: {tracer: none, env: {SINK: "{sink.otlp.grpc}"}}
  never: {tracer: inspectit-java}
load: {rate: 4000/s, calls: 2000, duration: 10s, warmup: 200ms, idle: 100ms, MORE}
samples: true
design: {blocks: 2, seed: 4}
`
	text = strings.NewReplacer("MORE", more, "DRIVEN", filepath.Join(driven, "driven")).Replace(text)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSelfDriving(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	file := selfDriving(t, "depth: [2, 8]")
	c := tracetax(t, "run", file, "--out", "results", "--json").exit(t, 0)
	if !strings.Contains(c.errOut.String(), "left out: variant never: ") {
		t.Error("nobody says that a variant is left out")
	}
	var doc finding.Document
	if err := json.Unmarshal(c.out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if left := doc.Experiment.LeftOut; len(left) != 1 || left[0].Variant != "never" || left[0].Reason == "" {
		t.Errorf("left out: %+v", left)
	}
	for _, l := range doc.Ledgers {
		if l.Variant == "sdk" && l.Operation == "call" && (!l.Exact || l.LostShare != 0 || l.Outcome[0].Code != finding.PageNothingLost) {
			t.Errorf("ledger: %+v", l)
		}
	}
	dir := filepath.Join(c.Dir, "results")
	records, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, r := range records {
		kinds[string(r.Kind)+" "+r.Variant]++
		if r.Failed() {
			t.Errorf("failed: %+v", r.Failure)
		}
		if r.Kind == record.Calibration && (len(r.Start.Verified) != 1 || !strings.HasPrefix(r.Start.Verified[0], "looked at ")) {
			t.Errorf("verified: %q", r.Start.Verified)
		}
		for _, p := range r.Phases {
			if r.Kind == record.Measured && (p.Load.Started != 2000 || rows(t, filepath.Join(dir, p.Load.Driven.Samples)) != 2000) {
				t.Errorf("%s, %v: %d operations, samples in %q", r.Variant, p.Parameter, p.Load.Started, p.Load.Driven.Samples)
			}
		}
	}
	if want := "map[calibration none:1 calibration sdk:1 measured none:2 measured sdk:2]"; fmt.Sprint(kinds) != want {
		t.Errorf("runs %v, want %s", kinds, want)
	}
	kept, err := os.ReadFile(filepath.Join(dir, record.ExperimentFile))
	if err != nil || !strings.Contains(string(kept), "never:") {
		t.Errorf("the experiment does not keep the variant that is left out: %v", err)
	}
	resumed := tracetax(t, "run", "--resume", dir).exit(t, 0)
	if out := resumed.errOut.String(); !strings.Contains(out, "left out: variant never") {
		t.Errorf("resumed: %s", out)
	}
	// What was measured then and cannot run now is no reason to leave it out.
	path := filepath.Join(dir, record.EnvironmentFile)
	environment, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(environment), `"variant": "never"`, `"variant": "other"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := tracetax(t, "run", "--resume", dir).exit(t, 1).errOut.String(); !strings.Contains(out, "variant never was measured, and cannot run here any more") {
		t.Errorf("resumed: %s", out)
	}
}

// rows is how many lines a packed file has.
func rows(t *testing.T, path string) int {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// Whoever names a variant wants it; wrong answers are not measured.
func TestSelfDrivingThatCannotBe(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	file := selfDriving(t, "depth: 2")
	if out := tracetax(t, "run", file, "--variants", "none,sdk,never", "--out", "named").exit(t, 1).errOut.String(); !strings.Contains(out, "variant never cannot run here") {
		t.Errorf("named: %s", out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "CHECK", "wrong", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	c := tracetax(t, "run", file, "--out", "wrong").exit(t, 1)
	if out := c.errOut.String(); !strings.Contains(out, "a row is missing") {
		t.Errorf("wrong answers: %s", out)
	}
	records, err := record.Read(filepath.Join(c.Dir, "wrong"))
	if err != nil || slices.ContainsFunc(records, func(r record.Record) bool { return r.Kind == record.Measured }) {
		t.Errorf("%v; %d records, of which some are measured", err, len(records))
	}
}
