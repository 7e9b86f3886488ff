// Comparing real results: a slower setting of the tracer is caught, and the same
// thing measured twice is not.

package e2e

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// changeExperiment is the quickstart's service under a tracer that burns as much CPU as it is told to.
const changeExperiment = `
workload: hello/go
operations: [json]
variants:
  none:
  traced: {tracer: synthetic-go, settings: {burn: BURNT}}
load: {rate: 400/s, idle: 100ms, warmup: 200ms, duration: 700ms}
design: {blocks: BLOCKS, order: woven}
`

// In the quick set with two blocks each, which show what was added: how often a change is found, and an alarm is false, the
// simulations of internal/analysis say.
func TestCompareFindsASlowerSetting(t *testing.T) {
	t.Parallel() // what is added is CPU time of a known length, and more than others beside bend
	dir, blocks := t.TempDir(), 2
	if all() {
		blocks = 6
	}
	measure := func(name, burnt string) string {
		file := filepath.Join(dir, "shop.yaml")
		if err := os.WriteFile(file, []byte(strings.NewReplacer("BURNT", burnt, "BLOCKS", itoa(blocks)).Replace(changeExperiment)), 0o644); err != nil {
			t.Fatal(err)
		}
		tracetax(t, "run", file, "--out", filepath.Join(dir, name)).exit(t, 0)
		return filepath.Join(dir, name)
	}
	before, slower := measure("before", "1us"), measure("slower", "100us")

	// The limits are far from what is true: nothing, and twice as much or more. What a noisy
	// machine may make of either is "cannot tell", and never the opposite.
	if all() {
		tracetax(t, "compare", before, measure("again", "1us"), "--filter", "metric:cpu_per_operation", "--budget", "cpu=60%").exit(t, 0, 4)
	}
	c := tracetax(t, "compare", before, slower, "--budget", "cpu=15%", "--json").exit(t, 3, 4)
	var doc finding.Comparison
	if err := json.Unmarshal(c.out.Bytes(), &doc); err != nil {
		t.Fatalf("stdout is not a comparison: %v", err)
	}
	if want := "traced: burn 1µs → 100µs"; len(doc.News) != 1 || len(doc.News[0].Changed) != 1 || doc.News[0].Changed[0] != want {
		t.Errorf("what is set differently: %+v, want %q", doc.News, want)
	}
	t.Log(doc.Summary)
	// "Cannot tell" is no answer to every question: what is burnt is to be seen on any machine.
	went := 0
	for _, change := range doc.Changes {
		if change.Headline && change.Operation == "json" && change.Variant == "traced" && change.Metric == "cpu_per_operation" && change.Role == "" {
			if went++; change.Absolute == nil || change.Absolute.Estimate < 60e-6 || change.Absolute.Estimate > 200e-6 {
				t.Errorf("CPU per operation went by %+v where 99 µs more are burnt", change.Absolute)
			}
		}
	}
	if went != 1 {
		t.Errorf("%d changes of the CPU per operation, want 1", went)
	}
	markdown := tracetax(t, "compare", before, slower, "--budget", "cpu=15%", "--markdown", "-").exit(t, c.ProcessState.ExitCode())
	if c.ProcessState.ExitCode() == 3 && !strings.HasPrefix(markdown.out.String(), "❌ **Since before, CPU per operation went up for traced on json by ") {
		t.Errorf("the Markdown begins with %.200q", markdown.out.String())
	}
}

// A search for a capacity, held against a cost that is known.

// Each operation burns 2 ms of the app's one CPU: at the rate found, what an operation used of the CPU comes to 75 %,
// within the two points that a search verifies, and one for the requests between the probes. Where the machine is too
// busy for a search it says so, and no rate; that is a right answer too.
func TestCapacity(t *testing.T) {
	more(t, "searches")
	out := filepath.Join(t.TempDir(), "results")
	tracetax(t, "run", write(t, `
workload: hello/go
operations: [json]
variants: {none: , burn: {tracer: synthetic-go, settings: {burn: 2ms}}}
load: {capacity: {cpu: 75%, from: 100}, warmup: 300ms, duration: 1500ms, idle: 100ms}
design: {blocks: 1}
`), "--quick", "--json", "--out", out).exit(t, 0, 1)
	runs := slices.DeleteFunc(records(t, out), func(r record.Record) bool { return r.Kind != record.Measured || r.Variant != "burn" || r.Failed() })
	if len(runs) == 0 {
		t.Fatal("no measured run succeeded")
	}
	phase := runs[0].Phases[0]
	c := phase.Capacity
	t.Logf("%s: %.1f/s, %s %s", c.Outcome, c.Rate, c.Binding, c.Note)
	if c.Outcome != record.Found {
		if c.Outcome != record.Unsteady && c.Outcome != record.ByGenerator || c.Rate != 0 {
			t.Errorf("%s at %g/s: nothing but a busy machine keeps this search from its end", c.Outcome, c.Rate)
		}
		return
	}
	app := 0.0
	for _, u := range phase.Usage {
		if u.Role == "app" && u.Process == "app" {
			app += u.CPUSeconds
		}
	}
	each := app / float64(phase.Load.Started)
	if each < 0.002 {
		t.Errorf("an operation is charged %g s; it burns 0.002", each)
	}
	if used := each * c.Rate; math.Abs(used-0.75) > 0.03 {
		t.Errorf("at %.1f/s, with %.6f s an operation, %.3f of the CPU is used; want 0.75", c.Rate, each, used)
	}
}

// The gate of a pull request: a commit against itself, both in one experiment, is never over its budget.

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
