package config

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// shelf is a catalog with a service, a self-driving workload, and tracers.
func shelf(files ...map[string]string) *program.Catalog {
	tree := fstest.MapFS{}
	for _, some := range append([]map[string]string{{
		"services/base/service.yaml": `
description: a database
needs: [{command: base, install: get it}]
run: [sh, "{service}/start.sh", "{port}"]
env: {SCHEMA: "", LEVEL: low}
ready: log:^up
patience: 1m
`,
		"services/base/start.sh": "#!/bin/sh\n",
		"workloads/calls/workload.yaml": `
language: java
self: true
processes: [{name: app, run: [java, "{port}"]}]
operations:
  call: {description: one, drive: {depth: 10, kind: plain}, spans: 10}
  bare:
`,
		"workloads/calls2/workload.yaml": "self: true\nprocesses: [{name: app, run: [x, '{port}']}]\noperations: {call: }\n",
		"workloads/asked/workload.yaml":  "processes: [{name: app, run: [x, '{port}']}]\noperations: {home: GET /}\n",
		"tracers/kieker-java/tracer.yaml": `
language: java
append: {JAVA_TOOL_OPTIONS: "-javaagent:{tracer}/agent.jar", GONE: "a"}
templates: [agent.conf]
connects: 30s
buffers: 1200
startup: 6s
env: {A: tracer}
settings:
  rate:
    kind: share
    default: 50%
    append: {JAVA_TOOL_OPTIONS: "-Drate={value.ratio}"}
  note: {default: "a {port}"}
  mode:
    default: full
    choices:
      full: {}
      probe: {steps: [instrumentation, probe], append: {JAVA_TOOL_OPTIONS: -Dmode=probe}, silent: true}
      off: {steps: [instrumentation], unset: [GONE], silent: true}
  queue:
    default: "on"
    choices: {"on": {steps: [instrumentation, probe, queue, writing]}, "off": {steps: [instrumentation, probe, writing]}}
`,
		"tracers/kieker-java/agent.conf": "to={sink.kieker}\nshare={setting.rate.ratio} of {setting.rate}\nmode={setting.mode} {setting.note} ${env:HOME} {{brace}} ${x}\n",
	}}, files...) {
		for name, text := range some {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return program.NewCatalog(tree)
}

func parseIn(t *testing.T, c *program.Catalog, text string) *Experiment {
	t.Helper()
	es, err := ParseExperiment("x.yaml", t.TempDir(), []byte(text), c)
	if err != nil {
		t.Fatal(err)
	}
	return es[0]
}

// again writes e, reads it again, and wants the same experiment.
func again(t *testing.T, c *program.Catalog, e *Experiment) {
	t.Helper()
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	es, err := ParseExperiment("experiment.yaml", t.TempDir(), text, c)
	if err != nil {
		t.Fatalf("what was written is not read: %v\n%s", err, text)
	}
	for i := range es[0].Variants {
		es[0].Variants[i].Chosen = e.Variants[i].Chosen
	}
	if diff := cmp.Diff(e, es[0], same); diff != "" {
		t.Errorf("(-before +after)\n%s\n%s", diff, text)
	}
}

// TestProcessOfAService: the service's process, with the workload's own keys over it.
func TestProcessOfAService(t *testing.T) {
	c := shelf()
	e := parseIn(t, c, `
workload:
  needs: [{command: mine}]
  processes:
    - {name: db, service: base, env: {SCHEMA: "{dir}/x.sql"}, cpus: 2}
    - {name: cache, service: base, role: backend, run: [base, "{service}"], patience: 5s, traced: true}
    - {name: app, run: [app, "{port}", "{db.port}"]}
  operations: {home: GET /}
  verify: {run: [check, "{app.port}", "{tracetax}"]}
variants: {none: , a: {tracer: none}}
`)
	service, err := c.Service("base")
	if err != nil {
		t.Fatal(err)
	}
	w := e.Workload
	want := []program.Process{
		{Name: "db", Service: service, Role: "database", Run: []string{"sh", "{service}/start.sh", "{port}"}, Env: map[string]string{"SCHEMA": "{dir}/x.sql", "LEVEL": "low"},
			Ready: "log:^up", Patience: time.Minute, CPUs: 2},
		{Name: "cache", Service: service, Role: "backend", Run: []string{"base", "{service}"}, Env: map[string]string{"SCHEMA": "", "LEVEL": "low"},
			Ready: "log:^up", Patience: 5 * time.Second, Traced: true},
		{Name: "app", Role: "app", Run: []string{"app", "{port}", "{db.port}"}, Patience: program.DefaultPatience, Traced: true},
	}
	if diff := cmp.Diff(want, w.Processes, same); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]program.Need{{Command: "mine"}, {Command: "base", Install: "get it"}}, w.Needs); diff != "" {
		t.Errorf("needs (-want +got)\n%s", diff)
	}
	if service.Files == nil {
		t.Error("the service has no files")
	}
	plan, err := e.Plan(e.Variants[0])
	if err != nil || !cmp.Equal(plan.Verify, []string{"check", "{app.port}", "{tracetax}"}) {
		t.Errorf("verify %v, %v", plan.Verify, err)
	}
	again(t, c, e)
}

// TestServiceFolders: a workload of the catalog has services too, a wrong service
// file is told with its place, and what is called by another one's name is not found.
func TestServiceFolders(t *testing.T) {
	c := shelf(map[string]string{
		"workloads/shop/workload.yaml":  "processes: [{name: db, service: base}, {name: app, run: [app, '{port}']}]\noperations: {home: GET /}",
		"workloads/wrong/workload.yaml": "processes: [{name: db, service: bas}]\noperations: {home: GET /}",
		"workloads/torn/workload.yaml":  "processes: [{name: db, service: torn}]\noperations: {home: GET /}",
		"services/torn/service.yaml":    "run: [x]\nname: torn\n",
	})
	if names, err := c.Services(); err != nil || !cmp.Equal(names, []string{"base", "torn"}) {
		t.Errorf("services %v, %v", names, err)
	}
	if w, err := c.Workload("shop"); err != nil || w.Processes[0].Service == nil || w.Processes[0].Role != "database" {
		t.Errorf("%+v, %v", w, err)
	}
	for name, want := range map[string]string{
		"wrong": `workloads/wrong/workload.yaml:1:33: unknown service "bas"; did you mean "base"?`,
		"torn":  `services/torn/service.yaml:2:1: unknown key "name"`,
	} {
		if _, err := c.Workload(name); err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func FuzzService(f *testing.F) {
	seed(f, "service.yaml", "bad-workloads.txtar")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := program.ParseService("s.yaml", "s", []byte(text)); err != nil && !program.IsProblem(err) {
			t.Fatal(err)
		}
	})
}
