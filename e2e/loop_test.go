// A server on one thread in Rust, and what becomes of its spans by the design of its exporter.

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	catalogue "github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/spec"
)

// The exporter's own tests, beside a real receiver, which counts what they say that it took.
func TestLoopExporter(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	need(t, "cargo", "cc")
	workload, err := spec.NewCatalog(catalogue.Files).Workload("proxy/rust")
	if err != nil {
		t.Fatal(err)
	}
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	cargo := []string{"cargo", "test", "--locked", "--quiet", "--target-dir", "target"}
	dir, err := store.Build(t.Context(), artifact.BuildRequest{Files: workload.Files, Commands: [][]string{
		append(cargo[:len(cargo):len(cargo)], "--features", "loop", "--bin", "proxy"),
		append(cargo[:len(cargo):len(cargo)], "--package", "loop-exporter", "--test", "receiver", "--no-run"),
		{"find", "target/debug/deps", "-name", "receiver-*", "-perm", "-u+x", "-exec", "cp", "{}", "{build}/receiver", ";"},
	}}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	server, err := sink.Start(sink.Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}, Checking: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := exec.CommandContext(t.Context(), filepath.Join(dir, "receiver"))
	c.Env = append(os.Environ(), "RECEIVER="+server.Addresses()[protocol.OTLPGRPC])
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if counts := server.Snapshot().Counts; counts.Spans != 137+68 || counts.Unique() != counts.Spans || counts.Services["test"] != counts.Spans {
		t.Errorf("%+v: want 137 spans of one test, and 68 of another", counts)
	}
}

// Of the requests that leave an Envoy with 37 spans which it throws away at its stop, every design delivers all.
func TestLoopDesigns(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	need(t, "go", "cargo", "cc")
	designs := []string{"async"}
	if all() {
		designs = append(designs, "sync", "thread", "thread-held", "sdk")
	}
	variants := ""
	for _, design := range designs {
		// That spans are held for a minute is said to the program alone, so that nobody waits for them.
		variants += fmt.Sprintf("  %s: {tracer: loop, settings: {design: %[1]s, flush: 50, delay: 200ms}, env: {LOOP_DELAY: \"60000\"}}\n", design)
	}
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: proxy/rust
operations: [now]
variants:
  none:
`+variants+`
load: {rate: 136/s, duration: 1s, warmup: 0s, idle: 50ms}
design: {blocks: 1}
`)).exit(t, 0))
	for _, design := range designs {
		l := ledger(t, doc, "(run)", design)
		if entry(l, "expected") != 137 || entry(l, "delivered") != 137 || l.LostShare != 0 {
			t.Errorf("%s: %+v, want all 137 spans", design, l) // what came at the stop is nobody's for sure, so that it is not exact
		}
	}
}

// Where the receiver is late and the buffer small, spans are dropped, and the designs say how many.
func TestLoopDrops(t *testing.T) {
	more(t, "event loops")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: proxy/rust
operations: [now]
variants:
  none:
  thread: {tracer: loop, settings: {design: thread, flush: 10, buffer: 20, delay: 200ms}, faults: {sink-late: 500ms}}
  sdk: {tracer: loop, settings: {design: sdk, flush: 10, buffer: 20, delay: 200ms}, faults: {sink-late: 500ms}}
  async: {tracer: loop, settings: {flush: 1, buffer: 5, delay: 200ms}, faults: {sink-late: 1s}}
load: {rate: 400/s, duration: 1s, warmup: 0s, idle: 50ms}
design: {blocks: 1}
`)).exit(t, 0))
	for _, design := range []string{"thread", "sdk", "async"} {
		l := ledger(t, doc, "(run)", design)
		if entry(l, "dropped") < 100 || entry(l, "delivered")+entry(l, "dropped") != 401 || !l.Exact {
			t.Errorf("%s: %+v, want 401 spans, each delivered or dropped", design, l)
		}
	}
}
