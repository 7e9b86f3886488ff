package config

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// toys is a catalog that has what merging can run into.
var toys = program.NewCatalog(fstest.MapFS{
	"tracers/toy/tracer.yaml": {Data: []byte(`
wrap: [attach, "{tracer}/agent"]
args: [--agent]
env: {A: tracer, B: tracer, C: tracer, D: tracer, GONE: tracer, TO: "{sink.otlp.grpc}"}
settings:
  sampling: {kind: share, default: 100%, meaning: sampling, env: {RATIO: "{value.ratio}", SHARE: "{value}", C: setting, D: setting}}
  delay: {kind: duration, default: 5s, meaning: delay, env: {MS: "{value.ms}", S: "{value.s}", TEXT: "{value}"}}
  queue: {kind: count, default: 2048, env: {QUEUE: "{value}"}}
  note: {default: "x", env: {NOTE: "<{value}> of {process}"}}
  processor:
    default: batch
    choices:
      batch: {env: {GONE: batch}}
      simple: {env: {SIMPLE: "1"}, unset: [GONE, MS], immediate: true}
      off: {silent: true}
      errors: {decides: true}
says: [{what: dropped, log: "dropped (?P<n>\\d+)", take: last}]
settle: 250ms
`)},
	"workloads/shop/workload.yaml": {Data: []byte(`
build: {default: {run: ["make plain"]}, toy: {run: ["make toy"], env: {X: y}}}
processes:
  - {name: shop, run: [shop, "{port}"], env: {A: workload, B: workload, W: workload}}
  - {name: back, role: backend, run: [back, "{port}"], env: {A: workload}}
operations:
  one: {request: GET /one, spans: {default: 1, toy: 2..3}}
  two: {request: GET /two, spans: 5}
  untold: GET /untold
`)},
})

func plan(t *testing.T, variant string) *Plan {
	t.Helper()
	es, err := ParseExperiment("x.yaml", ".", []byte("workload: shop\nvariants: {none: , v: "+variant+"}"), toys)
	if err != nil {
		t.Fatal(err)
	}
	p, err := es[0].Plan(es[0].Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanMerges(t *testing.T) {
	p := plan(t, `{tracer: toy, settings: {sampling: 0.25, delay: 1500ms, note: "{port} ${HOME}"}, env: {B: variant, D: variant}, args: [--mine]}`)
	wantRun := []string{"attach", "{tracer}/agent", "shop", "{port}", "--agent", "--mine"}
	if diff := cmp.Diff(wantRun, p.Processes[0].Run); diff != "" {
		t.Errorf("command (-want +got)\n%s", diff)
	}
	wantEnv := map[string]string{
		"A": "tracer", "B": "variant", "C": "setting", "D": "variant", "W": "workload", "GONE": "batch", "TO": "{sink.otlp.grpc}",
		"RATIO": "0.25", "SHARE": "25%", "MS": "1500", "S": "1.5", "TEXT": "1.5s", "QUEUE": "2048",
		"NOTE": "<{{port}} ${HOME}> of {process}",
	}
	if diff := cmp.Diff(wantEnv, p.Processes[0].Env); diff != "" {
		t.Errorf("environment (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"A": "workload"}, p.Processes[1].Env); diff != "" {
		t.Errorf("environment of a process that is not traced\n%s", diff)
	}
	if diff := cmp.Diff([]string{"back", "{port}"}, p.Processes[1].Run); diff != "" {
		t.Errorf("command of a process that is not traced\n%s", diff)
	}
	if diff := cmp.Diff(program.Build{Run: [][]string{{"make", "toy"}}, Env: map[string]string{"X": "y"}}, p.Build); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]program.Number{"one": {Low: 2, High: 3}, "two": {Low: 5, High: 5}}, p.Spans); diff != "" {
		t.Error(diff)
	}
	if p.Settle != 250*time.Millisecond || len(p.Says) != 1 || p.Workload != "shop" || p.Variant != "v" {
		t.Errorf("%+v", p)
	}
}

// A program that starts others itself: the tracer goes around those, and without one they stand there as they are.
func TestPlanGoesAroundWhatStarts(t *testing.T) {
	const text = "workload: {name: w, language: '', processes: [{name: app, run: [keep, --], starts: [python3, '{process}']}], operations: {a: GET http://127.0.0.1:1/}}\n" +
		"variants: {none: , v: {tracer: toy, args: [--mine]}}"
	es, err := ParseExperiment("x.yaml", ".", []byte(text), toys)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		{"keep", "--", "python3", "{process}"},
		{"keep", "--", "attach", "{tracer}/agent", "python3", "{process}", "--agent", "--mine"},
	} {
		p, err := es[0].Plan(es[0].Variants[i])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Processes[0].Run); diff != "" {
			t.Errorf("command %d (-want +got)\n%s", i, diff)
		}
	}
	written, err := es[0].YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseExperiment("x.yaml", ".", written, toys)
	if err != nil || !slices.Equal(again[0].Workload.Processes[0].Starts, []string{"python3", "{process}"}) {
		t.Errorf("written and read again it starts %v (%v)", again, err)
	}
}

func TestPlanBehaviour(t *testing.T) {
	for variant, want := range map[string]Plan{
		`{tracer: toy}`: {Sampling: 1, Delay: 5 * time.Second},
		`{tracer: toy, settings: {sampling: 0%}}`:                 {Sampling: 0, Delay: 5 * time.Second},
		`{tracer: toy, settings: {sampling: 1%, delay: 200ms}}`:   {Sampling: 0.01, Delay: 200 * time.Millisecond},
		`{tracer: toy, settings: {processor: simple, delay: 9s}}`: {Sampling: 1},
		`{tracer: toy, settings: {processor: off}}`:               {Sampling: 1, Silent: true},
		`{tracer: toy, settings: {processor: errors}}`:            {Sampling: 1, Delay: 5 * time.Second, Decides: true},
		`{tracer: none}`:     {Sampling: 1, Silent: true},
		`{env: {MINE: "1"}}`: {Sampling: 1}, // may well send spans of its own
		`{args: [--trace]}`:  {Sampling: 1},
	} {
		p := plan(t, variant)
		got := Plan{Sampling: p.Sampling, Delay: p.Delay, Silent: p.Silent, Decides: p.Decides}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", variant, diff)
		}
	}
}

// TestPlanUnset: a choice takes variables of the tracer away, and no others.
func TestPlanUnset(t *testing.T) {
	env := plan(t, `{tracer: toy, settings: {processor: simple}}`).Processes[0].Env
	for _, name := range []string{"GONE", "MS"} {
		if v, ok := env[name]; ok {
			t.Errorf("%s is still %q", name, v)
		}
	}
	env = plan(t, `{tracer: toy, settings: {processor: simple}, env: {GONE: mine}}`).Processes[0].Env
	if env["GONE"] != "mine" || env["SIMPLE"] != "1" {
		t.Errorf("env %v", env)
	}
}

// TestPlanIsACopy: a run that changes its plan changes no other.
func TestPlanIsACopy(t *testing.T) {
	e := parseOne(t, everything)
	first, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	first.Processes[0].Env["A"] = "changed"
	first.Processes[0].Run[0] = "changed"
	first.Build.Run[0][0] = "changed"
	first.Operations[0].Mix[0].Operation.Headers["X-Y"] = "changed"
	second, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	p := second.Processes[0]
	if p.Env["A"] == "changed" || p.Run[0] == "changed" || second.Build.Run[0][0] == "changed" ||
		second.Operations[0].Mix[0].Operation.Headers["X-Y"] == "changed" || strings.Contains(string(text), "changed") {
		t.Error("a change of one plan is seen in another")
	}
}

func TestPlanEnvironment(t *testing.T) {
	t.Setenv("SHOP_TOKEN", "s3cr3t{port}")
	t.Setenv("SHOP_HOST", "hostname")
	e := parseOne(t, `
workload:
  processes: [{name: shop, run: [shop, "{port}", "${env:SHOP_HOST}"], env: {TOKEN: "${env:SHOP_TOKEN}", API_KEY: in-the-file}}]
  operations: {home: {request: "GET /${env:SHOP_HOST}", headers: {x-token: "a ${env:SHOP_TOKEN}"}, body: "${env:SHOP_HOST}"}}
variants: {none: , otel-python: }
`)
	p, err := e.Plan(e.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	token, err := program.Expand(p.Processes[0].Env["TOKEN"], map[string]string{"port": "8080"})
	if err != nil || token != "s3cr3t{port}" {
		t.Errorf("token %q, %v: a value of the environment is not to be expanded", token, err)
	}
	o := p.Operations[0]
	if p.Processes[0].Run[2] != "hostname" || o.URL != "/hostname" || string(o.Body.Bytes) != "hostname" {
		t.Errorf("%+v", p)
	}
	for _, want := range []string{"s3cr3t{port}", "hostname", "in-the-file"} {
		if !strings.Contains(strings.Join(p.Secrets, "\n"), want) {
			t.Errorf("%q is not among the secrets %q", want, p.Secrets)
		}
	}
	unset := *e
	unset.Workload.Processes[0].Env["TOKEN"] = "${env:TRACETAX_TEST_NOT_SET}"
	if _, err := unset.Plan(e.Variants[0]); err == nil || !strings.Contains(err.Error(), "TRACETAX_TEST_NOT_SET is not set") {
		t.Errorf("an unset variable: %v", err)
	}
}

// That the program makes no span without a tracer says nothing of an agent of the user's own.
func TestPlanSpansOfYourOwnAgent(t *testing.T) {
	es, err := ParseExperiment("x.yaml", ".", []byte(`
workload:
  processes: [{name: shop, run: [shop, "{port}"]}]
  operations:
    told: {request: GET /told, spans: {none: 0, toy: 4}}
    every: {request: GET /every, spans: {none: 0, default: 2}}
variants:
  none:
  bigger: {env: {HEAP: 2g}}
  own: {env: {AGENT: mine, TO: "http://{sink.otlp.http}"}}
  flag: {args: ["--to={sink.zipkin}"]}
`), toys)
	if err != nil {
		t.Fatal(err)
	}
	nothing, learnt := map[string]program.Number{"told": {}, "every": {}}, map[string]program.Number{"every": {Low: 2, High: 2}}
	for i, want := range []map[string]program.Number{nothing, nothing, learnt, learnt} {
		p, err := es[0].Plan(es[0].Variants[i])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Spans); diff != "" {
			t.Errorf("%s (-want +got)\n%s", p.Variant, diff)
		}
	}
}

func TestPlanMixSpans(t *testing.T) {
	es, err := ParseExperiment("x.yaml", ".", []byte("workload: shop\nmix: {one: 1, two: 3}\nvariants: {none: , toy: }"), toys)
	if err != nil {
		t.Fatal(err)
	}
	p, err := es[0].Plan(es[0].Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]program.Number{"mix": {Low: 2, High: 5}, "one": {Low: 2, High: 3}, "two": {Low: 5, High: 5}}, p.Spans); diff != "" {
		t.Error(diff)
	}
}

func TestOwner(t *testing.T) {
	processes := []program.Process{{Name: "db", Role: "database"}, {Name: "front", Role: "app"}, {Name: "back", Role: "app"}}
	for named, want := range map[string]string{"": "front", "back": "back", "db": "db"} {
		if got := (program.Operation{Process: named}).Owner(processes).Name; got != want {
			t.Errorf("operation of %q is asked of %s, want %s", named, got, want)
		}
	}
	if got := (program.Operation{}).Owner(processes[:1]).Name; got != "db" {
		t.Errorf("without an app it is asked of %s, want the first", got)
	}
}

// What a tracer appends stands behind what the shell has, as long as neither the process nor
// the variant says something of the variable itself.
func TestPlanInherits(t *testing.T) {
	for name, test := range map[string]struct {
		process, variant string
		want             []string
	}{
		"nothing said":   {"", "", []string{"JAVA_TOOL_OPTIONS"}},
		"by the process": {"env: {JAVA_TOOL_OPTIONS: -Xmx1g}", "", nil},
		"by the variant": {"", "env: {JAVA_TOOL_OPTIONS: -Xmx1g}", nil},
	} {
		text := "workload: {processes: [{name: shop, run: [java, \"{port}\"], " + test.process + "}], operations: {list: {request: GET /}}}\nvariants: {none: , otel: {tracer: otel-java, " + test.variant + "}}\n"
		es, err := ParseExperiment("x.yaml", ".", []byte(text), builtIn())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := es[0].Plan(es[0].Variants[1])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := p.Processes[0].Inherit; !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Tracers in the code of a program are switched off where the variant is called untraced, and in what it leaves out; not
// where it has variables, arguments or a tracer of its own.
func TestPlanSwitchesOff(t *testing.T) {
	for variant, want := range map[string]bool{
		"{tracer: none}": true, "{tracer: none, env: {A: b}}": false, "{tracer: none, args: [a]}": false,
		"{tracer: toy}": false, "{tracer: toy, on: back}": true,
	} {
		p := plan(t, variant)
		if p.Processes[0].Off != want {
			t.Errorf("%s: the shop's tracers are switched off: %t, want %t", variant, p.Processes[0].Off, want)
		}
		if p.Processes[1].Off { // it is no app, and never traced
			t.Errorf("%s: those of the back are switched off", variant)
		}
	}
}

// A path is asked of the process itself, as on the command line.
func TestReadyPath(t *testing.T) {
	es, err := ParseExperiment("x.yaml", ".", []byte("workload: {processes: [{name: shop, run: [shop, \"{port}\"], ready: /health}], operations: {list: {request: GET /}}}\nvariants: {none: , other: {args: [-x]}}\n"), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if got := es[0].Workload.Processes[0].Ready; got != "http://{host}:{port}/health" {
		t.Errorf("it is ready when %s answers", got)
	}
}

// What is indented wrongly is called that.
func TestWrongIndentation(t *testing.T) {
	for text, want := range map[string]string{
		"workload:\n  processes:\n    - name: shop\n       run: [shop]\n": "indentation",
		"workload:\n\tprocesses: []\n":                                    "tabs",
		"workload: hello/go\n variants:\n  none:\n":                       "indentation",
	} {
		if _, err := ParseExperiment("x.yaml", ".", []byte(text), builtIn()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
