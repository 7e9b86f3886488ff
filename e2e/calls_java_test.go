// Method calls: Java agents on the self-driving workload. What they are
// measured to cost is worth nothing unless their spans add up, so that is what is checked.

package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// callsDepth is how many calls lie in one another where nobody says otherwise.
const callsDepth = 10

// needJava leaves a test out where there is no JDK.
func needJava(t *testing.T) {
	t.Helper()
	need(t, "java", "javac", "mvn")
}

// One experiment over all that is claimed, since starting an agent takes seconds.
func TestCallsAddUp(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	needJava(t)
	otels, kiekers := []string{"otel"}, map[string]uint64{"kieker": 2, "kieker-file": 0}
	others := ""
	if all() { // ways of exporting and of weaving that the others have a part of
		otels, kiekers["kieker-aspectj"] = append(otels, "otel-http", "otel-zipkin"), 0
		others = `
  otel-http: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[monitoredMethod]", protocol: http/protobuf, delay: 200ms}}
  otel-zipkin: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[monitoredMethod]", export: zipkin, delay: 200ms}}
  kieker-aspectj: {tracer: kieker-java, settings: {class: tracetax.calls.Recursion, method: tracetax.calls.Recursion.monitoredMethod, weaver: aspectj}}`
	}
	file := write(t, `
workload: calls/java
operations: [call]
variants:
  none:
  otel: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[monitoredMethod]", protocol: grpc, delay: 200ms}}
  kieker: {tracer: kieker-java, settings: {method: tracetax.calls.Recursion.monitoredMethod}}
  kieker-file: {tracer: kieker-java, settings: {class: tracetax.calls.Recursion, method: tracetax.calls.Recursion.monitoredMethod, weaver: aspectj, mode: file}}
  blind: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[nobodysMethod]", delay: 200ms}}
  blind-unknown: {tracer: scouter-java, settings: {method: tracetax.calls.Recursion.nobodysMethod}}`+others+`
load: {calls: 20000, duration: 2s, warmup: 500ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`)
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", "--go-on", file, "--json", "--out", out).exit(t, 0, 3, 4))
	runs := measuredRuns(t, out)

	// The SDK says how many spans it dropped, the sink how many came: together they are
	// as many as were made, to the span, in every run.
	t.Run("OpenTelemetry", func(t *testing.T) {
		for _, name := range otels {
			r := runs[name]
			if r.Tracer.Dropped == nil {
				t.Errorf("%s: nothing is admitted: %+v", name, r.Tracer)
				continue
			}
			made := callsOf(r) * callsDepth
			if got := r.Life.Spans + *r.Tracer.Dropped; got != made || r.Life.Spans == 0 {
				t.Errorf("%s: %d spans received and %d dropped, in all %d of %d", name, r.Life.Spans, *r.Tracer.Dropped, got, made)
			}
		}
	})

	// Kieker waits where its queue is full, so all that was made comes. ByteBuddy's probe
	// records the initializer and the constructor of the class too.
	t.Run("Kieker", func(t *testing.T) {
		for name, ofClass := range kiekers {
			r := runs[name]
			if made := callsOf(r)*callsDepth + ofClass; r.Life.Spans != made {
				t.Errorf("%s: %d spans received of %d", name, r.Life.Spans, made)
			}
			if l := ledger(t, doc, "call", name); l.LostShare != 0 || entry(l, "delivered") != entry(l, "expected") || entry(l, "expected") == 0 {
				t.Errorf("%s: %+v", name, l)
			}
		}
	})

	// An agent that is attached and instruments nothing costs nothing: it does not pass,
	// neither where it is declared how many spans a call makes nor where it is learnt.
	t.Run("instruments nothing", func(t *testing.T) {
		if l := ledger(t, doc, "call", "blind"); l.LostShare != 1 || entry(l, "expected") != int64(l.Operations)*callsDepth {
			t.Errorf("the ledger does not show it: %+v", l)
		}
		var found []string
		for _, w := range doc.Warnings {
			if w.Code == "nothing-traced" {
				found = append(found, w.Where)
			}
		}
		if slices.Sort(found); !slices.Equal(found, []string{"blind", "blind-unknown"}) {
			t.Errorf("said to trace nothing: %q", found)
		}
	})
}

// measuredRuns are the runs of a result of one block, by variant.
func measuredRuns(t *testing.T, results string) map[string]record.Record {
	t.Helper()
	runs := map[string]record.Record{}
	for _, r := range records(t, results) {
		if r.Failed() {
			t.Fatalf("%s: %+v", r.Variant, r.Failure)
		}
		if r.Kind == record.Measured {
			runs[r.Variant] = r
		}
	}
	return runs
}

// callsOf is how many operations a run made over the life of its processes.
func callsOf(r record.Record) uint64 {
	calls := uint64(1) // the first operation
	for _, p := range r.Phases {
		calls += p.Warmup.Started + p.Load.Started
	}
	return calls
}
