// The gate of a pull request: a commit against itself, both in one experiment, is never over its budget.

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// gateExperiment is that of docs/ci-experiment.yaml, of the quickstart's service and without what it costs in all.
const gateExperiment = `
workload: hello/go
operations: [json]
variants:
  before: {tracer: otel-go, settings: {delay: 150ms}}
  after: {tracer: otel-go, settings: {delay: 150ms}}
load: {rate: 400/s, idle: 100ms, warmup: 200ms, duration: 700ms}
design: {blocks: 8}
`

func TestGateOfOneCommit(t *testing.T) {
	more(t, "compare")
	dir := t.TempDir()
	file, result := filepath.Join(dir, "gate.yaml"), filepath.Join(dir, "result")
	if err := os.WriteFile(file, []byte(gateExperiment), 0o644); err != nil {
		t.Fatal(err)
	}
	tracetax(t, "run", file, "--out", result).exit(t, 0)
	c := tracetax(t, "compare", result, "--variants", "before,after", "--budget", "cpu=5%,lost=0", "--json").exit(t, 0, 4)
	var doc finding.Comparison
	if err := json.Unmarshal(c.out.Bytes(), &doc); err != nil {
		t.Fatalf("stdout is not a comparison: %v", err)
	}
	limited := map[string]finding.Kind{}
	for _, change := range doc.Changes {
		if change.Verdict.Budget != nil {
			limited[change.Metric] = change.Verdict.Kind
		}
	}
	for _, metric := range []string{"cpu_per_operation", "lost_share"} {
		if kind := limited[metric]; kind != finding.Within && kind != finding.CannotTell {
			t.Errorf("%s of a commit against itself: %q", metric, kind)
		}
	}
	t.Log(doc.Summary)
}
