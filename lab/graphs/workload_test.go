package graphs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

const shopTopology = `# a comment that results keep
protocol: grpc
nodes:
  front:
    protocol: http
    methods:
      home: {work: 20us, steps: [cart.get, {call: stock.look, times: 2}]}
      bare: {answer: 1kB}
  cart: {methods: {get: {steps: [kept.get]}}}
  stock: {errors: 1%}
stores: {kept: {}}
operations:
  home: {call: front.home, rate: 20/s}
  bare: {call: front.bare}
mix: {home: 75%, bare: 25%}
`

// builtIn is the catalog that is embedded into the program.
func builtIn() *program.Catalog { return program.NewCatalog(tracetax.Files) }

func names(processes []program.Process) string {
	var all []string
	for _, p := range processes {
		all = append(all, p.Name)
	}
	return strings.Join(all, " ")
}

// twoVariants follow a workload.
const twoVariants = "\nvariants: {none: , otel: {tracer: otel}}\n"

func parsed(dir, text string) ([]*config.Experiment, error) {
	return config.ParseExperiment("e.yaml", dir, []byte(text), builtIn())
}

// shopOf is an experiment over a topology file, with further lines.
func shopOf(t *testing.T, lines string) (*config.Experiment, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.yaml"), []byte(shopTopology), 0o644); err != nil {
		t.Fatal(err)
	}
	es, err := parsed(dir, "workload: {topology: shop.yaml}"+twoVariants+lines)
	if err != nil {
		return nil, err
	}
	return es[0], nil
}

func TestTopologyIsAWorkload(t *testing.T) {
	e, err := shopOf(t, "")
	if err != nil {
		t.Fatal(err)
	}
	w := e.Workload
	if got, want := names(w.Processes), "kept cart stock front"; got != want || w.Name != "shop" || w.Language != "go" || w.BuiltIn() {
		t.Errorf("workload %s in %s has the processes %s, want shop in go with %s", w.Name, w.Language, got, want)
	}
	if kept, front := w.Processes[0], w.Processes[3]; kept.Traced || kept.Role != "database" || !front.Traced || !strings.Contains(front.Templates["plan.json"], "{cart.port}") {
		t.Errorf("a store is no traced process, and front finds cart by its port: %+v, %+v", kept, front)
	}
	if len(e.Operations) != 1 || e.Operations[0].Name != "mix" || len(e.Operations[0].Mix) != 2 || e.Operations[0].Mix[0].Weight != 0.75 {
		t.Fatalf("the operations are %+v, want the topology's mix", e.Operations)
	}
	if status := e.Operations[0].Mix[0].Operation.Status; !slices.Equal(status, []int{200, 500}) {
		t.Errorf("home is right with status %v: stock may answer an error", status)
	}
	plan, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	// home: 1 + 2·3 for cart and stock + 1 for the store's client.
	for name, want := range map[string]program.Number{"home": {Low: 8, High: 8}, "bare": {Low: 1, High: 1}, "mix": {Low: 1, High: 8}} {
		if got := plan.Spans[name]; got != want {
			t.Errorf("%s makes %v spans, want %v", name, got, want)
		}
	}
	if len(plan.Build.Run) != 1 || !slices.Contains(plan.Build.Run[0], "otel") {
		t.Errorf("otel is built by %v, want the build of the program of nodes for it", plan.Build.Run)
	}
	if _, err := w.Files.Open("node/main.go"); err != nil {
		t.Errorf("the program of the nodes is not among the workload's files: %v", err)
	}
}

// What an experiment asks for wins over the topology's mix.
func TestTopologyOperations(t *testing.T) {
	e, err := shopOf(t, "operations: [bare]\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Operations) != 1 || e.Operations[0].Name != "bare" || len(e.Operations[0].Mix) > 0 {
		t.Errorf("the operations are %+v, want bare alone", e.Operations)
	}
}

// Results keep the topology as it was written, and are read again without its file.
func TestTopologyIsKept(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.yaml"), []byte(shopTopology), 0o644); err != nil {
		t.Fatal(err)
	}
	es, err := parsed(dir, "workload: {topology: shop.yaml, prepare: [sh, reset.sh], cleanup: [sh, clean.sh], "+
		"verify: {run: [sh, look.sh]}, warmup_all: 2s}"+twoVariants)
	if err != nil {
		t.Fatal(err)
	}
	text, err := es[0].YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := config.ParseExperiment("kept.yaml", t.TempDir(), text, builtIn())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	w := again[0].Workload
	if w.Topology != shopTopology || w.Name != "shop" || len(w.Processes) != 4 || again[0].Operations[0].Name != "mix" {
		t.Errorf("the topology that is read again is\n%s\nwant\n%s(in\n%s)", w.Topology, shopTopology, text)
	}
	if before := es[0].Workload; !slices.Equal(w.Prepare, before.Prepare) || !slices.Equal(w.Cleanup, before.Cleanup) || !slices.Equal(w.Verify, before.Verify) || len(w.Verify) == 0 || w.WarmupAll != before.WarmupAll {
		t.Errorf("read again it prepares by %q, cleans up by %q, verifies by %q and warms up for %v; want %q, %q, %q, %v",
			w.Prepare, w.Cleanup, w.Verify, w.WarmupAll, before.Prepare, before.Cleanup, before.Verify, before.WarmupAll)
	}
}

// Real stores are services, of which nodes can take the place; results keep which it was.
func TestStores(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.yaml"), []byte(strings.Replace(shopTopology, "kept: {}", "kept: {kind: redis}", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	read := func(lines string) *config.Experiment {
		es, err := parsed(dir, "workload: {topology: shop.yaml}"+twoVariants+lines)
		if err != nil {
			t.Fatal(err)
		}
		return es[0]
	}
	needsRedis := func(e *config.Experiment) bool {
		return slices.ContainsFunc(e.Needs(), func(n program.Need) bool { return n.Command == "redis-server" })
	}
	real, echo := read(""), read("stores: echo\n")
	if kept := real.Workload.Processes[0]; kept.Name != "kept" || kept.Service == nil || kept.Service.Name != "redis" || kept.Role != "database" || kept.Traced || !needsRedis(real) {
		t.Errorf("the store is %+v; it needs redis-server: %t", kept, needsRedis(real))
	}
	for _, e := range []*config.Experiment{echo} {
		if kept := e.Workload.Processes[0]; kept.Name != "kept" || kept.Service != nil || kept.Templates["plan.json"] == "" || needsRedis(e) {
			t.Errorf("what stands for the store is %+v; it needs redis-server: %t", kept, needsRedis(e))
		}
		text, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := config.ParseExperiment("kept.yaml", t.TempDir(), text, builtIn())
		if err != nil || again[0].Stores != config.EchoStores || again[0].Workload.Processes[0].Service != nil {
			t.Errorf("the result is read again with %v, %v", again, err)
		}
	}
	if _, err := parsed(dir, "workload: hello/go\nstores: echo"+twoVariants); err == nil ||
		!strings.HasPrefix(err.Error(), "e.yaml:2:9: ") {
		t.Errorf("echo stores of hello/go: %v", err)
	}
}

// A variant may have more processes of each service that others call, of which each is traced; results that are read again have them.
func TestReplicas(t *testing.T) {
	const variants = "variants: {none: , twice: {replicas: 2}, mesh: {tracer: mesh, on: all, replicas: 2}}\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.yaml"), []byte(strings.Replace(shopTopology, "kept: {}", "kept: {kind: redis}", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	es, err := parsed(dir, "workload: {topology: shop.yaml}\n"+variants)
	if err != nil {
		t.Fatal(err)
	}
	text, err := es[0].YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := config.ParseExperiment("kept.yaml", t.TempDir(), text, builtIn())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, e := range []*config.Experiment{es[0], again[0]} {
		for i, want := range []string{"kept cart stock front", "kept cart cart-2 stock stock-2 front", "kept sidecar@kept cart sidecar@cart cart-2 sidecar@cart-2 stock sidecar@stock stock-2 sidecar@stock-2 front sidecar@front"} {
			plan, err := e.Plan(e.Variants[i])
			if err != nil {
				t.Fatal(err)
			}
			if got := names(plan.Processes); got != want {
				t.Errorf("%s starts %s, want %s", e.Variants[i].Name, got, want)
			}
			front := plan.Process("front").Templates["plan.json"]
			if knows := strings.Contains(front, "{cart-2.port}"); knows != (i > 0) {
				t.Errorf("%s: front calls a second cart: %t", e.Variants[i].Name, knows)
			}
			if n := plan.Process("kept").Service.Needs; len(n) != 1 || strings.Count(n[0].Install, "stores: echo") != 1 {
				t.Errorf("%s: what the store needs is told as %+v", e.Variants[i].Name, n)
			}
		}
	}
	if _, err := parsed(dir, "workload: hello/go\n"+variants); err == nil ||
		!strings.Contains(err.Error(), "e.yaml:2:38: workload hello/go has no topology") {
		t.Errorf("replicas of hello/go: %v", err)
	}
	if _, err := parsed(dir, "workload: {topology: shop.yaml}\nvariants: {none: , many: {replicas: 100}}\n"); err == nil ||
		!strings.Contains(err.Error(), "e.yaml:2:37: replicas: the graph has 202 processes") {
		t.Errorf("100 replicas: %v", err)
	}
}

func TestTopologyIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"beside processes": {"workload: {topology: shop.yaml, processes: [{name: a, run: b}]}", "e.yaml:1:44: "},
		"beside a build":   {"workload: {topology: shop.yaml, build: {default: {run: [[make]]}}}", "e.yaml:1:40: "},
		"no file":          {"workload: {topology: shops.yaml}", "e.yaml:1:22: topology: "},
		"wrong inside":     {"workload: {topology: wrong.yaml}", "wrong.yaml:2:36: unknown node"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"shop.yaml": shopTopology, "wrong.yaml": "nodes:\n  a: {methods: {b: {steps: [{call: c.d}]}}}\noperations: {x: {call: a.b}}\n"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, err := parsed(dir, c.text+"\nvariants: {none: , otel: {tracer: otel-go}}\n")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}

func TestGraphFlag(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "shop.yaml")
	if err := os.WriteFile(file, []byte(shopTopology), 0o644); err != nil {
		t.Fatal(err)
	}
	both := []string{"none", "otel:tracer=otel"}
	e, err := config.FromFlags(config.Flags{Graph: file, Variants: both}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if e.Name != "shop" || e.Operations[0].Name != "mix" || e.Variants[1].Tracer.Name != "otel-go" {
		t.Errorf("--graph gives %s with %v and %s, want shop with its mix and otel-go", e.Name, e.Operations[0].Name, e.Variants[1].Tracer.Name)
	}
	if _, err := config.FromFlags(config.Flags{Graph: file, Ops: []string{"GET /"}, Variants: both}, builtIn()); err == nil {
		t.Error("--op beside --graph is fine")
	}
}

// What the catalog has of graphs is read and planned, and written it is read alike.
func TestCatalog(t *testing.T) {
	workloads, err := builtIn().Workloads()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range workloads {
		if _, err := builtIn().Workload(name); err != nil {
			t.Error(err)
		}
	}
	experiments, err := builtIn().Experiments()
	if err != nil {
		t.Fatal(err)
	}
	graphs := 0
	for _, name := range experiments {
		es, err := config.BuiltIn(builtIn(), name)
		if err != nil {
			t.Error(err)
		}
		for _, e := range es {
			if e.Workload.Graph != nil {
				graphs++
				planned(t, e)
				var said bytes.Buffer
				if status := cli.Main([]string{"validate", name}, strings.NewReader(""), &said, &said); status != console.Fine {
					t.Errorf("%s cannot decide: %s", name, said.String())
				}
			}
		}
	}
	if graphs < 6 {
		t.Errorf("%d experiments on graphs", graphs)
	}
}

func planned(t *testing.T, e *config.Experiment) {
	t.Helper()
	for _, v := range e.Variants {
		if _, err := e.Plan(v); err != nil {
			t.Error(err)
		}
	}
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := config.ParseExperiment("experiment.yaml", "/elsewhere", text, builtIn())
	if err != nil {
		t.Fatalf("what was written is not read: %v\n%s", err, text)
	}
	if other, err := again[0].YAML(); err != nil || string(other) != string(text) {
		t.Errorf("written again, it is another text (%v)\n%s\n%s", err, text, other)
	}
	if before, after := names(e.Workload.Processes), names(again[0].Workload.Processes); before != after {
		t.Errorf("read again it has the processes %s, want %s", after, before)
	}
}
