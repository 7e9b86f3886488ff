package config

import (
	"strings"
	"testing"
)

// A variant that the Operator injects sends its spans to the sink, and is none of tracetax's tracers whatever it is called.
func TestInject(t *testing.T) {
	e := experimentOf(t, "none: {inject: false}\n  otel-java: {inject: java, instrumentation: default, env: {OTEL_METRICS_EXPORTER: otlp}}")
	if v := e.Variants[0]; v.Inject != NotInjected || !v.Untraced() {
		t.Errorf("the baseline injects %q, and is untraced: %t", v.Inject, v.Untraced())
	}
	plan, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	env := plan.Processes[0].Env
	if plan.Inject != "java" || plan.Instrumentation != "default" || env["OTEL_EXPORTER_OTLP_ENDPOINT"] != "http://{sink.otlp.http}" || !plan.NamesSink() ||
		env["OTEL_LOGS_EXPORTER"] != "none" || env["OTEL_METRICS_EXPORTER"] != "otlp" || plan.Silent || env["JAVA_TOOL_OPTIONS"] != "" {
		t.Errorf("injected %q of %q, with %v", plan.Inject, plan.Instrumentation, env)
	}
}

const inPods = `
workload: {deployment: shop, port: 8080, operations: {items: GET /items}}
target: {kubernetes: {namespace: trial}}
load: {rate: 10/s}
design: {blocks: 6}
variants:
  %s
`

func experimentOf(t *testing.T, variants string) *Experiment {
	t.Helper()
	all, err := ParseExperiment("shop.yaml", t.TempDir(), []byte(strings.Replace(inPods, "%s", variants, 1)), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func TestInjectThatCannotBe(t *testing.T) {
	for name, row := range map[string]struct{ variants, says string }{
		"another language":  {"none: {inject: false}\n  otel: {inject: cobol}", "dotnet, false, java, nodejs, python, sdk"},
		"with a tracer":     {"none:\n  otel: {inject: java, tracer: otel-java}", "would trace it again"},
		"a name of nothing": {"none:\n  otel: {tracer: none, instrumentation: default, env: {A: b}}", "write inject: java"},
		"nothing is named":  {"none: {inject: false, instrumentation: default}\n  otel: {inject: java}", "write inject: java"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseExperiment("shop.yaml", t.TempDir(), []byte(strings.Replace(inPods, "%s", row.variants, 1)), builtIn())
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("the error is %v, and is to say %q", err, row.says)
			}
		})
	}
	_, err := FromFlags(Flags{Command: []string{"shop"}, Ops: []string{"GET /"}, Variants: []string{"none:inject=false", "otel:inject=java"}}, builtIn())
	if err == nil || !strings.Contains(err.Error(), "inject is for the pods of a cluster") {
		t.Errorf("a program of this machine: %v", err)
	}
}

// What has a template of pods is a Deployment, unless its kind says otherwise; the process has its name.
func TestTemplated(t *testing.T) {
	for of, says := range map[string]string{"shop": "", "deployment/shop": "", "statefulset/shop": "", "pod/shop": "", "daemonset/shop": "statefulset/NAME or pod/NAME"} {
		text := strings.Replace(inPods, "deployment: shop", "deployment: "+of, 1)
		all, err := ParseExperiment("shop.yaml", t.TempDir(), []byte(strings.Replace(text, "%s", "none:\n  a: {tracer: none, env: {A: b}}", 1)), builtIn())
		switch {
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: %v, and is to say %q", of, err, says)
		case says == "" && err != nil:
			t.Errorf("%s: %v", of, err)
		case says == "":
			if p := all[0].Workload.Processes[0]; p.Name != "shop" || p.Deployed != of {
				t.Errorf("%s is process %s of %s", of, p.Name, p.Deployed)
			}
		}
	}
}
