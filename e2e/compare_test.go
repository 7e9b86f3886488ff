// Comparing real results: a slower setting of the tracer is caught, and the same
// thing measured twice is not.

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// changeExperiment is the quickstart's service under a tracer with the given
// processor of spans.
const changeExperiment = `
workload: hello/go
operations: [json]
variants:
  none:
  otel: {tracer: otel-go, settings: {processor: PROCESSOR, delay: 150ms}}
load: {rate: 400/s, idle: 100ms, warmup: 200ms, duration: 700ms}
design: {blocks: BLOCKS}
`

// In the quick set with four blocks each, which show which way it went: how often a change is found, and an alarm is false, the
// simulations of internal/analysis say.
func TestCompareFindsASlowerSetting(t *testing.T) {
	dir, blocks := t.TempDir(), 4
	if all() {
		blocks = 6
	}
	measure := func(name, processor string) string {
		file := filepath.Join(dir, "shop.yaml")
		if err := os.WriteFile(file, []byte(strings.NewReplacer("PROCESSOR", processor, "BLOCKS", itoa(blocks)).Replace(changeExperiment)), 0o644); err != nil {
			t.Fatal(err)
		}
		tracetax(t, "run", file, "--out", filepath.Join(dir, name)).exit(t, 0)
		return filepath.Join(dir, name)
	}
	before, slower := measure("before", "batch"), measure("slower", "simple")

	// The limits are far from what is true: nothing, and some 30 % more. What a noisy
	// machine may make of either is "cannot tell", and never the opposite.
	if all() {
		tracetax(t, "compare", before, measure("again", "batch"), "--filter", "metric:cpu_per_operation", "--budget", "cpu=60%").exit(t, 0, 4)
	}
	c := tracetax(t, "compare", before, slower, "--budget", "cpu=15%", "--json").exit(t, 3, 4)
	var doc finding.Comparison
	if err := json.Unmarshal(c.out.Bytes(), &doc); err != nil {
		t.Fatalf("stdout is not a comparison: %v", err)
	}
	if want := "otel: processor batch → simple"; len(doc.News) != 1 || len(doc.News[0].Changed) != 1 || doc.News[0].Changed[0] != want {
		t.Errorf("what is set differently: %+v, want %q", doc.News, want)
	}
	t.Log(doc.Summary)
	// "Cannot tell" is no answer to every question: which way it went is to be seen on any machine.
	went := 0
	for _, change := range doc.Changes {
		if change.Headline && change.Operation == "json" && change.Variant == "otel" && change.Metric == "cpu_per_operation" && change.Role == "" {
			if went++; change.Absolute == nil || change.Absolute.Estimate <= 0 {
				t.Errorf("CPU per operation went by %+v where each span is sent alone", change.Absolute)
			}
		}
	}
	if went != 1 {
		t.Errorf("%d changes of the CPU per operation, want 1", went)
	}
	markdown := tracetax(t, "compare", before, slower, "--budget", "cpu=15%", "--markdown", "-").exit(t, c.ProcessState.ExitCode())
	if c.ProcessState.ExitCode() == 3 && !strings.HasPrefix(markdown.out.String(), "❌ **Since before, CPU per operation went up for otel on json by ") {
		t.Errorf("the Markdown begins with %.200q", markdown.out.String())
	}
}
