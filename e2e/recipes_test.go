package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// recipe runs a script of examples as its reader does, and is the result that it leaves.
func recipe(t *testing.T, name string) finding.Document {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), filepath.Join("..", "examples", name), dir)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, tail(string(out)))
	}
	content, err := os.ReadFile(filepath.Join(dir, "result", "findings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc finding.Document
	if err := json.Unmarshal(content, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// Each recipe leads to what it promises, as it is written: every span of one's own tracer is accounted for, the work that a
// variant adds to one's own workload is found, and one's own metric is there. Verdicts are not asked for: beside other tests a
// small machine may not hold the rate.
func TestRecipes(t *testing.T) {
	need(t, "python3", "git")
	t.Run("tracer", func(t *testing.T) {
		t.Parallel()
		doc := recipe(t, "tracer")
		operation := doc.Experiment.Operations[0]
		l := ledger(t, doc, operation, "mine")
		if l.Operations == 0 || entry(l, "expected") != int64(l.Operations) || entry(l, "delivered") != int64(l.Operations) {
			t.Errorf("%d operations of a span each, and the ledger says %+v", l.Operations, l.Entries)
		}
		if f := find(t, doc, operation, "mine", metric.CPUPerOperation); f.Absolute == nil || f.Absolute.Estimate < 50e-6 {
			t.Errorf("a span that is made and sent in Python: %+v", f)
		}
	})
	t.Run("workload", func(t *testing.T) {
		more(t, "recipes")
		t.Parallel()
		doc := recipe(t, "workload")
		work, list := find(t, doc, "work", "more", metric.CPUPerOperation), find(t, doc, "list", "more", metric.CPUPerOperation)
		if work.Absolute == nil || list.Absolute == nil || work.Absolute.Estimate < 50e-6 || list.Absolute.Estimate > work.Absolute.Estimate/2 {
			t.Errorf("the sums that only one operation makes: %+v, and of the other %+v", work, list)
		}
	})
	t.Run("metric", func(t *testing.T) {
		more(t, "recipes") // it compiles most of tracetax again
		t.Parallel()
		if f := find(t, recipe(t, "metric"), "json", "otel", "received_per_operation"); f.Baseline < 50 || f.Value < 50 {
			t.Errorf("an answer takes %g bytes, traced %g", f.Baseline, f.Value)
		}
	})
}
