package config

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// shops is a catalog with a workload of several processes and a tracer that brings some.
func shops(files ...map[string]string) *program.Catalog {
	tree := fstest.MapFS{}
	for _, some := range append([]map[string]string{{
		"tracers/mesh/tracer.yaml": `
env: {TO: "{agent.port} {agent.port.admin} {hub.port}"}
templates: [app.conf]
settings: {batch: {kind: count, default: 7, env: {BATCH: "{value} {agent.port}"}}}
processes:
  - {name: hub, run: [hub, "{port}", "{sink.otlp.grpc}"], needs: }
  - {name: outer, beside: true, front: true, run: [proxy, "{templates}/proxy.conf"], templates: [proxy.conf], cpus: 0.5, memory: 64MiB}
  - {name: inner, beside: true, front: true, run: [proxy, "{port}", "{beside.port}"], templates: [inner.conf], ready: "log:^up", patience: 3s}
  - {name: agent, beside: true, role: collector, run: [agent, "{port}", "{port.admin}"], env: {B: "{setting.batch}", H: "{hub.port} {inner.port.admin}"}}
`,
		"tracers/mesh/inner.conf":      "admin={port.admin}\n",
		"tracers/mesh/app.conf":        "to={agent.port}\n",
		"tracers/mesh/proxy.conf":      "from={port} to={beside.port} batch={setting.batch} of {beside.process}\n",
		"tracers/front/tracer.yaml":    "processes: [{name: proxy, beside: true, front: true, run: [proxy, '{port}', '{beside.port}']}]\n",
		"tracers/db/tracer.yaml":       "processes: [{name: db, run: [x]}]\n",
		"tracers/kept/tracer.yaml":     "processes: [{name: base, service: base, beside: true}]\n",
		"services/base/service.yaml":   "needs: [{command: base, install: get it}]\nrun: [base, '{port}', '{service}']\n",
		"workloads/self/workload.yaml": "self: true\nprocesses: [{name: app, run: [x, '{port}']}]\noperations: {call: }\n",
		"workloads/none/workload.yaml": "processes: [{name: app, run: [x, '{port}'], traced: false}]\noperations: {home: GET /}\n",
		"workloads/fix/workload.yaml":  "processes: [{name: app, run: [x]}, {name: other, run: [x, '{port}']}]\noperations: {home: 'GET http://127.0.0.1:8080/'}\n",
		"workloads/shop/workload.yaml": `
build: {default: {run: [[make, plain]]}, mesh: {run: [[make, mesh]]}}
processes:
  - {name: db, role: database, run: [db, "{port}"]}
  - {name: cart, run: [cart, "{port}", "{db.port}"]}
  - {name: shop, run: [shop, "{port}", "{cart.port}"]}
operations: {home: {request: GET /, spans: {mesh: 4}}, none: {request: GET /none, spans: 0}}
`,
	}}, files...) {
		for name, text := range some {
			tree[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, ", needs: ", ""))}
		}
	}
	return program.NewCatalog(tree)
}

func names(processes []program.Process) []string {
	var out []string
	for _, p := range processes {
		out = append(out, p.Name)
	}
	return out
}

// What a tracer brings stands among the workload's processes in the order of their start.
func TestPlanBrings(t *testing.T) {
	e := parseIn(t, shops(), "workload: shop\nvariants: {none: , all: mesh, one: {tracer: mesh, on: cart, settings: {batch: 9}, env: {MINE: '{agent.port}'}}}\n")
	all, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"hub", "db", "agent@cart", "cart", "inner@cart", "outer@cart", "agent@shop", "shop", "inner@shop", "outer@shop"}
	if diff := cmp.Diff(want, names(all.Processes)); diff != "" {
		t.Errorf("processes (-want +got)\n%s", diff)
	}
	if all.Spans["home"].Low != 4 || all.Build.Run[0][1] != "mesh" || all.Plain.Run != nil || !all.NamesSink() {
		t.Errorf("of all processes: spans %v, build %v, plain %v", all.Spans, all.Build, all.Plain)
	}
	one, err := e.Plan(e.Variants[2])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hub", "db", "agent@cart", "cart", "inner@cart", "outer@cart", "shop"}, names(one.Processes)); diff != "" {
		t.Errorf("processes of one (-want +got)\n%s", diff)
	}
	if _, known := one.Spans["home"]; known || one.Spans["none"] != (program.Number{}) || one.Plain.Run[0][1] != "plain" {
		t.Errorf("of one process: spans %v, plain %v: what a part of the processes makes is not declared, and the rest is built without a tracer", one.Spans, one.Plain)
	}
	by := map[string]program.Process{}
	for _, p := range one.Processes {
		by[p.Name] = p
	}
	if p := by["hub"]; p.Role != "collector" || p.Placed != (program.Placed{Name: "hub"}) || p.Dir != "{tmp}" || p.Traced || p.Patience != program.DefaultPatience {
		t.Errorf("once a run: %+v", p)
	}
	if p := by["outer@cart"]; p.Role != "sidecar" || p.Placed != (program.Placed{Name: "outer", Of: "cart", Front: true}) || p.CPUs != 0.5 || p.Memory != 64<<20 ||
		p.Templates["proxy.conf"] != "from={port} to={beside.port} batch=9 of {beside.process}\n" || !slices.Contains(p.Words(), "beside.port") {
		t.Errorf("in front: %+v", p)
	}
	if p := by["agent@cart"]; p.Role != "collector" || p.Env["B"] != "9" || p.Placed != (program.Placed{Name: "agent", Of: "cart"}) || !slices.Equal(p.FurtherPorts(), []string{"port.admin"}) {
		t.Errorf("beside: %+v", p)
	}
	if p := by["cart"]; p.Env["MINE"] != "{agent.port}" || p.Env["BATCH"] != "9 {agent.port}" || !p.Traced || p.Templates["app.conf"] == "" || p.Brought() {
		t.Errorf("the traced one: %+v", p)
	}
	if p := by["shop"]; len(p.Env) > 0 || p.Traced || p.Templates != nil {
		t.Errorf("the one that is not traced: %+v", p)
	}
	again(t, shops(), e)
}

// Whom a variant is on, and what it brings, is said in a line.
func TestTracing(t *testing.T) {
	e := parseIn(t, shops(), "workload: shop\nvariants: {none: , all: mesh, one: {tracer: front, on: [cart]}, own: {on: db, env: {A: b}}, kept: kept}\n")
	for i, want := range []string{
		"", "on cart, shop; brings hub once a run, outer in front of each, inner in front of each, agent beside each",
		"on cart; brings proxy in front of it", "on db", "on cart, shop; brings base beside each",
	} {
		if got := e.Tracing(e.Variants[i]); got != want {
			t.Errorf("%s: %q, want %q", e.Variants[i].Name, got, want)
		}
	}
	if kept := e.Variants[4].Tracer; len(kept.Needs) != 1 || kept.Processes[0].Service == nil || kept.Processes[0].Dir != "{tmp}" {
		t.Errorf("what a service needs that a tracer brings: %+v", kept)
	}
}

// What does not go together is told at its place, with the nearest right word.
func TestBadOn(t *testing.T) {
	for text, want := range map[string]string{
		"workload: shop\nvariants: {none: , v: {tracer: mesh, on: crat}}":                  `x.yaml:2:42: unknown process "crat"; did you mean "cart"?`,
		"workload: shop\nvariants: {none: , v: {tracer: mesh, on: [shop, cat]}}":           `x.yaml:2:49: unknown process "cat"; did you mean "cart"?`,
		"workload: shop\nvariants: {none: , v: {tracer: mesh, on: [shop, shop]}}":          `x.yaml:2:49: process "shop" is named a second time`,
		"workload: shop\nvariants: {none: , v: {tracer: mesh, on: []}}":                    `x.yaml:2:42: on names no process, so that nothing would be traced; name some of db, cart, shop, or leave it out for all that are traced`,
		"workload: shop\nvariants: {none: , v: {tracer: mesh, on: }}":                      `on names no process`,
		"workload: shop\nvariants: {none: , v: {tracer: mesh, on: {a: b}}}":                `x.yaml:2:42: expected a list, not a mapping`,
		"workload: shop\nvariants: {none: , v: {tracer: none, on: shop}}":                  `x.yaml:2:42: on says which processes are traced, and this variant traces none: give it a tracer, env or args, or leave on out`,
		"workload: shop\nvariants: {none: , v: {tracer: db}}":                              `x.yaml:2:32: tracer db brings a process called "db", and workload shop has one of that name: call one of them otherwise`,
		"workload: none\nvariants: {none: , v: {tracer: mesh}}":                            `x.yaml:2:32: tracer mesh brings "outer" beside each traced process, and workload none has none: say which with on: [app]`,
		"workload: self\nvariants: {none: , v: front}":                                     `x.yaml:2:23: tracer front brings "proxy", through which requests go, and workload self is self-driving: there are none`,
		"workload: fix\nvariants: {none: , v: {tracer: front}}":                            `x.yaml:2:32: tracer front brings "proxy", which has to know the port of process "app", and that is not told its port by {port}: put {port} into its run or env, or leave it out with on:`,
		"workload: shop\nvariants: {none: , v: {tracer: front, env: {A: '{proxi.port}'}}}": `x.yaml:2:48: unknown placeholder "{proxi.port}"; did you mean "{proxy.port}"?`,
		"workload: shop\nvariants: {none: , v: {tracer: mesh, processes: []}}":             `x.yaml:2:49: a variant brings no processes, a tracer does`,
	} {
		_, err := ParseExperiment("x.yaml", ".", []byte(text), shops())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
	// A part of the processes may be what goes together.
	for _, text := range []string{
		"workload: fix\nvariants: {none: , v: {tracer: front, on: other}}",
		"workload: none\nvariants: {none: , v: {tracer: mesh, on: app}}",
	} {
		parseIn(t, shops(), text)
	}
}

// On the command line on is a key of a variant that may come several times.
func TestOnFromFlags(t *testing.T) {
	f := Flags{Command: []string{"app", "{port}"}, Ops: []string{"GET /"}, Variants: []string{"none", "v:tracer=front,on=app"}}
	e, err := FromFlags(f, shops())
	if err != nil || !slices.Equal(e.Variants[1].On, []string{"app"}) {
		t.Fatalf("%v", err)
	}
	f.Variants[1] = "v:tracer=front,on=app,on=ap"
	if _, err = FromFlags(f, shops()); err == nil || !strings.Contains(err.Error(), `unknown process "ap"; did you mean "app"?`) {
		t.Error(err)
	}
}

// relaying is a tracer, net, through which calls leave, or pass, by its settings.
var relaying = map[string]string{"tracers/net/tracer.yaml": `
settings:
  shape: {default: each, choices: {each: , one: {without: [seal]}}}
  seal: {default: off, choices: {on: , off: }}
  share: {kind: text, default: "0.5"}
  room: {kind: text, default: 64MiB}
processes:
  - {name: each, beside: true, front: true, out: true, only: {shape: each}, run: [x, "{host}:{port}", "{beside.host}:{beside.port}", "{peers}", "{setting.seal}"],
     cpus: "{setting.share}", memory: "{setting.room}", metrics: "http://{host}:{port.page}/{setting.seal}", says: [{what: calls, metrics: c}]}
  - {name: one, between: true, only: {shape: one}, role: sidecar, run: [x, "{peers}"], cpus: 2, says: [{what: dropped, log: d}]}
`,
	"workloads/hosts/workload.yaml": `
processes:
  - {name: db, role: database, run: [db, "{host}:{port}"], host: 127.1.0.7, protocol: thrift}
  - {name: cart, run: [cart, "{port}", "{db.host}:{db.port}"], host: 127.1.0.8}
  - {name: shop, run: [shop, "{port}", "{cart.host}:{cart.port}"]}
operations: {home: GET /, get: {grpc: /s/M, process: cart}}
`,
	"tracers/twice/tracer.yaml": "processes: [{name: a, beside: true, out: true, run: [x, '{peers}']}, {name: b, beside: true, out: true, run: [x, '{peers}']}]\n",
}

// What a tracer brings depends on its settings, and so do limits; it stands at the host of the process that it is beside.
func TestPlanRelays(t *testing.T) {
	e := parseIn(t, shops(relaying), `workload: hosts
variants:
  none:
  each: {tracer: net, on: all, settings: {share: 0.25}}
  one: {tracer: net, settings: {shape: one, seal: off}}
`)
	each, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"db", "each@db", "cart", "each@cart", "shop", "each@shop"}, names(each.Processes)); diff != "" {
		t.Errorf("processes, of all (-want +got)\n%s", diff)
	}
	p := each.Process("each@cart")
	if p.Host != "127.1.0.8" || p.CPUs != 0.25 || p.Memory != 64<<20 || p.Page != "http://{host}:{port.page}/off" || len(p.Says) != 1 || !slices.Equal(p.FurtherPorts(), []string{"port.page"}) ||
		p.Placed != (program.Placed{Name: "each", Of: "cart", Front: true, Out: true}) {
		t.Errorf("before and behind: %+v", p)
	}
	for name, want := range map[string]string{"db": "thrift", "cart": "grpc", "shop": "http"} { // as it says, as operations call it
		if got := each.Process(name).Protocol; got != want {
			t.Errorf("%s is called by %s, want %s", name, got, want)
		}
	}
	if said := each.Speakers(); len(said) != 2 || said[0].Brought != "" || said[1].Brought != "each" {
		t.Errorf("those who say something: %+v", said)
	}
	one, err := e.Plan(e.Variants[2])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one", "db", "cart", "shop"}, names(one.Processes)); diff != "" {
		t.Errorf("processes, with one between (-want +got)\n%s", diff)
	}
	if p := one.Process("one"); p.Placed != (program.Placed{Name: "one", Between: true}) || p.CPUs != 2 || p.Role != "sidecar" {
		t.Errorf("between: %+v", p)
	}
	if got, want := e.Tracing(e.Variants[1])+" / "+e.Tracing(e.Variants[2]), "on db, cart, shop; brings each before and behind each / on cart, shop; brings one between all"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	again(t, shops(relaying), e)
	for text, want := range map[string]string{
		"workload: hosts\nvariants: {none: , v: {tracer: net, settings: {share: much}}}":                                                           `tracer net: {setting.share} of process each: "much" is not a number of CPUs from 0 to 1024, such as 0.5`,
		"workload: hosts\nvariants: {none: , v: {tracer: net, settings: {room: much}}}":                                                            `tracer net: {setting.room} of process each: "much" is not a size`,
		"workload: hosts\nvariants: {none: , v: {tracer: net, settings: {shape: one, seal: on}}}":                                                  `x.yaml:2:66: setting seal of tracer net says nothing with shape=one; leave one of them out`,
		"workload: hosts\nvariants: {none: , v: {tracer: twice}}":                                                                                  `tracer twice brings "a" and "b", and what a process calls leaves through one of them: choose which by only, in its file`,
		"workload: self\nvariants: {none: , v: {tracer: net, settings: {shape: one}}}":                                                             `tracer net brings "one", through which requests go, and workload self is self-driving: there are none`,
		"workload: {processes: [{name: a, run: [x, '{port}'], host: 10.0.0.1}], operations: {home: GET /}}\nvariants: {none: , v: {tracer: none}}": `host: "10.0.0.1" is not a loopback address`,
	} {
		if _, err := ParseExperiment("x.yaml", ".", []byte(text), shops(relaying)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}
