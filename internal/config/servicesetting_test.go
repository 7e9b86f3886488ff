package config

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// sifter is a service with settings that spans can pass through.
const sifter = `
role: collector
run: [sift, "--max={setting.max}", "{config}"]
config: "{service}/sift.conf"
env: {TO: "{sink.otlp.grpc}", STEPS: plain, RULE: ""}
ready: "http://127.0.0.1:{port}/{setting.max}"
receives: {otlp.grpc: "127.0.0.1:{port}"}
delay: 100ms
settings:
  keep:
    default: all
    choices:
      all: {without: [wait, over]}
      slow: {env: {STEPS: sifted, RULE: "{over: {setting.over.ms}}"}, delay: 1s}
  over: {kind: duration, default: 500ms}
  wait: {kind: duration, default: 10s, meaning: delay, env: {WAIT: "{value.s}"}}
  batch: {kind: duration, default: 200ms, meaning: delay, env: {BATCH: "{value}"}}
  max: {kind: count, default: 7}
`

func sifters(services ...string) *program.Catalog {
	files := map[string]string{
		"services/sifter/service.yaml":  sifter,
		"services/sifter/sift.conf":     "x\n",
		"tracers/otel-java/tracer.yaml": "language: java\nenv: {TO: '{sink.otlp.grpc}'}\n",
	}
	for _, text := range services {
		files["services/other/service.yaml"] = text
	}
	return shelf(files)
}

// TestServiceSettings: a hop has the settings that are chosen, and holds spans as long as they say.
func TestServiceSettings(t *testing.T) {
	c := sifters()
	e := parseIn(t, c, `
workload: calls
variants:
  none:
  plain: {tracer: otel, via: sifter}
  tail: {tracer: otel, via: {sifter: {keep: slow, over: 1s, wait: 2s, max: 9, env: {RULE2: x}}}}
  own: {tracer: otel, via: {sifter: {config: "a: b\n", wait: 3s, env: {BATCH: mine}}}}
`)
	for i, want := range []struct {
		steps, rule, wait, batch, most, ready string
		passing                               time.Duration
	}{
		{"plain", "", "10", "200ms", "--max=7", "http://127.0.0.1:{port}/7", 300 * time.Millisecond},
		{"sifted", "{over: 1000}", "2", "200ms", "--max=9", "http://127.0.0.1:{port}/9", 3300 * time.Millisecond},
		{"plain", "", "3", "mine", "--max=7", "http://127.0.0.1:{port}/7", 3300 * time.Millisecond},
	} {
		p, err := e.Plan(e.Variants[i+1])
		if err != nil {
			t.Fatal(err)
		}
		hop := p.Process("sifter")
		if hop.Env["STEPS"] != want.steps || hop.Env["RULE"] != want.rule || hop.Env["WAIT"] != want.wait || hop.Env["BATCH"] != want.batch ||
			hop.Run[1] != want.most || hop.Ready != want.ready || p.Passing != want.passing {
			t.Errorf("%s: passing %v, %+v, want %+v", p.Variant, p.Passing, hop, want)
		}
	}
	if s, err := c.Service("sifter"); err != nil || s.Process.Env["STEPS"] != "plain" || s.Process.Run[1] != "--max={setting.max}" {
		t.Errorf("what one hop chose is in the service itself: %+v, %v", s, err)
	}
	again(t, c, e)
}

func TestBadSettingsOfHops(t *testing.T) {
	for via, want := range map[string]string{
		"{keep: some}":           `setting keep of service sifter: unknown choice "some"; known are all, slow`,
		"{wait: soon}":           `setting wait of service sifter: "soon"`,
		"{wait: 2s}":             `wait says nothing with keep: all (of service sifter); leave it out, or choose another keep`,
		"{kep: all}":             `unknown key "kep"; did you mean "keep"? (in a hop)`,
		"{keep: [slow]}":         `keep`,
		"{max: -1}":              `"-1" is not a whole number from 0`,
		"{keep: slow, wait: -1}": `setting wait of service sifter`,
	} {
		_, err := ParseExperiment("x.yaml", ".", []byte("workload: calls\nvariants: {none: , x: {tracer: otel, via: {sifter: "+via+"}}}\n"), sifters())
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", via, err, want)
		}
	}
}

func TestBadSettingsOfServices(t *testing.T) {
	for text, want := range map[string]string{
		"a: {kind: count}":  `setting "a" needs a default`,
		"config: {}":        `a setting cannot be called "config": the word means something else in a hop`,
		"via: {default: x}": `a setting cannot be called "via"`,
		"a: {default: 10%, kind: share, meaning: sampling}":        "what a service leaves out it says itself",
		"a: {default: x, append: {A: b}}":                          `unknown key "append"`,
		"a: {default: x, choices: {x: {silent: true}}}":            `unknown key "silent"; known are delay, description, env, sends, without (in a choice)`,
		"a: {default: x, choices: {x: {without: [b]}}}":            `choice "x" of a: unknown setting "b"`,
		"a: {default: x, choices: {x: {without: [a]}}}":            `choice "x" of a: unknown setting "a"`,
		"a: {default: x, choices: {x: {env: {A: '{setting.b}'}}}}": `unknown placeholder "{setting.b}"`,
		"a: {default: x, choices: {x: {delay: -1s}}}":              "-1s",
		"a: {default: 1s, kind: count, meaning: delay}":            "delay takes kind duration",
		"[a]":                           "settings",
		"a: x":                          "a setting must be a mapping",
		"a: {default: x, choices: [x]}": "choices",
		"a: {default: x, choices: {x: {without: [b]}}}\n  b: {default: 1 s}": "",
	} {
		_, err := program.ParseService("s.yaml", "s", []byte("run: [x]\nsettings:\n  "+text+"\n"))
		if want == "" && err != nil || want != "" && (err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for key, want := range map[string]string{
		"delay: 1s": `unknown key "delay"`,
	} {
		_, err := program.ParseTracer("t.yaml", "t", []byte("settings: {a: {default: x, choices: {x: {"+key+"}}}, b: {default: y}}\n"))
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
}

// A process of a workload that is a service has the defaults.
func TestDefaultsOfAServiceInAWorkload(t *testing.T) {
	e := parseIn(t, sifters(), "workload:\n  processes: [{name: pipe, service: sifter, env: {WAIT: '1'}}, {name: app, run: [app, '{port}']}]\n  operations: {home: GET /}\nvariants: {none: , a: {tracer: none}}\n")
	if p := e.Workload.Processes[0]; p.Run[1] != "--max=7" || p.Env["BATCH"] != "200ms" || p.Env["WAIT"] != "1" {
		t.Errorf("%+v", p)
	}
}
