// What the exporter for servers on one thread costs, and that all spans come.

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	catalogue "github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// A span costs 5 µs of the loop's CPU time at most, in exports of 125. The last export is not full, and comes as well.
func TestLoopExporterCost(t *testing.T) {
	t.Parallel() // its figure is CPU time, of which others beside take little
	need(t, "cargo", "cc")
	const spans, most = 20_060, 5.0
	workload, err := config.NewCatalog(catalogue.Files).Workload("proxy/rust")
	if err != nil {
		t.Fatal(err)
	}
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := store.Build(t.Context(), artifact.BuildRequest{Files: workload.Files, Commands: [][]string{
		{"cargo", "build", "--locked", "--quiet", "--release", "--package", "loop-exporter", "--example", "cost", "--target-dir", "target"},
		{"cp", "target/release/examples/cost", "{build}/cost"},
	}}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
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
