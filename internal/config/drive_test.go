package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

const driven = "workload: calls\nvariants: {none: , kieker: }\n"

// TestDrivenLoads: the loads of a self-driving workload; each is read again
// as it is written.
func TestDrivenLoads(t *testing.T) {
	load := func(change func(*Load)) Load {
		l := defaultLoad()
		l.WarmupAll = 0
		change(&l)
		return l
	}
	for text, want := range map[string]struct {
		load    Load
		summary string
	}{
		"{}":                          {load(func(*Load) {}), "as fast as it goes"},
		"{calls: 2000000}":            {load(func(l *Load) { l.Calls, l.Duration = 2_000_000, DefaultLongest }), "as fast as it goes, at most 2000000 calls"},
		"{calls: 9, duration: 10s}":   {load(func(l *Load) { l.Calls = 9 }), "as fast as it goes, at most 9 calls"},
		"{depth: 4, threads: 2}":      {load(func(l *Load) { l.Depth, l.Threads = 4, 2 }), "as fast as it goes, 4 deep, on 2 threads"},
		"{depth: [2, 4], threads: 3}": {load(func(l *Load) { l.Depths, l.Threads = []int{2, 4}, 3 }), "as fast as it goes, 2, 4 deep in turn, on 3 threads"},
		"{threads: [1, 2], depth: 1}": {load(func(l *Load) { l.Crowds, l.Depth = []int{1, 2}, 1 }), "as fast as it goes, 1 deep, on 1, 2 threads in turn"},
		"{rate: [1000/s, 2000/s]}":    {load(func(l *Load) { l.Rates = []float64{1000, 2000} }), "at 1000/s, 2000/s in turn"},
		"{capacity: {lost: 0}, depth: 2}": {load(func(l *Load) {
			l.Depth, l.Capacity = 2, &RateSearch{Goal: GoalLossless, Method: MethodFit, Resolution: 0.02}
		}), "in search of the highest rate at which no span is lost, 2 deep"},
	} {
		t.Run(text, func(t *testing.T) {
			c := shelf()
			e := parseIn(t, c, driven+"samples: true\nload: "+text)
			if diff := cmp.Diff(want.load, e.Load); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := e.Load.Summary(); got != want.summary {
				t.Errorf("summary %q, want %q", got, want.summary)
			}
			if err := e.Check(); err != nil {
				t.Error(err)
			}
			again(t, c, e)
		})
	}
}

func TestDrivenOperations(t *testing.T) {
	c := shelf()
	e := parseIn(t, c, driven)
	want := []program.Operation{
		{Name: "call", Description: "one", Drive: map[string]string{"depth": "10", "kind": "plain"}, Spans: map[string]program.Number{"": {Low: 10, High: 10}}},
		{Name: "bare"},
	}
	if diff := cmp.Diff(want, e.Operations, same); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	p, err := e.Plan(e.Variants[0])
	if err != nil || p.Driver != program.SelfDriving {
		t.Errorf("%+v, %v", p, err)
	}
	p.Operations[0].Drive["depth"] = "1"
	if e.Operations[0].Drive["depth"] != "10" {
		t.Error("the plan and the experiment share the words of an order")
	}
	again(t, c, parseIn(t, c, `
workload:
  self: true
  processes: [{name: app, run: [x, "{port}"]}]
  operations: {call: {process: app, rate: 5/s, empty: true, drive: {depth: 3, busy_ns: 100, to: "a:b"}}, other: }
variants: {none: , b: {tracer: none}}
`))
}

// TestDrivenIsWarmedForAll: what is written down of a load is all of it.
func TestDrivenIsWarmedForAll(t *testing.T) {
	c := shelf()
	e := parseIn(t, c, driven+"load: {rate: [5/s, 6/s], warmup_all: 12s}\n")
	if e.Load.WarmupAll != 12*time.Second {
		t.Errorf("%v", e.Load.WarmupAll)
	}
	again(t, c, e)
}

// TestDrivenWrong: what does not go together, and where it is said.
func TestDrivenWrong(t *testing.T) {
	const own = "workload: {self: true, processes: [{name: a, run: [x, '{port}']}], operations: {o: %}}\nvariants: {none: , b: {tracer: none}}\n"
	for text, want := range map[string]string{
		driven + "load: {connections: 4}":                  `x.yaml:3:8: connections is for workloads that are asked by requests, and calls is self-driving`,
		driven + "load: {rate: 5/s, arrivals: poisson}":    `x.yaml:3:19: arrivals is for workloads that are asked by requests`,
		driven + "load: {depth: [1, 2], threads: [1, 2]}":  `x.yaml:3:32: one thing is swept at a time: depth is a list already`,
		driven + "load: {rate: [1/s, 2/s], depth: [1, 2]}": `x.yaml:3:33: one thing is swept at a time: rate is a list already`,
		driven + "load: {depth: 0}":                        `x.yaml:3:15: 0 is out of range: 1 to 100000`,
		"workload: {self: true, max: {depth: 64, threads: 1}, processes: [{name: a, run: [x, '{port}']}], operations: {o: }}\nvariants: {none: , b: {tracer: none}}\nload: {depth: [8, 65], threads: 1}": `x.yaml:3:19: depth: 65 is more than workload a can do, which is 64`,
		"workload: {self: true, max: {depth: 64, threads: 1}, processes: [{name: a, run: [x, '{port}']}], operations: {o: }}\nvariants: {none: , b: {tracer: none}}\nload: {threads: 2}":                 `x.yaml:3:17: threads: 2 is more than workload a can do, which is 1`,
		driven + "load: {threads: [1, 1]}":                                                          `x.yaml:3:21: 1 is here a second time`,
		driven + "mix: {call: 1}":                                                                   `workload calls is self-driving, one operation at a time: it has no mix`,
		driven + "faults: {generator-late: 5ms}":                                                    `x.yaml:3:26: workload calls is self-driving, so that there is no generator to be late`,
		driven + "design: {precision: 2% of p99}":                                                   `no latencies are compared where a workload goes as fast as it can`,
		driven + "design: {order: woven}":                                                           `x.yaml:3:17: the order woven needs a rate`,
		driven + "load: {rate: 5/s}\nsamples: true\ndesign: {order: paired}":                        `x.yaml:5:17: samples: of the order paired they would be of calls that are made while other variants work`,
		"workload: asked\nvariants: {none: , b: {tracer: none}}\nload: {calls: 5}":                  `x.yaml:3:8: calls is for self-driving workloads (self: true), and asked is asked by requests`,
		"workload: asked\nvariants: {none: , b: {tracer: none}}\nsamples: true":                     `x.yaml:3:10: samples is for self-driving workloads`,
		"workloads: [calls, asked]\nvariants: {none: , b: {tracer: none}}":                          `x.yaml:1:12: one load cannot be both: calls is self-driving`,
		strings.Replace(own, "%", "GET /", 1):                                                       `operation "o" belongs to a self-driving workload`,
		strings.Replace(own, "%", "{request: GET /}", 1):                                            `request is part of a request, and a self-driving workload`,
		strings.Replace(own, "%", "{drive: {calls: 5}}", 1):                                         `calls is a word of the load; write load: {calls: …}`,
		strings.Replace(own, "%", "{drive: {Bad: 5}}", 1):                                           `"Bad": a word of an order has lower-case letters`,
		strings.Replace(own, "%", "{drive: {a: x y}}", 1):                                           `"x y": the value of a word is one word`,
		strings.Replace(own, "%", "{drive: {depth: deep}}", 1):                                      `"deep" is not a whole number`,
		strings.Replace(strings.Replace(own, "{port}", "", 1), "%", "", 1):                          `nothing says where process "a" listens`,
		strings.Replace(strings.Replace(own, "self: true", "self: true, rate: 5/s", 1), "%", "", 1): `goes as fast as it can where the experiment names no rate`,
		"workload: {processes: [{name: a, run: [x, '{port}']}], operations: {o: {drive: {depth: 5}}}}\nvariants: {none: , b: {tracer: none}}":           `drive is for self-driving workloads`,
		"workload: {processes: [{name: a, run: [x, '{port}']}], operations: {o: {request: GET /, empty: true}}}\nvariants: {none: , b: {tracer: none}}": `empty is for self-driving workloads`,
	} {
		_, err := ParseExperiment("x.yaml", t.TempDir(), []byte(text), shelf())
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}

func TestDrivenSteps(t *testing.T) {
	got := Load{Depths: []int{2, 4}, Threads: 3}.Steps()
	want := []Level{{Load{Depth: 2, Threads: 3}, map[string]string{"depth": "2"}}, {Load{Depth: 4, Threads: 3}, map[string]string{"depth": "4"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	got = Load{Crowds: []int{1}, Rate: 5}.Steps()
	if diff := cmp.Diff([]Level{{Load{Threads: 1, Rate: 5}, map[string]string{"threads": "1"}}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What a workload can do at most is written, and holds for keys that are given.
func TestMostOfAWorkload(t *testing.T) {
	const text = "workload: {self: true, max: {depth: 64}, processes: [{name: a, run: [x, '{port}']}], operations: {o: }}\nvariants: {none: , b: {tracer: none}}\n"
	if kept, err := parseIn(t, shelf(), text).YAML(); err != nil || !strings.Contains(string(kept), "depth: 64") {
		t.Errorf("%s, %v: the limit is not written", kept, err)
	}
	_, err := ParseExperiment("x.yaml", t.TempDir(), []byte(text), shelf(), given(t, "load.depth=[8,65]")...)
	if err == nil || !strings.HasPrefix(err.Error(), "--set 'load.depth=[8,65]': depth: 65 is more than workload a can do") {
		t.Error(err)
	}
}

func TestQuickenDriven(t *testing.T) {
	e := parseIn(t, shelf(), driven+"load: {calls: 2000000}")
	e.Quicken()
	if e.Load.Calls != quickCalls || e.Load.Duration != program.SelfDriving.Row().QuickWindow {
		t.Errorf("%+v", e.Load)
	}
	if e.Load.Warmup != program.SelfDriving.Row().QuickWarmup {
		t.Errorf("%v of warm-up", e.Load.Warmup)
	}
	e = parseIn(t, shelf(), driven+"load: {calls: 2000000, warmup: 30s}")
	if e.Quicken(); e.Load.Warmup != quickLoad/time.Duration(6*len(e.Variants)*len(e.Operations)) {
		t.Errorf("%v of warm-up of few variants", e.Load.Warmup)
	}
	e = parseIn(t, shelf(), driven+"load: {calls: 2000000, warmup: 30s, depth: [1, 2, 3, 4, 5, 6, 7, 8]}")
	if e.Quicken(); e.Load.Warmup != program.SelfDriving.Row().QuickWarmup || e.Load.Duration != quickFree {
		t.Errorf("%v of warm-up and %v of load in many phases", e.Load.Warmup, e.Load.Duration)
	}
	e = parseIn(t, shelf(), driven+"load: {calls: 2000000, warmup_all: 12s}")
	if e.Quicken(); e.Load.Warmup != program.Requests.Row().QuickWarmup || e.Load.WarmupAll != quickWarmupAll {
		t.Errorf("%v of warm-up after %v of all operations", e.Load.Warmup, e.Load.WarmupAll)
	}
	e = parseIn(t, shelf(), driven+"load: {calls: 5, duration: 300ms}")
	e.Quicken()
	if e.Load.Calls != 5 || e.Load.Duration != 300*time.Millisecond {
		t.Errorf("%+v", e.Load)
	}
}
