// A server on one thread in Rust, and what becomes of its spans by the design of its exporter.

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	catalogue "github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/artifact"
	programconfig "github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// The exporter's own tests: those that bring their receivers, and those beside a real one, which counts what they say that
// it took.
func TestLoopExporter(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	need(t, "cargo", "cc")
	dir := builtLoop(t, [][]string{
		{"cargo", "test", "--locked", "--quiet", "--target-dir", "target", "--workspace", "--features", "loop"},
		{"find", "target/debug/deps", "-name", "receiver-*", "-perm", "-u+x", "-exec", "cp", "{}", "{build}/receiver", ";"},
	})
	server, err := sink.Start(sink.Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}, Checking: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := exec.CommandContext(t.Context(), filepath.Join(dir, "receiver"), "--ignored")
	c.Env = append(os.Environ(), "RECEIVER="+server.Addresses()[protocol.OTLPGRPC])
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "test result: ok. 2 passed; 0 failed; 0 ignored;") {
		t.Errorf("%s: want the two tests that need a receiver", out)
	}
	if counts := server.Snapshot().Counts; counts.Spans != 137+68 || counts.Unique() != counts.Spans || counts.Services["test"] != counts.Spans {
		t.Errorf("%+v: want 137 spans of one test, and 68 of another", counts)
	}
}

// builtLoop is the folder of what the commands build of the workload and its exporter.
func builtLoop(t *testing.T, commands [][]string) string {
	t.Helper()
	workload, err := programconfig.NewCatalog(catalogue.Files).Workload("proxy/rust")
	if err != nil {
		t.Fatal(err)
	}
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := store.Build(t.Context(), artifact.BuildRequest{Files: workload.Files, Commands: commands}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	return dir
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
		// That spans are held for two hours is said to the program alone: nobody waits for so long.
		variants += fmt.Sprintf("  %s: {tracer: loop, settings: {design: %[1]s, flush: 50, delay: 200ms}, env: {LOOP_DELAY: \"7200000\"}}\n", design)
	}
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: proxy/rust
operations: [now]
variants:
  none:
`+variants+`
load: {rate: 136/s, duration: 1s, warmup: 0s, idle: 50ms}
design: {blocks: 1, order: woven}
`)).exit(t, 0))
	for _, design := range designs {
		l := ledger(t, doc, "(run)", design)
		if entry(l, "expected") != 137 || entry(l, "delivered") != 137 || l.LostShare != 0 {
			t.Errorf("%s: %+v, want all 137 spans", design, l) // what came at the stop is nobody's for sure, so it is not exact
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
design: {blocks: 1, order: woven}
`)).exit(t, 0))
	for _, design := range []string{"thread", "sdk", "async"} {
		l := ledger(t, doc, "(run)", design)
		if entry(l, "dropped") < 100 || entry(l, "delivered")+entry(l, "dropped") != 401 || !l.Exact {
			t.Errorf("%s: %+v, want 401 spans, each delivered or dropped", design, l)
		}
	}
}

// Before a receiver that does not answer, every export ends by its time-out, also one that began at the stop; and what no
// export took until then was lost at the stop. Before one that is late all fail, and yet all come.
func TestLoopSilent(t *testing.T) {
	more(t, "event loops")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	need(t, "go", "cargo", "cc")
	designs := []string{"async", "sync", "thread", "thread-held", "sdk"}
	variants := "  sdk: {tracer: loop, settings: {design: sdk, flush: 10, buffer: 20, delay: 200ms, timeout: 2s}, faults: {sink-gone: silent}}\n"
	for _, design := range designs {
		variants += fmt.Sprintf("  late-%s: {tracer: loop, settings: {design: %[1]s, flush: 125, delay: 200ms, timeout: 250ms}, faults: {sink-late: 500ms}}\n", design)
	}
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: proxy/rust
operations: [now]
variants:
  none:
  silent: {tracer: loop, settings: {flush: 50, delay: 200ms}, env: {LOOP_DELAY: "7200000"}, faults: {sink-gone: silent}}
  more: {tracer: loop, settings: {flush: 1, delay: 200ms, timeout: 2s}, faults: {sink-gone: silent}}
`+variants+`
load: {rate: 400/s, duration: 1s, warmup: 0s, idle: 50ms}
design: {blocks: 1, order: woven}
`)).exit(t, 0))
	l := ledger(t, doc, "(run)", "silent")
	if entry(l, "failed-export") != 401 || !l.Exact {
		t.Errorf("silent: %+v, want all 401 spans in failed exports, the last one too", l)
	}
	l = ledger(t, doc, "(run)", "more")
	if failed, held := entry(l, "failed-export"), entry(l, "lost-at-stop"); failed < 64 || held < 1 || failed+held != 401 {
		t.Errorf("more: %+v, want 401 spans, in failed exports or lost at the stop", l)
	}
	l = ledger(t, doc, "(run)", "sdk") // its processor does not tell of what it dropped where its stop runs out of time
	if held := entry(l, "lost-at-stop"); held < 1 || held > 30 || entry(l, "dropped")+entry(l, "failed-export")+held != 401 {
		t.Errorf("sdk: %+v, want 401 spans, of which it held 30 at most at the stop", l)
	}
	for _, design := range designs {
		l := ledger(t, doc, "(run)", "late-"+design)
		if entry(l, "delivered") != 401 || l.LostShare != 0 {
			t.Errorf("late-%s: %+v, want all 401 spans", design, l)
		}
	}
}

// What the exporter for servers on one thread costs, and that all spans come.

// A span costs 5 µs of the loop's CPU time at most, in exports of 125. The last export is not full, and comes as well.
func TestLoopExporterCost(t *testing.T) {
	t.Parallel() // its figure is CPU time, of which others beside take little
	need(t, "cargo", "cc")
	const spans, most = 20_060, 5.0
	dir := builtLoop(t, [][]string{
		{"cargo", "build", "--locked", "--quiet", "--release", "--package", "loop-exporter", "--example", "cost", "--target-dir", "target"},
		{"cp", "target/release/examples/cost", "{build}/cost"},
	})
	server, err := sink.Start(sink.Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}, Checking: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "cost"), server.Addresses()[protocol.OTLPGRPC], fmt.Sprint(spans)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	var each float64
	var recorded, delivered int
	if _, err := fmt.Sscanf(string(out), "%f µs a span, %d recorded, %d delivered, 0 dropped, 0 failed, 0 buffered", &each, &recorded, &delivered); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if each <= 0 || each > most || recorded != spans || delivered != spans {
		t.Errorf("%s: want %d spans, all delivered, at %v µs at most", out, spans, most)
	}
	if counts := server.Snapshot().Counts; counts.Spans != spans || counts.Unique() != counts.Spans {
		t.Errorf("%+v: want %d spans, each once", counts, spans)
	}
}
