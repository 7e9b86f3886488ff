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
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/lab/graphs"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

const shopGraph = `protocol: grpc
nodes:
  front:
    protocol: http
    work: 20us
    methods:
      home: {answer: 2kB, steps: [cart.get, {at_once: [{call: stock.look, times: 3}, {in_turn: [price.ask, cart.get]}]}, mail.send]}
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
load: {rate: 60/s, warmup: 200ms, duration: 1s, idle: 100ms}
design: {blocks: 1, order: woven}
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
	if checked != 3 {
		t.Errorf("%d runs were looked at, want 3", checked)
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
	g, err := graphs.Read(filepath.Join(dir, "shop.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return g, filepath.Join(dir, "e.yaml")
}

// graphCalls are the calls that the operations of a run make, by NODE.METHOD.
func graphCalls(g *topology.Graph, r record.Record) map[string]uint64 {
	out, started := map[string]uint64{}, started(r)
	for _, o := range g.Operations {
		for call, n := range g.Count(o).Of {
			out[call] += uint64(n) * started[o.Name]
		}
	}
	return out
}

// started are the operations of a run, of a mix its parts.
func started(r record.Record) map[string]uint64 {
	out := map[string]uint64{r.Start.FirstOperation: 1}
	for _, p := range r.Phases {
		for _, part := range record.Counted(p.Made()...).Parts {
			out[part.Operation] += part.Started
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

// What the kernel drops of packets is told, by a buffer that is too small, and that nothing is dropped by a large one.
func TestGraphPackets(t *testing.T) {
	t.Parallel() // it counts
	capturing(t)
	_, file := graphOf(t, shopGraph, `
operations: [home]
variants:
  none:
  small: {tracer: packets, settings: {buffer: 32}}
  large: {tracer: packets, settings: {buffer: 131072}}
  each: {tracer: packets, settings: {each: on, buffer: 16384}}
load: {connections: 32, warmup: 200ms, duration: 1s, idle: 100ms}
design: {blocks: 1}
`)
	c := tracetax(t, "run", file, "--out", filepath.Join(t.TempDir(), "results"), "--json").exit(t, 0)
	doc := document(t, c)
	if other := c.left(); len(other) > 0 {
		t.Errorf("processes are left: %v", other)
	}
	if len(doc.Packets) != 3 || len(doc.Untraced) > 0 {
		t.Fatalf("packets of %+v, want three variants; without spans: %+v", doc.Packets, doc.Untraced)
	}
	for _, p := range doc.Packets {
		if p.Captured == nil || p.Dropped == nil || *p.Captured < 1000 || p.Bytes < 60**p.Captured || (*p.Dropped > 0) != (p.Variant == "small") {
			t.Errorf("%+v (captured %v, dropped %v)", p, p.Captured, p.Dropped)
		}
		warned := slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool { return w.Code == "packets-dropped" && w.Where == p.Variant })
		if warned != (p.Variant == "small") {
			t.Errorf("%s is warned of: %t", p.Variant, warned)
		}
		if p.Variant == "each" {
			continue
		}
		if cpu := chargedTo(doc, p.Variant, "collector"); len(cpu) != 1 || cpu[""] <= 0 {
			t.Errorf("%s uses so many s of CPU an operation: %v", p.Variant, cpu)
		}
	}
	cpu := chargedTo(doc, "each", "sidecar")
	if cpu[""] <= 0 {
		t.Errorf("those of all services use so many s of CPU an operation: %v", cpu)
	}
	for _, service := range []string{"front", "cart", "stock", "stock-2", "price", "mail"} { // late and idle are not called
		if _, charged := cpu[service]; !charged { // less its idle use, one alone may come to less than nothing
			t.Errorf("%s has no tcpdump beside it: %v", service, cpu)
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

// chargedTo is the CPU per operation that a variant has of a role, by service; "" is all of them. Of several operations it is the sum.
func chargedTo(doc finding.Document, variant, name string) map[string]float64 {
	out := map[string]float64{}
	for _, f := range doc.Findings {
		if f.Metric == "cpu_per_operation" && f.Variant == variant && f.Against == doc.Experiment.Variants[0].Name && f.Role == name {
			out[f.Service] += float64(f.Value)
		}
	}
	return out
}

// Known answers: a node that waits makes the answer later, and takes no more CPU; a sidecar that burns 100 µs for each request is
// found in its service.
func TestGraphKnown(t *testing.T) {
	t.Parallel() // it looks at CPU, and at a wait that a busy machine makes no shorter
	_, file := graphOf(t, `nodes:
  front: {methods: {soon: {steps: [ready.ask]}, later: {steps: [waiting.ask]}}}
  ready: {}
  waiting: {wait: 5ms}
operations: {soon: {call: front.soon}, later: {call: front.later}}
`, `
operations: [soon, later]
variants: {none: , plain: {tracer: burner, on: front}, burnt: {tracer: burner, on: front, settings: {burn: 100}}}
load: {rate: 150/s, warmup: 200ms, duration: 1s, idle: 100ms}
design: {blocks: 2}
`)
	c := tracetax(t, "run", file, "--out", filepath.Join(t.TempDir(), "results"), "--json")
	c.Env = append(c.Env, "TRACETAX_CATALOG="+burner(t))
	doc := document(t, c.exit(t, 0))
	at := func(operation, metric string) float64 {
		return float64(find(t, doc, operation, "plain", metric).Baseline)
	}
	if more := at("later", "latency_p50") - at("soon", "latency_p50"); more < 4e-3 {
		t.Errorf("the answer comes %g s later, want 5 ms", more)
	}
	if more := at("later", "cpu_per_operation") - at("soon", "cpu_per_operation"); more > 1e-3 {
		t.Errorf("waiting takes %g s of CPU", more)
	}
	plain, burnt := chargedTo(doc, "plain", "sidecar"), chargedTo(doc, "burnt", "sidecar")
	if added := (burnt["front"] - plain["front"]) / 2; added < 60e-6 || added > 250e-6 { // passing one on takes more or less beside other programs
		t.Errorf("the sidecar burns 100 µs, and %g s more are told", added)
	}
	for service, cpu := range burnt {
		if service != "" && service != "front" && cpu > 0 {
			t.Errorf("the sidecar of front is charged to %s", service)
		}
	}
}

// burner is a catalog with a tracer that stands in front of a process, and burns so many µs of CPU for each request.
func burner(t *testing.T) string {
	t.Helper()
	catalog := t.TempDir()
	program := filepath.Join(built(t, "mesh", func(dir string) error {
		return runIn(".", "go", "build", "-o", filepath.Join(dir, "mesh"), "./testdata/mesh")
	}), "mesh")
	if err := os.MkdirAll(filepath.Join(catalog, "tracers/burner"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(catalog, "tracers/burner/tracer.yaml"), []byte(`settings:
  burn: {kind: count, default: 0}
  spans: {default: none, choices: {none: {silent: true}}}
processes: [{name: proxy, beside: true, front: true, run: [`+program+`, proxy, "{host}:{port}", "{beside.host}:{beside.port}", "{setting.burn}"]}]
`), 0o644); err != nil {
		t.Fatal(err)
	}
	return catalog
}

// meshGraph is the graph with a service of each protocol.
var meshGraph = strings.Replace(shopGraph, "stock: {", "stock: {protocol: thrift, ", 1)

// Envoys count the calls that the topology makes, whatever they parse and whether they speak TLS, and each of their spans comes.
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
load: {rate: 6/s, warmup: 400ms, duration: 1s, idle: 100ms} # each is some 80 calls by way of two Envoys, in six variants at once
design: {blocks: 1, quick: true, order: woven}
`)
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", file, "--out", out, "--json").exit(t, 0))
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
	if len(checked) != 6 {
		t.Errorf("looked at %v, want 6 variants", checked)
	}
	for _, p := range doc.Proxied {
		if p.Calls == nil || p.Makes == nil || p.Makes.Low != *p.Calls || p.Makes.High != *p.Calls {
			t.Errorf("%s: %+v are not as many as the graph makes: %+v", p.Variant, p, p.Makes)
		}
	}
	if len(doc.Proxied) != 4 {
		t.Errorf("calls are told of %+v, want mesh, mtls, node and spans", doc.Proxied)
	}
	if l := ledger(t, doc, "mix", "spans"); entry(l, "unaccounted") != 0 || entry(l, "delivered") == 0 {
		t.Errorf("the ledger of Envoy's spans: %d delivered, %d unaccounted: %s", entry(l, "delivered"), entry(l, "unaccounted"), l.Verdict)
	}
}

func uintOf(n *uint64) string {
	if n == nil {
		return "unknown"
	}
	return strconv.FormatUint(*n, 10)
}
