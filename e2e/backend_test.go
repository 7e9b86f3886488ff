// Spans that are stored in a real backend, in the place of the sink.

package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// Zipkin behind a Collector, which then sends what Zipkin takes in: it has stored all spans that were made, by its own word and
// by what it answers, and what it uses is a part of the variant's cost. Where it keeps few, it answers with fewer than it stored.
func TestToZipkin(t *testing.T) {
	t.Parallel()
	backends(t, "zipkin", "settings: {delay: 100ms}, via: collector", 500)
}

// Straight behind a tracer that sends Zipkin's own format.
func TestZipkinBehindATracer(t *testing.T) {
	more(t, "backends")
	t.Parallel()
	doc := document(t, tracetax(t, "run", "--json", "--out", filepath.Join(t.TempDir(), "results"), write(t, `
workload: hello/flask
operations: [json]
variants:
  none:
  otel: {tracer: otel, settings: {export: zipkin, delay: 100ms}, to: zipkin}
load: {rate: 50/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, order: woven}
`)).exit(t, 0))
	l := ledger(t, doc, "json", "otel")
	if l.Hop != "app → zipkin" || l.Operations == 0 || entry(l, "delivered") != int64(l.Operations) || l.LostShare != 0 {
		t.Errorf("%+v", l)
	}
}

// The same of Jaeger, straight behind the tracer.
func TestToJaeger(t *testing.T) {
	more(t, "backends")
	t.Parallel()
	backends(t, "jaeger", "settings: {delay: 100ms}", 100)
}

// Jaeger as a Collector: all spans pass through it, and both sides of the way are counted.
func TestViaJaeger(t *testing.T) {
	more(t, "backends")
	t.Parallel()
	doc := document(t, tracetax(t, "run", "--json", "--out", filepath.Join(t.TempDir(), "results"), write(t, `
workload: hello/go
operations: [remote]
variants:
  none:
  hop: {tracer: otel, settings: {delay: 100ms}, via: jaeger}
load: {rate: 200/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1}
`)).exit(t, 0))
	l := ledger(t, doc, "remote", "hop")
	if made := 3 * int64(l.Operations); made == 0 || entry(l, "delivered") != made || !l.Exact {
		t.Errorf("%+v", l)
	}
	if page := pageOf(t, l, "jaeger", "sink"); page.Outcome != finding.HopWhole {
		t.Errorf("from Jaeger: %+v", page)
	}
}

// backends runs a variant with a backend, and one with the same backend that keeps so many of its spans or traces.
func backends(t *testing.T, name, how string, keeps int) {
	t.Helper()
	setting := map[string]string{"zipkin": "spans", "jaeger": "traces"}[name]
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", "--json", "--out", out, write(t, fmt.Sprintf(`
workload: hello/go
operations: [remote]
variants:
  none:
  all: {tracer: otel, %s, to: %s}
  few: {tracer: otel, %s, to: {%s: {%s: %d}}}
load: {rate: 200/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, order: woven}
`, how, name, how, name, setting, keeps))).exit(t, 0))
	for _, variant := range []string{"all", "few"} {
		l := ledger(t, doc, "remote", variant)
		if made := int64(l.Operations); l.Hop != "app → "+name || entry(l, "delivered") != 3*made || l.LostShare != 0 || entry(l, "unaccounted") != 0 || made == 0 {
			t.Errorf("%s: %+v", variant, l)
		}
	}
	if strings.Contains(how, "via") {
		if page := pageOf(t, ledger(t, doc, "remote", "all"), "collector", name); page.Outcome != finding.HopWhole {
			t.Errorf("from the Collector: %+v", page)
		}
	}
	for _, r := range records(t, out) {
		if r.Kind != "measured" || r.Variant == "none" {
			continue
		}
		b := r.Backend
		if b == nil || b.Name != name || b.Answered == nil || b.Stored != r.Life.Spans || b.Stored == 0 {
			t.Errorf("%s: the backend says %+v, and %d spans were counted", r.Variant, b, r.Life.Spans)
			continue
		}
		if whole := *b.Answered == b.Stored; whole != (r.Variant == "all") || *b.Answered > b.Stored {
			t.Errorf("%s: of %d spans it answers with %d", r.Variant, b.Stored, *b.Answered)
		}
	}
	var warned []string
	for _, w := range doc.Warnings {
		if w.Code == "backend-differs" {
			warned = append(warned, w.Where)
		}
	}
	if strings.Join(warned, " ") != "few" {
		t.Errorf("backend-differs is told of %q, want few", warned)
	}
	cost := map[role.Role]float64{}
	for _, f := range doc.Findings {
		if f.Variant == "all" && f.Metric == "cpu_per_operation" && f.Against == "none" && f.Service == "" {
			cost[role.Role(f.Role)] = float64(f.Value)
		}
		if f.Metric == "export_bytes_per_operation" && f.Variant == "all" {
			t.Errorf("bytes that nobody counted: %+v", f)
		}
	}
	if sum := cost[role.App] + cost[role.Collector] + cost[role.Backend]; cost[role.Backend] <= 0 || cost[""] < sum*.999 || cost[""] > sum*1.001 {
		t.Errorf("CPU per operation by role: %v", cost)
	}
}

// A backend that is killed in the middle of a run is what the run failed of, with its last lines; it is made again.
func TestBackendIsKilled(t *testing.T) {
	more(t, "backends")
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", write(t, `
workload: hello/go
operations: [json]
variants:
  none:
  stored: {tracer: otel, settings: {delay: 100ms}, via: collector, to: zipkin}
load: {rate: 200/s, warmup: 200ms, duration: 3s, idle: 50ms}
design: {blocks: 1, seed: 3, order: woven}
`), "--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "Zipkin is killed while the load runs", func() bool { return c.killProcess(t, out, "zipkin", "/zipkin.jar") })
	c.ended(t, c.Wait(), 0)
	failed := 0
	for _, r := range records(t, out) {
		if r.Failed() {
			failed++
			if r.Variant != "stored" || r.Failure.Process != "zipkin" || !strings.Contains(r.Failure.Message, "SIGKILL") || len(r.Failure.Log) == 0 {
				t.Errorf("%s failed with %+v, which does not name Zipkin and its last lines", r.Variant, r.Failure)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d failed runs, want 1", failed)
	}
}

// What becomes of a web service's run when its database does not play along.

// A database that stops: the run that had it is recorded as failed and made again, and
// the others are not touched.
func TestDatabaseStops(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", "--go-on", write(t, `
workload: requests/gohttp
operations: [db]
variants:
  none:
  again: {tracer: none}
load: {rate: 200/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, seed: 3, order: woven}
`), "--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "a run is kept", func() bool { return count(out) > 0 })
	await(t, "the next run's database is killed", func() bool { return c.killDatabase(t) })
	c.ended(t, c.Wait(), 0)
	good, failed := map[string]int{}, 0
	for _, r := range records(t, out) {
		switch {
		case r.Failed():
			if portWasTaken(r) {
				continue
			}
			failed++
			if text := r.Failure.Message; !strings.Contains(text, "db") || !strings.Contains(text, "137") {
				t.Errorf("it failed with %q, which does not name the database", text)
			}
		case r.Block > 0:
			good[r.Variant]++
		}
	}
	if failed != 1 || good["none"] != 1 || good["again"] != 1 {
		t.Errorf("%d failed runs, good ones %v; want 1 of each", failed, good)
	}
}

// portWasTaken tells that another program of the machine took a port between its choice and its use: such a run is
// tried again on other ports, which is what is wanted.
func portWasTaken(r record.Record) bool {
	return strings.Contains(r.Failure.Message, "address already in use")
}

// killDatabase kills the PostgreSQL of the run that is under way, once the service listens: it is
// connected then, and does not end for want of it.
func (c *command) killDatabase(t *testing.T) bool {
	t.Helper()
	database, service := 0, false
	for _, process := range c.left() {
		if _, folder, is := strings.Cut(process, "/postgres -D "); is { // the server, or one that it has just begun
			text, err := os.ReadFile(filepath.Join(strings.TrimSpace(folder), "postmaster.pid"))
			if err == nil {
				pid, _, _ := strings.Cut(string(text), "\n")
				database, _ = strconv.Atoi(pid)
			}
		}
		if _, rest, is := strings.Cut(process, "/world -listen "); is {
			address, _, _ := strings.Cut(rest, " ")
			look, err := net.Dial("tcp", address)
			if service = err == nil; service {
				look.Close()
			}
		}
	}
	return service && database > 0 && syscall.Kill(database, syscall.SIGKILL) == nil
}

// A database that refuses connections: the variant that is told of it fails in the
// service's own words, and the other is measured.
func TestDatabaseRefuses(t *testing.T) {
	more(t, "database")
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", "--go-on", write(t, `
workload: requests/gohttp
operations: [db]
variants:
  none:
  refused: {tracer: none, args: [-database, "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable"]}
  again: {tracer: none}
load: {rate: 200/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, seed: 3, order: woven}
`), "--out", out)
	c.exit(t, 0)
	failed := 0
	for _, r := range records(t, out) {
		if !r.Failed() {
			continue
		}
		failed++
		if text := r.Failure.Message + strings.Join(r.Failure.Log, "\n"); r.Variant != "refused" || !strings.Contains(text, "connection refused") {
			t.Errorf("%s failed: %s", r.Variant, text)
		}
	}
	if failed == 0 {
		t.Error("nobody failed")
	}
	if said := c.errOut.String(); !strings.Contains(said, "connection refused") {
		t.Errorf("the service's last words are not shown: %s", tail(said))
	}
}
