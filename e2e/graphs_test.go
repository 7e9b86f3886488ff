// Graphs of services: calls counted at the nodes and spans counted at the sink are those of the topology, exactly, in a mix too.

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	programconfig "github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/topology"
)

const shopGraph = `protocol: grpc
nodes:
  front:
    protocol: http
    work: 20us
    methods:
      home: {answer: 2kB, steps: [cart.get, {at_once: [{call: stock.look, times: 3}, {in_turn: [price.ask, cart.get]}]}, {call: mail.send, background: true}]}
      slow: {steps: [late.ask]}
      bare: {}
  cart: {request: 40, methods: {get: {steps: [kept.get, {call: kept.set, times: 2}, rows.find, cells.put]}}}
  stock: {replicas: 2, answer: 300}
  price: {protocol: http, request: 20}
  mail: {}
  late: {wait: 5ms}
  idle: {}
stores: {kept: {answer: 200}, rows: {protocol: grpc, answer: 30}, cells: {protocol: thrift, request: 30}}
operations: {home: {call: front.home}, slow: {call: front.slow}, bare: {call: front.bare}}
mix: {home: 50%, slow: 20%, bare: 30%}
`

func TestGraph(t *testing.T) {
	t.Parallel() // it counts
	g, file := graphOf(t, shopGraph, `
variants: {none: , otel: {tracer: otel, settings: {delay: 200ms}}, half: {tracer: otel, settings: {sampling: 50%, delay: 200ms}}}
load: {rate: 60/s, warmup: 500ms, duration: 1s, idle: 100ms}
design: {blocks: 2}
`)
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", file, "--out", out, "--json").exit(t, 0)
	doc := document(t, c)
	for _, variant := range []string{"otel", "half"} {
		l := ledger(t, doc, "mix", variant)
		settled := l.Exact || variant == "half" && !l.ByChance // on a busy machine spans may come after a drain that cannot await them
		if !settled || entry(l, "unaccounted") != 0 || entry(l, "delivered") == 0 {
			t.Errorf("%s: the ledger of the mix is exact: %t, with %d spans delivered and %d unaccounted: %s", variant, l.Exact, entry(l, "delivered"), entry(l, "unaccounted"), l.Verdict)
		}
	}
	if other := c.left(); len(other) > 0 {
		t.Errorf("processes are left: %v", other)
	}
	checked := 0
	for _, r := range records(t, out) {
		if r.Kind != record.Measured {
			continue
		}
		checked++
		name := fmt.Sprintf("%03d-%s-%d", r.Block, r.Variant, r.Attempt)
		want := graphCalls(g, r)
		for call, n := range answered(t, out, name, g) {
			if n != want[call] {
				t.Errorf("run %s: %s answered %d calls, and the topology makes %d of the operations", name, call, n, want[call])
			}
			delete(want, call)
		}
		if len(want) > 0 {
			t.Errorf("run %s: nobody says how often these were called: %v", name, want)
		}
	}
	if checked != 6 {
		t.Errorf("%d runs were looked at, want 6", checked)
	}
}

// graphOf writes a topology, and an experiment over it with these lines.
func graphOf(t *testing.T, graph, lines string) (g *topology.Graph, experiment string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"shop.yaml": graph, "e.yaml": "workload: {topology: shop.yaml}" + lines} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g, err := programconfig.ReadTopology(filepath.Join(dir, "shop.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return g, filepath.Join(dir, "e.yaml")
}

// graphCalls are the calls that the operations of a run make, by NODE.METHOD.
func graphCalls(g *topology.Graph, r record.Record) map[string]uint64 {
	started := map[string]uint64{r.Start.FirstOperation: 1}
	for _, p := range r.Phases {
		for _, part := range record.Counted(p.Warmup, p.Load).Parts {
			started[part.Operation] += part.Started
		}
	}
	out := map[string]uint64{}
	for _, o := range g.Operations {
		for call, n := range g.Count(o).Of {
			out[call] += uint64(n.Low) * started[o.Name]
		}
	}
	return out
}

var answeredLine = regexp.MustCompile(`node: answered (\d+) calls of (\S+)`)

// answered are the calls that the nodes of a run say they answered when they stopped, replicas together.
func answered(t *testing.T, out, run string, g *topology.Graph) map[string]uint64 {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(out, "logs", run, "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs of run %s: %v", run, err)
	}
	counts := map[string]uint64{}
	for _, file := range logs {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		process := strings.TrimSuffix(filepath.Base(file), ".log")
		for _, m := range answeredLine.FindAllStringSubmatch(string(text), -1) {
			n, err := strconv.ParseUint(m[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			call := process + "." + m[2]
			if _, known := g.Find(call); !known {
				call = strings.TrimRight(process, "-0123456789") + "." + m[2]
			}
			counts[call] += n
		}
	}
	return counts
}

// A node that is killed is what the run failed of.
func TestGraphNodeIsKilled(t *testing.T) {
	more(t, "graphs")
	t.Parallel()
	dir := t.TempDir()
	graph, out := filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "results")
	if err := os.WriteFile(graph, []byte(shopGraph), 0o644); err != nil {
		t.Fatal(err)
	}
	c := tracetax(t, "run", "--graph", graph, "--rate", "20/s", "--duration", "3s", "--blocks", "1", "--variant", "none", "--variant", "otel:tracer=otel,delay=200ms", "--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "a node is killed while the load runs", func() bool {
		if logs, err := filepath.Glob(filepath.Join(out, "logs", "*", "front.log")); err != nil || len(logs) < 2 {
			return false // the first is that of a calibration
		}
		for _, process := range c.left() {
			pid, rest, _ := strings.Cut(process, " ")
			if !strings.Contains(rest, "/cart/plan.json") || strings.Contains(rest, "agent") {
				continue
			}
			number, err := strconv.Atoi(pid)
			return err == nil && syscall.Kill(number, syscall.SIGKILL) == nil
		}
		return false
	})
	c.ended(t, c.Wait(), 0, 1) // 1: it was killed before it was ready, in the first run
	failed := 0
	for _, r := range records(t, out) {
		if r.Failed() && r.Failure.Stage != "block" { // which is that of the other run of the block
			if failed++; r.Failure.Process != "cart" || !strings.Contains(r.Failure.Message, "SIGKILL") {
				t.Errorf("%s failed with %+v, which does not name the node", r.Variant, r.Failure)
			}
		}
	}
	if failed == 0 {
		t.Error("no run failed")
	}
	if other := c.left(); len(other) > 0 {
		t.Errorf("processes are left: %v", other)
	}
}

// What the kernel drops of packets is told, by a buffer that is too small, and that nothing is dropped by a large one.
func TestGraphPackets(t *testing.T) {
	capturing(t)
	dir := t.TempDir()
	graph, file := filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "e.yaml")
	for name, text := range map[string]string{graph: shopGraph, file: `workload: {topology: shop.yaml}
operations: [home]
variants: {none: , small: {tracer: packets, settings: {buffer: 32}}, large: {tracer: packets, settings: {buffer: 131072}}}
load: {connections: 32, warmup: 300ms, duration: 1s, idle: 100ms}
design: {blocks: 1}
`} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := tracetax(t, "run", file, "--out", filepath.Join(dir, "results"), "--json").exit(t, 0)
	doc := document(t, c)
	if other := c.left(); len(other) > 0 {
		t.Errorf("processes are left: %v", other)
	}
	if len(doc.Packets) != 2 || len(doc.Untraced) > 0 {
		t.Fatalf("packets of %+v, want two variants; without spans: %+v", doc.Packets, doc.Untraced)
	}
	for _, p := range doc.Packets {
		if p.Captured == nil || p.Dropped == nil || *p.Captured < 1000 || p.Bytes < 60**p.Captured || (*p.Dropped > 0) != (p.Variant == "small") {
			t.Errorf("%+v (captured %v, dropped %v)", p, p.Captured, p.Dropped)
		}
		warned := slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool { return w.Code == "packets-dropped" && w.Where == p.Variant })
		if warned != (p.Variant == "small") {
			t.Errorf("%s is warned of: %t", p.Variant, warned)
		}
		if cpu := cpuOf(t, doc, "home", p.Variant, "collector"); cpu <= 0 {
			t.Errorf("%s uses %g s of CPU an operation", p.Variant, cpu)
		}
	}
}

// capturing leaves a test out where packets cannot be captured.
func capturing(t *testing.T) {
	t.Helper()
	if text, err := exec.Command("tcpdump", "-i", "lo", "-L").CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("tcpdump may not capture packets here: %v %s", err, text))
	}
}

// cpuOf is the CPU per operation that a variant has of a role.
func cpuOf(t *testing.T, doc finding.Document, operation, variant, name string) float64 {
	t.Helper()
	for _, f := range doc.Findings {
		if f.Operation == operation && f.Variant == variant && f.Metric == "cpu_per_operation" && f.Role == name && f.Service == "" {
			return f.Value
		}
	}
	t.Fatalf("no CPU of %s in %s", name, variant)
	return 0
}

// A node that waits a millisecond makes the answer later, and takes no more CPU.
func TestGraphWaits(t *testing.T) {
	dir := t.TempDir()
	graph := filepath.Join(dir, "waits.yaml")
	if err := os.WriteFile(graph, []byte(`nodes:
  front: {methods: {soon: {steps: [ready.ask]}, later: {steps: [waiting.ask]}}}
  ready: {}
  waiting: {wait: 1ms}
operations: {soon: {call: front.soon}, later: {call: front.later}}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	doc := document(t, tracetax(t, "run", "--graph", graph, "--rate", "100/s", "--duration", "2s", "--blocks", "1", "--variant", "none", "--variant", "same:tracer=none,env.A=b",
		"--out", filepath.Join(dir, "results"), "--json").exit(t, 0))
	at := func(operation, metric string) float64 { return find(t, doc, operation, "same", metric).Baseline }
	if more := at("later", "latency_p50") - at("soon", "latency_p50"); more < 1e-3 {
		t.Errorf("the answer comes %g s later, want 1 ms at least", more)
	}
	if more := at("later", "cpu_per_operation") - at("soon", "cpu_per_operation"); more > 0.5e-3 {
		t.Errorf("waiting takes %g s of CPU", more)
	}
}

// meshGraph is the graph with a service of each protocol.
var meshGraph = strings.Replace(shopGraph, "stock: {", "stock: {protocol: thrift, ", 1)

// Envoys count the calls that the topology makes, whatever they parse and whether they speak TLS, and each of their spans comes;
// what a sidecar burns is found in the service beside which it is.
func TestGraphMesh(t *testing.T) {
	t.Parallel() // it counts
	g, file := graphOf(t, meshGraph, `
variants:
  none:
  mesh: {tracer: mesh, on: all}
  mtls: {tracer: mesh, on: all, settings: {mtls: on}}
  node: {tracer: mesh, on: all, settings: {shape: node}}
  http: {tracer: mesh, on: all, settings: {protocol: http}}
  spans: {tracer: mesh, on: all, settings: {tracing: on, delay: 200ms}}
  front: {tracer: burner, on: front, settings: {burn: 0}}
  burnt: {tracer: burner, on: front, settings: {burn: 1000}}
load: {rate: 60/s, warmup: 300ms, duration: 1s, idle: 100ms}
design: {blocks: 1, order: apart, quick: true}
`)
	catalog, out := t.TempDir(), filepath.Join(t.TempDir(), "results")
	burner := filepath.Join(built(t, "mesh", func(dir string) error {
		return runIn(".", "go", "build", "-o", filepath.Join(dir, "mesh"), "./testdata/mesh")
	}), "mesh")
	if err := os.MkdirAll(filepath.Join(catalog, "tracers/burner"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(catalog, "tracers/burner/tracer.yaml"), []byte(`settings:
  burn: {kind: count, default: 0}
  spans: {default: none, choices: {none: {silent: true}}}
processes: [{name: proxy, beside: true, front: true, run: [`+burner+`, proxy, "{host}:{port}", "{beside.host}:{beside.port}", "{setting.burn}"]}]
`), 0o644); err != nil {
		t.Fatal(err)
	}
	c := tracetax(t, "run", file, "--out", out, "--json")
	c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
	doc := document(t, c.exit(t, 0))
	checked := map[string]bool{}
	for _, r := range records(t, out) {
		if r.Failed() {
			t.Errorf("%s failed: %+v", r.Variant, r.Failure)
		}
		if r.Kind != record.Measured {
			continue
		}
		checked[r.Variant] = true
		calls, spans := uint64(0), uint64(0)
		for call, n := range graphCalls(g, r) {
			calls += n
			if of, _ := g.Find(call); of.Node == nil || of.Node.Protocol != "thrift" { // Envoy makes no spans of Thrift
				spans += 2 * n
			}
			if strings.HasPrefix(call, "front.") { // nobody stands before the load
				spans -= n
			}
		}
		switch said := r.Tracer.Calls; r.Variant {
		case "mesh", "mtls", "node", "spans":
			if said == nil || *said != calls {
				t.Errorf("%s: Envoys count %v calls, and the topology makes %d (%s)", r.Variant, uintOf(said), calls, r.Tracer.Unreported)
			}
		default:
			if said != nil { // http passes Thrift on, and does not know how many calls it was
				t.Errorf("%s: %d calls are counted by nobody knows whom", r.Variant, *said)
			}
		}
		if r.Variant == "spans" && r.Life.Spans != spans {
			t.Errorf("%d spans came, and Envoys make %d", r.Life.Spans, spans)
		}
	}
	if len(checked) != 8 {
		t.Errorf("looked at %v, want 8 variants", checked)
	}
	if l := ledger(t, doc, "mix", "spans"); entry(l, "unaccounted") != 0 || entry(l, "delivered") == 0 {
		t.Errorf("the ledger of Envoy's spans: %d delivered, %d unaccounted: %s", entry(l, "delivered"), entry(l, "unaccounted"), l.Verdict)
	}
	burnt := map[string]float64{}
	for _, f := range doc.Findings {
		if f.Metric == "cpu_per_operation" && f.Role == "sidecar" && f.Service != "" && f.Against == "none" && (f.Variant == "front" || f.Variant == "burnt") {
			if burnt[f.Variant] += f.Value; f.Service != "front" && f.Value > 0 {
				t.Errorf("%s: the sidecar of front is charged to %s", f.Variant, f.Service)
			}
		}
	}
	if added := burnt["burnt"] - burnt["front"]; added < 0.6e-3 || added > 2e-3 { // passing one on takes more or less beside other programs
		t.Errorf("the sidecar burns 1 ms, and %g s more are told", added)
	}
}

func uintOf(n *uint64) string {
	if n == nil {
		return "unknown"
	}
	return strconv.FormatUint(*n, 10)
}

// A sidecar that is killed is what the run failed of; and where tracetax is killed, none of the processes is left.
func TestGraphMeshIsKilled(t *testing.T) {
	more(t, "graphs")
	t.Parallel()
	_, file := graphOf(t, meshGraph, `
variants: {none: , mesh: {tracer: mesh, on: all}}
load: {rate: 20/s, warmup: 300ms, duration: 3s, idle: 100ms}
design: {blocks: 1, order: apart, quick: true}
`)
	sidecar := func(c *command, of string) (pid int) {
		for _, process := range c.left() {
			number, rest, _ := strings.Cut(process, " ")
			if strings.Contains(rest, "/envoy ") && strings.Contains(rest, "/"+of+"/envoy.json") {
				pid, _ = strconv.Atoi(number)
			}
		}
		return pid
	}
	loaded := func(out string) bool { // the front of the graph, which stands behind all others, answers
		logs, err := filepath.Glob(filepath.Join(out, "logs", "*", "sidecar@front.log"))
		return err == nil && len(logs) > 0
	}
	t.Run("a sidecar", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "results")
		c := tracetax(t, "run", file, "--out", out)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "a sidecar is killed", func() bool {
			pid := sidecar(c, "sidecar@cart")
			return loaded(out) && pid > 0 && syscall.Kill(pid, syscall.SIGKILL) == nil
		})
		c.ended(t, c.Wait(), 0, 1)
		failed := 0
		for _, r := range records(t, out) {
			if r.Failed() {
				if failed++; r.Failure.Process != "sidecar@cart" || !strings.Contains(r.Failure.Message, "SIGKILL") {
					t.Errorf("%s failed with %+v, which does not name the sidecar", r.Variant, r.Failure)
				}
			}
		}
		if failed == 0 {
			t.Error("no run failed")
		}
	})
	t.Run("tracetax", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "results")
		c := tracetax(t, "run", file, "--out", out)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "the mesh stands", func() bool { return loaded(out) && sidecar(c, "sidecar@front") > 0 })
		if n := len(c.left()); n < 2*9 { // eight services, two of stock, and the sidecar of each
			t.Errorf("%d processes are there", n)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil {
			t.Error("it ended before it was killed")
		}
		await(t, "nothing is left", func() bool { return len(c.left()) == 0 })
	})
}

// Built-in graphs answer by their real stores, in a mesh too, and every call of one makes a span. The social network has nodes in their place.
func TestGraphStores(t *testing.T) {
	t.Parallel() // it counts
	need(t, "redis-server", "memcached")
	for _, name := range []string{"boutique", "hotel"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, out := filepath.Join(dir, "e.yaml"), filepath.Join(dir, "results")
			if err := os.WriteFile(file, []byte("workload: graph/"+name+`
variants: {none: , otel: {tracer: otel, settings: {delay: 200ms}}, mesh: {tracer: mesh, on: all}}
load: {rate: 50/s, warmup: 300ms, duration: 1s, idle: 100ms}
design: {blocks: 1}
`), 0o644); err != nil {
				t.Fatal(err)
			}
			c := tracetax(t, "run", file, "--out", out, "--json").exit(t, 0)
			l := ledger(t, document(t, c), "mix", "otel")
			if !l.Exact || entry(l, "unaccounted") != 0 || entry(l, "delivered") == 0 {
				t.Errorf("the ledger is exact: %t, with %d spans delivered and %d unaccounted: %s", l.Exact, entry(l, "delivered"), entry(l, "unaccounted"), l.Verdict)
			}
			for _, r := range records(t, out) {
				if r.Tracer.Calls != nil {
					t.Errorf("%s: %d calls are counted, though Envoy passes those of stores on", r.Variant, *r.Tracer.Calls)
				}
				for _, p := range r.Phases {
					if p.Load.Failed > 0 || p.Load.Completed == 0 {
						t.Errorf("%s: %d operations failed, and %d did not", r.Variant, p.Load.Failed, p.Load.Completed)
					}
				}
			}
			if other := c.left(); len(other) > 0 {
				t.Errorf("processes are left: %v", other)
			}
		})
	}
}
