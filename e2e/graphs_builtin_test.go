// The built-in graphs, each with each tracer; and what becomes of 31 processes, or 62, where one is killed, or tracetax is.

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/lab/graphs"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// Nodes, Envoys, the sink and Jaeger count what the topology makes of the operations that were started, by real stores where it has some.
func TestGraphs(t *testing.T) {
	need(t, "redis-server", "memcached")
	capturing(t)
	for _, name := range []string{"boutique", "hotel", "social-network"} {
		t.Run(name, func(t *testing.T) {
			if name != "social-network" { // the largest
				more(t, "graphs")
			}
			t.Parallel() // it counts, whatever rate a busy machine holds
			g, err := graphs.Read(filepath.Join("..", "workloads", "graph", name, name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "results")
			c := tracetax(t, "run", "--go-on", builtInGraph(t, name, `
variants:
  none:
  packets: {tracer: packets, settings: {buffer: 16384}}
  otel: {tracer: otel, settings: {delay: 200ms}}
  jaeger: {tracer: otel, settings: {delay: 200ms}, to: jaeger}
  mesh: {tracer: mesh, on: all}
load: {rate: 40/s, warmup: 200ms, duration: 1s, idle: 100ms}
design: {blocks: 1}
`), "--out", out, "--json").exit(t, 0)
			doc := document(t, c)
			for _, variant := range []string{"otel", "jaeger"} {
				if l := ledger(t, doc, "mix", variant); variant == "otel" && !l.Exact || l.LostShare != 0 || entry(l, "unaccounted") != 0 || entry(l, "delivered") == 0 {
					t.Errorf("%s: the ledger is exact: %t, with %d spans delivered and %d unaccounted: %s", variant, l.Exact, entry(l, "delivered"), entry(l, "unaccounted"), l.Verdict)
				}
			}
			if len(doc.Packets) != 1 || doc.Packets[0].Captured == nil || *doc.Packets[0].Captured == 0 {
				t.Errorf("packets of %+v", doc.Packets)
			}
			looked := map[string]bool{}
			for _, r := range records(t, out) {
				if r.Failed() {
					t.Errorf("%s failed: %+v", r.Variant, r.Failure)
				}
				if r.Kind == record.Measured {
					looked[r.Variant] = true
					addsUp(t, g, r, answered(t, out, fmt.Sprintf("%03d-%s-%d", r.Block, r.Variant, r.Attempt), g))
				}
			}
			if len(looked) != 5 {
				t.Errorf("looked at %v, want 5 variants", looked)
			}
		})
	}
}

// builtInGraph writes an experiment over a built-in graph, with these lines.
func builtInGraph(t *testing.T, name, lines string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "e.yaml")
	if err := os.WriteFile(file, []byte("workload: graph/"+name+lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// addsUp compares what was counted in a run with what the graph makes of the operations that were started.
func addsUp(t *testing.T, g *topology.Graph, r record.Record, answered map[string]uint64) {
	t.Helper()
	ownStores, calls, spans := false, uint64(0), uint64(0)
	for call, n := range graphCalls(g, r) {
		of, _ := g.Find(call)
		calls, spans = calls+n, spans+n // of the caller
		switch {
		case of.Store && of.Node.Kind != "":
			ownStores = true
			continue // it does not say how many it answered
		case !of.Store:
			spans += n
		}
		if answered[call] != n {
			t.Errorf("%s: %s answered %d calls, and the topology makes %d of the operations", r.Variant, call, answered[call], n)
		}
	}
	for _, n := range started(r) { // the load makes no span
		spans -= n
	}
	switch {
	case r.Variant == "otel" && r.Life.Spans != spans:
		t.Errorf("%d spans came to the sink, and the topology makes %d", r.Life.Spans, spans)
	case r.Variant == "jaeger" && (r.Backend == nil || r.Backend.Stored != spans || r.Backend.Answered == nil || *r.Backend.Answered != spans):
		t.Errorf("Jaeger stored %+v, and the topology makes %d spans", r.Backend, spans)
	case r.Variant == "mesh" && ownStores && r.Tracer.Calls != nil:
		t.Errorf("%d calls are counted, though Envoy passes those of stores on", *r.Tracer.Calls)
	case r.Variant == "mesh" && !ownStores && (r.Tracer.Calls == nil || *r.Tracer.Calls != calls):
		t.Errorf("Envoys count %s calls, and the topology makes %d (%s)", uintOf(r.Tracer.Calls), calls, r.Tracer.Unreported)
	}
	for _, p := range r.Phases {
		if p.Load.Failed > 0 || p.Load.Completed == 0 {
			t.Errorf("%s: %d operations failed, and %d did not", r.Variant, p.Load.Failed, p.Load.Completed)
		}
	}
}

// programs are the processes of a run whose command line ends in something, without their keepers.
func (c *command) programs(ending string) (pids []int) {
	for _, process := range c.left() {
		pid, rest, _ := strings.Cut(process, " ")
		if number, err := strconv.Atoi(pid); err == nil && strings.Contains(rest, ending) && !strings.Contains(rest, " agent ") {
			pids = append(pids, number)
		}
	}
	return pids
}

// One of 31 processes is killed, or one of as many sidecars: that is what the run failed of.
func TestGraphOneIsKilled(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name, variants, process, file string
		always                        bool
	}{
		{"node", "{none: , same: {tracer: none, env: {A: b}}}", "post-storage", "/post-storage/plan.json", true},
		{"sidecar", "{none: , mesh: {tracer: mesh, on: all}}", "sidecar@post-storage", "/sidecar@post-storage/envoy.json", false},
	} {
		t.Run(one.name, func(t *testing.T) {
			if !one.always {
				more(t, "graphs")
			}
			out := filepath.Join(t.TempDir(), "results")
			c := tracetax(t, "run", builtInGraph(t, "social-network", "\nvariants: "+one.variants+"\nload: {rate: 20/s, warmup: 200ms, duration: 1s, idle: 100ms}\ndesign: {blocks: 1}\n"), "--out", out)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "it is killed while all are there", func() bool {
				if logs, err := filepath.Glob(filepath.Join(out, "logs", "*", "nginx-thrift.log")); err != nil || len(logs) < 2 { // which stands behind all that it calls
					return false
				}
				pids := c.programs(one.file)
				return len(pids) > 0 && syscall.Kill(pids[0], syscall.SIGKILL) == nil
			})
			c.ended(t, c.Wait(), 0, 1) // 1: it was killed before it was ready
			failed := 0
			for _, r := range records(t, out) {
				if r.Failed() && r.Failure.Stage != "block" { // which is that of the other run of the block
					if failed++; r.Failure.Process != one.process || !strings.Contains(r.Failure.Message, "SIGKILL") {
						t.Errorf("%s failed with %+v, which does not name %s", r.Variant, r.Failure, one.process)
					}
				}
			}
			if failed == 0 {
				t.Error("no run failed")
			}
			if other := c.left(); len(other) > 0 {
				t.Errorf("processes are left: %v", other)
			}
		})
	}
}

// Where tracetax is killed, none of 31 nodes and 31 sidecars is left.
func TestGraphTracetaxIsKilled(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", builtInGraph(t, "social-network", "\nvariants: {none: , mesh: {tracer: mesh, on: all}}\nload: {rate: 20/s, warmup: 200ms, duration: 1s, idle: 100ms}\ndesign: {blocks: 1}\n"),
		"--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the mesh stands", func() bool {
		logs, err := filepath.Glob(filepath.Join(out, "logs", "*", "sidecar@nginx-thrift.log"))
		return err == nil && len(logs) > 0 && len(c.programs("/envoy.json")) == 31 && len(c.programs("/plan.json")) >= 31
	})
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("it ended before it was killed")
	}
	await(t, "nothing is left", func() bool { return len(c.left()) == 0 })
}
