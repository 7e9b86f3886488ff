package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// TestLoads: what each kind of load is read as; every one is read again as it is
// written.
func TestLoads(t *testing.T) {
	load := func(change func(*Load)) Load {
		l := defaultLoad()
		l.WarmupAll = 0
		l.Connections = DefaultConnections
		change(&l)
		return l
	}
	for text, want := range map[string]Load{
		"{rate: [100/s, 12000/min]}": load(func(l *Load) { l.Rates = []float64{100, 200} }),
		"{rate: [3/s], connections: 9}": load(func(l *Load) {
			l.Rates, l.Connections = []float64{3}, 9
		}),
		"{connections: [1, 2, 40960]}": load(func(l *Load) { l.Levels, l.Connections = []int{1, 2, 40960}, 0 }),
		"{rate: 50% of slowest}": load(func(l *Load) {
			l.Relative = &Relative{Share: 0.5, Search: RateSearch{Goal: GoalCPU, CPU: 0.75, Method: MethodFit, Resolution: 0.02}}
		}),
		"{capacity: {lost: 0, confirm: 30s}}": load(func(l *Load) {
			l.Capacity = &RateSearch{Goal: GoalLossless, Method: MethodFit, Resolution: 0.02, Confirm: 30 * time.Second}
		}),
		"{rate: 0.3 of slowest, capacity: {lost: 0, max: 5000/s, resolution: 5%}}": load(func(l *Load) {
			l.Relative = &Relative{Share: 0.3, Search: RateSearch{Goal: GoalLossless, Max: 5000, Method: MethodFit, Resolution: 0.05}}
		}),
		"{capacity: {cpu: 75%}, arrivals: poisson}": load(func(l *Load) {
			l.Capacity, l.Arrivals = &RateSearch{Goal: GoalCPU, CPU: 0.75, Method: MethodFit, Resolution: 0.02}, "poisson"
		}),
		"{capacity: {p95: 1m30s, from: 10/s}, connections: 64}": load(func(l *Load) {
			l.Capacity = &RateSearch{Goal: GoalLatency, Percentile: 95, Limit: 90 * time.Second, Method: MethodFit, From: 10, Resolution: 0.02}
			l.Connections = 64
		}),
		"{capacity: {p50: 1.5ms}}": load(func(l *Load) {
			l.Capacity = &RateSearch{Goal: GoalLatency, Percentile: 50, Limit: 1500 * time.Microsecond, Method: MethodFit, Resolution: 0.02}
		}),
		"{capacity: {lost: 0%}}": load(func(l *Load) {
			l.Capacity = &RateSearch{Goal: GoalLossless, Method: MethodFit, Resolution: 0.02}
		}),
	} {
		t.Run(text, func(t *testing.T) {
			e := parseOne(t, small+"load: "+text)
			if diff := cmp.Diff(want, e.Load); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			roundTrip(t, e)
		})
	}
}

func TestSteps(t *testing.T) {
	for name, test := range map[string]struct {
		load Load
		want []Level
	}{
		"one rate":    {Load{Rate: 5}, []Level{{Load: Load{Rate: 5}}}},
		"a search":    {Load{Capacity: &RateSearch{CPU: 1}}, []Level{{Load: Load{Capacity: &RateSearch{CPU: 1}}}}},
		"rates":       {Load{Rates: []float64{5, 0.5}, Connections: 7}, []Level{{Load{Rate: 5, Connections: 7}, map[string]string{"rate": "5/s"}}, {Load{Rate: 0.5, Connections: 7}, map[string]string{"rate": "0.5/s"}}}},
		"connections": {Load{Levels: []int{4, 1}}, []Level{{Load{Connections: 4}, map[string]string{"connections": "4"}}, {Load{Connections: 1}, map[string]string{"connections": "1"}}}},
	} {
		if diff := cmp.Diff(test.want, test.load.Steps()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// TestDesigns: how many blocks, and what ends them.
func TestDesigns(t *testing.T) {
	for text, want := range map[string]Design{
		"{blocks: 8..30, precision: 2% of cpu_per_operation}": {Blocks: 8, Most: 30, Precision: 0.02, Metric: "cpu_per_operation"},
		"{precision: 2.5%}":                       {Blocks: 8, Most: 30, Precision: 0.025, Metric: "cpu_per_operation"},
		"{blocks: 10..12, precision: 0.1 of p99}": {Blocks: 10, Most: 12, Precision: 0.1, Metric: "latency_p99"},
		"{blocks: 6, order: woven}":               {Blocks: 6, Order: Woven},
		"{order: apart, precision: 1%}":           {Blocks: 8, Most: 30, Precision: 0.01, Metric: "cpu_per_operation", Order: Apart},
		"{order: windows, quick: true}":           {Blocks: 10, Quick: true, Order: Windows},
	} {
		e := parseOne(t, small+"design: "+text)
		if diff := cmp.Diff(want, e.Design); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
		roundTrip(t, e)
	}
	for load, want := range map[string]string{"{capacity: {cpu: 75%}}": "capacity", "{connections: [1, 2]}": "cpu_per_operation"} {
		e := parseOne(t, small+"load: "+load+"\ndesign: {precision: 1%}")
		if e.Design.Metric != want {
			t.Errorf("%s: precision of %s, want %s", load, e.Design.Metric, want)
		}
	}
}

// TestFaults: a variant's faults are the experiment's but for what it names.
func TestFaults(t *testing.T) {
	e := parseOne(t, `
workload: hello/flask
variants: {none: , otel: , slow: {tracer: otel, faults: {sink-late: 500ms, sink-gone: silent}}, good: {tracer: otel, faults: {sink-loses: 0, generator-late: 0s}}}
faults: {sink-loses: 3%, generator-late: 5ms}
`)
	roundTrip(t, e)
	base := Faults{SinkLoses: 0.03, GeneratorLate: 5 * time.Millisecond}
	slow := base
	slow.SinkLate = 500 * time.Millisecond
	slow.SinkGone = "silent"
	for i, want := range []Faults{base, base, slow, {}} {
		if got := e.FaultsOf(e.Variants[i]); got != want {
			t.Errorf("%s: %+v, want %+v", e.Variants[i].Name, got, want)
		}
	}
	e = parseOne(t, small)
	if text, err := e.YAML(); err != nil || strings.Contains(string(text), "sink-loses") {
		t.Errorf("faults are written where there are none: %v\n%s", err, text)
	}
}

// A sink cannot be gone to whom only datagrams are sent.
func TestFaultsOfDatagrams(t *testing.T) {
	for faults, want := range map[string]string{
		"{tracer: scouter, faults: {sink-gone: away}}":                 `the sink cannot be gone (away) to Scouter over UDP and TCP, whose datagrams need no connection`,
		"{tracer: scouter}\nfaults: {sink-gone: silent}":               `the sink cannot be gone (silent) to Scouter`,
		"{tracer: scouter, faults: {sink-late: 5ms, sink-loses: 10%}}": `the sink cannot be late to Scouter over UDP and TCP, which waits for no answer`,
		"{tracer: scouter, faults: {sink-loses: 10%}}":                 "",
		"{tracer: otel, faults: {sink-gone: away}}":                    "",
	} {
		_, err := ParseExperiment("x.yaml", ".", []byte("workload: calls/java\nvariants:\n  none:\n  x: "+faults+"\n"), builtIn())
		if want == "" && err != nil || want != "" && (err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", faults, err, want)
		}
	}
}

// TestProtocols: requests over TLS and gRPC, and request data.
func TestProtocols(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"rows.csv": "user,Order Id\n1,2\n", "rows.txt": "{\"user\": 1}\n", "message.bin": "\x0a\x03abc"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	es, err := ParseExperiment("shop.yaml", dir, []byte(`
workload:
  processes: [{name: shop, run: [shop, "{port}"]}]
  operations:
    add: {grpc: /shop.v1.Cart/Add, body: "@message.bin"}
    far: {grpc: "grpcs://127.0.0.1:{port}/shop.v1.Cart/Add", insecure: true}
    tls: {request: "GET https://127.0.0.1:{port}/x", insecure: true}
    rows: {request: "GET /u/{data.user}", data: rows.csv, headers: {x-order: "{data.Order Id:raw}"}, body: '{"port": {port}, "id": {data.user}}'}
    lines: {request: "{data.path:raw}", data: rows.txt}
variants: {none: , otel-python: }
load: {streams: 10}
`), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	e := es[0]
	roundTrip(t, e)
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []program.Operation{
		{Name: "add", Method: "POST", URL: "/shop.v1.Cart/Add", GRPC: true, Body: program.Content{Bytes: []byte("\x0a\x03abc"), File: filepath.Join(abs, "message.bin")}},
		{Name: "far", Method: "POST", URL: "https://127.0.0.1:{port}/shop.v1.Cart/Add", GRPC: true, Insecure: true},
		{Name: "tls", Method: "GET", URL: "https://127.0.0.1:{port}/x", Insecure: true},
		{Name: "rows", Method: "GET", URL: "/u/{data.user}", Headers: map[string]string{"X-Order": "{data.Order Id:raw}"},
			Body: program.Content{Bytes: []byte(`{"port": {port}, "id": {data.user}}`)}, Data: filepath.Join(abs, "rows.csv")},
		{Name: "lines", Method: "GET", URL: "http://127.0.0.1:{port}{data.path:raw}", Data: filepath.Join(abs, "rows.txt")},
	}
	if diff := cmp.Diff(want, e.Operations, same); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	plan, err := e.Plan(e.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	// What the run fills in, and what it leaves to the load generator.
	for i, want := range map[int]string{1: "https://127.0.0.1:80/shop.v1.Cart/Add", 3: "/u/{data.user}", 4: "http://127.0.0.1:80{data.path:raw}"} {
		if got, err := program.Expand(plan.Operations[i].URL, map[string]string{"port": "80"}); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

// TestQuicken: a quick experiment has no precision to reach, and short searches.
func TestQuicken(t *testing.T) {
	es, err := ParseExperiment("x.yaml", ".", []byte(`
workloads: [hello/go, hello/flask]
variants: {none: , otel: }
load: {capacity: {cpu: 75%, from: 0.1/s}, duration: 1m}
design: {precision: 1%}
`), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	shared := es[1].Load.Capacity
	es[0].Quicken()
	if d := es[0].Design; !d.Quick || d.Blocks != 6 || d.Most != 0 || d.Precision != 0 || d.Metric != "" {
		t.Errorf("design %+v", d)
	}
	if l := es[0].Load; l.Capacity.Resolution != quickResolution || l.Duration != 10*time.Second {
		t.Errorf("load %+v, capacity %+v; want probes long enough for one operation", l, *l.Capacity)
	}
	if shared.Resolution != DefaultResolution {
		t.Error("the same experiment over another workload was changed too")
	}
	if err := es[0].Check(); err != nil {
		t.Error(err)
	}
	roundTrip(t, es[0])

	e := parseOne(t, small+"load: {rate: [100/s, 0.2/s], duration: 1m}")
	e.Quicken()
	if e.Load.Duration != 5*time.Second {
		t.Errorf("window %s, want one in which the lowest rate makes an operation", e.Load.Duration)
	}
}

// A quick experiment of many phases gives each a shorter load, in which a tracer still sends as often as in a long one.
func TestQuickenManyPhases(t *testing.T) {
	const few, many, most = "100/s", "[100/s, 200/s, 300/s, 400/s]", "[100/s, 200/s, 300/s, 400/s, 500/s, 600/s, 700/s, 800/s, 900/s, 1000/s]"
	for _, c := range []struct {
		rates, delay string
		window       time.Duration
	}{
		{few, "100ms", program.Requests.Row().QuickWindow},
		{few, "500ms", 3300 * time.Millisecond},            // not quite four windows: all phases have two minutes
		{few, "700ms", program.Requests.Row().QuickWindow}, // they would take too long
		{many, "100ms", 800 * time.Millisecond},
		{most, "100ms", quickShortest},
		{most, "300ms", 1500 * time.Millisecond},
		{most, "5s", program.Requests.Row().QuickWindow},
	} {
		es, err := ParseExperiment("x.yaml", ".", []byte("workload: hello/go\noperations: [json, cpu, remote]\n"+
			"variants: {none: , otel: {tracer: otel-go, settings: {delay: "+c.delay+"}}}\nload: {rate: "+c.rates+"}\n"), builtIn())
		if err != nil {
			t.Fatal(err)
		}
		if es[0].Quicken(); es[0].Load.Duration != c.window {
			t.Errorf("rates %s, delay %s: %v, want %v", c.rates, c.delay, es[0].Load.Duration, c.window)
		}
	}
}

// An operation's own duration wins over the load's, and yields to a quick run and to a flag.
func TestOwnDuration(t *testing.T) {
	const text = "workload: {name: w, language: '', processes: [{name: shop, run: [shop, '{port}']}], operations: {fast: GET /fast, slow: {request: GET /slow, rate: 0.1/s, duration: 30s}}}\n" +
		"variants: {none: , mine: {args: [x]}}\nload: {rate: 100/s, duration: 2s}\n"
	for _, c := range []struct {
		quick      bool
		given      Sets
		fast, slow time.Duration
	}{
		{false, nil, 2 * time.Second, 30 * time.Second},
		{true, nil, 2 * time.Second, 10 * time.Second}, // in which the slow one happens
		{false, given(t, "load.duration=12s"), 12 * time.Second, 12 * time.Second},
	} {
		es, err := ParseExperiment("x.yaml", ".", []byte(text), builtIn(), c.given...)
		if err != nil {
			t.Fatal(err)
		}
		e := es[0]
		if c.quick {
			e.Quicken()
		}
		fast, slow := e.Load.For(e.Operations[0]).Duration, e.Load.For(e.Operations[1]).Duration
		if fast != c.fast || slow != c.slow || e.Average().Duration != (fast+slow)/2 || e.CheckWindow() != nil {
			t.Errorf("%v and %v, %v on average, want %v and %v: %v", fast, slow, e.Average().Duration, c.fast, c.slow, e.CheckWindow())
		}
	}
	if _, err := ParseExperiment("x.yaml", ".", []byte(strings.Replace(text, "30s", "3s", 1)), builtIn()); err == nil || !strings.Contains(err.Error(), "0.1/s for 3s is no operation") {
		t.Errorf("%v", err)
	}
}

// TestCheckWindowOfSweeps: every level of a sweep is held against the window.
func TestCheckWindowOfSweeps(t *testing.T) {
	e := parseOne(t, small+"load: {rate: [100/s, 1/s], duration: 1s}")
	if err := e.CheckWindow(); err != nil {
		t.Error(err)
	}
	e.Load.Duration = 500 * time.Millisecond
	if err := e.CheckWindow(); err == nil || !strings.Contains(err.Error(), "1/s for 500ms is no operation") {
		t.Errorf("%v", err)
	}
}

func TestSummaries(t *testing.T) {
	for text, want := range map[string]string{
		"load: {rate: [1/s, 2/s]}":                              "10 blocks of 2 variants (none, otel) on workload shop, each run with 2 operations (home, cart) at 1/s, 2/s in turn for 10s after 3s of warm-up",
		"load: {connections: [1, 64]}":                          "10 blocks of 2 variants (none, otel) on workload shop, each run with 2 operations (home, cart) over 1, 64 connections in turn for 10s after 3s of warm-up",
		"load: {rate: 50% of slowest}\ndesign: {order: woven}":  "10 blocks of 2 variants (none, otel) on workload shop, each run with 2 operations (home, cart) at 50% of slowest for 10s after 3s of warm-up, the variants of a block at the same time",
		"load: {capacity: {p99: 5ms}}\ndesign: {precision: 1%}": "8 to 30 blocks of 2 variants (none, otel) on workload shop, each run with 2 operations (home, cart) in search of the highest rate with a p99 of at most 5ms, probing for 10s after 3s of warm-up",
	} {
		if got := parseOne(t, small+text).Summary(); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
