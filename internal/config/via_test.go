package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/role"
)

// relays is a catalog with a service that spans can pass through.
func relays() *program.Catalog {
	return shelf(map[string]string{
		"services/relay/service.yaml": `
needs: [{command: relay, install: get it}]
build: {run: [[make, "{build}/relay"]]}
role: collector
run: ["{build}/relay", "{config}"]
config: "{service}/relay.conf"
env: {AT: "{port}", PAGE: "{port.page}", TO: "{sink.otlp.grpc}", LEVEL: low}
receives: {otlp.grpc: "127.0.0.1:{port}"}
delay: 300ms
metrics: "http://127.0.0.1:{port.page}/metrics"
says:
  - {what: received, metrics: in_spans}
  - {what: sampled, metrics: 'out_spans{why="sampled", who="me"}', absent: none}
  - {what: dropped, log: 'dropped (?P<n>\d+)'}
cpus: 1
`,
		"services/relay/relay.conf": "x\n",
		"tracers/otel-java/tracer.yaml": `
language: java
env: {TO: "{sink.otlp.grpc}"}
settings: {delay: {default: 1s, kind: duration, meaning: delay, env: {D: "{value.ms}"}}}
says: [{what: dropped, log: 'gone'}]
`,
		"tracers/quick-java/tracer.yaml": "language: java\ndelay: 150ms\nenv: {TO: '{sink.otlp.grpc}'}\n",
	})
}

// TestVia: hops stand before the workload's processes in a plan, the last one first, and the way of spans leads over them.
func TestVia(t *testing.T) {
	c := relays()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine.conf"), []byte("mine: ${env:TO}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	es, err := ParseExperiment("x.yaml", dir, []byte(`
workload: calls
variants:
  none:
  one: {tracer: otel, via: relay}
  own: {tracer: otel, via: {relay: mine.conf}}
  two:
    tracer: otel
    via:
      - edge: {service: relay, env: {LEVEL: high, TOKEN: "${env:HOME}"}, cpus: 0.5, memory: 64M}
      - tail: {service: relay, config: "a: b\n"}
`), c)
	if err != nil {
		t.Fatal(err)
	}
	e := es[0]
	p, err := e.Plan(e.Variants[3])
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, process := range p.Processes {
		names = append(names, process.Name)
	}
	if want := []string{"tail", "edge", "app"}; !slices.Equal(names, want) || !slices.Equal(p.Via, []string{"edge", "tail"}) {
		t.Errorf("processes %v, hops %v; want %v", names, p.Via, want)
	}
	if p.Next("app") != "edge" || p.Next("edge") != "tail" || p.Next("tail") != "" {
		t.Errorf("app to %q, edge to %q, tail to %q", p.Next("app"), p.Next("edge"), p.Next("tail"))
	}
	if p.Passing != 600*time.Millisecond || p.Passed() != 1600*time.Millisecond {
		t.Errorf("hops hold spans for %v, all together for %v", p.Passing, p.Passed())
	}
	edge, tail := p.Process("edge"), p.Process("tail")
	if edge.CPUs != .5 || edge.Memory != 64<<20 || edge.Env["LEVEL"] != "high" || tail.CPUs != 1 || tail.Env["LEVEL"] != "low" || tail.Config != "a: b\n" || edge.Traced {
		t.Errorf("%+v\n%+v", edge, tail)
	}
	if !slices.Contains(edge.Words(), "port.page") || p.Process("nobody") != nil {
		t.Errorf("words of edge: %v", edge.Words())
	}
	if own := e.Variants[2].Via[0]; own.Config != "mine: ${env:TO}\n" || own.Service.Receives[protocol.OTLPGRPC] != "127.0.0.1:{port}" {
		t.Errorf("%+v", own)
	}
	says := []program.Saying{{What: "received", Metrics: "in_spans"}, {What: "sampled", Metrics: `out_spans{why="sampled", who="me"}`, Absent: "none"},
		{What: "dropped", Log: `dropped (?P<n>\d+)`, Take: "sum"}}
	if diff := cmp.Diff(says, edge.Service.Says); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !slices.ContainsFunc(e.Needs(), func(n program.Need) bool { return n.Command == "relay" }) {
		t.Errorf("needs %+v", e.Needs())
	}
	if !strings.Contains(e.Summary(), "one via relay, own via relay, two via edge and tail") {
		t.Error(e.Summary())
	}
	// A calibration sends straight to the sink.
	direct, err := e.Plan(e.Variants[3].Direct())
	if err != nil || len(direct.Via) != 0 || len(direct.Processes) != 1 || direct.Passing != 0 {
		t.Errorf("%+v, %v", direct, err)
	}
	again(t, c, e)
}

// Whoever waits for spans waits as long as they may take, as far as anybody knows: a program of which nobody says anything
// may hold them back as SDKs do.
func TestPatience(t *testing.T) {
	for variant, want := range map[string]time.Duration{
		"x:tracer=otel,delay=2s":                                          2 * time.Second,
		"x:env.TO={sink.otlp.http}":                                       5 * time.Second,
		"x:env.TO={sink.otlp.http},env.OTEL_BSP_SCHEDULE_DELAY=200":       200 * time.Millisecond,
		"x:env.TO={sink.otlp.http},env.OTEL_BSP_SCHEDULE_DELAY=20000":     20 * time.Second,
		"x:env.TO={sink.otlp.http},env.OTEL_BSP_SCHEDULE_DELAY=for ever":  5 * time.Second,
		"x:tracer=otel,delay=2s,env.OTEL_BSP_SCHEDULE_DELAY=30000":        30 * time.Second,
		"x:tracer=otel,via=relay,delay=2s":                                2300 * time.Millisecond,
		"x:tracer=quick-java":                                             150 * time.Millisecond,
		"x:tracer=quick-java,via=relay":                                   450 * time.Millisecond,
		"x:env.SOMETHING=else":                                            0,
		"x:env.TO={sink.otlp.http},env.OTEL_BSP_SCHEDULE_DELAY=-1":        5 * time.Second,
		"x:env.TO={sink.otlp.http},env.OTEL_BSP_SCHEDULE_DELAY=999999999": 5 * time.Second,
	} {
		e, err := FromFlags(Flags{Command: []string{"java", "-jar", "x.jar", "{port}"}, Sets: Sets{{Path: "workload.language", Value: "java"}}, Ops: []string{"GET /"}, Variants: []string{"none", variant}}, relays())
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Plan(e.Variants[1])
		if err != nil || p.Patience() != want {
			t.Errorf("%s: %v, want %v (%v)", variant, p.Patience(), want, err)
		}
	}
}

func TestViaOnTheCommandLine(t *testing.T) {
	e, err := FromFlags(Flags{
		Command: []string{"java", "-jar", "x.jar", "{port}"}, Sets: Sets{{Path: "workload.language", Value: "java"}}, Ops: []string{"GET /"}, Variants: []string{"none", "hop:tracer=otel,via=relay,delay=2s"},
	}, relays())
	if err != nil {
		t.Fatal(err)
	}
	if v := e.Variants[1]; len(v.Via) != 1 || v.Via[0].Name != "relay" || v.Settings["delay"] != "2s" {
		t.Errorf("%+v", v)
	}
}

// The settings of a hop stand on the command line too.
func TestHopSettingsOnTheCommandLine(t *testing.T) {
	line := func(variant string) (*Experiment, error) {
		return FromFlags(Flags{Command: []string{"java", "-jar", "x.jar", "{port}"}, Sets: Sets{{Path: "workload.language", Value: "java"}},
			Ops: []string{"GET /"}, Variants: []string{"none", variant}}, sifters())
	}
	e, err := line("tail:tracer=otel,via.keep=slow,via=sifter,via.wait=2s")
	if err != nil {
		t.Fatal(err)
	}
	if hop := e.Variants[1].Via[0]; hop.Name != "sifter" || hop.Settings["keep"] != "slow" || hop.Settings["wait"] != "2s" {
		t.Errorf("%s has %v", hop.Name, hop.Settings)
	}
	for variant, want := range map[string]string{
		"x:tracer=otel,via.keep=slow":              "via.keep is of a hop, and the variant has none",
		"x:tracer=otel,via=sifter,via.keep=slowly": `"slowly"`,
		"x:tracer=otel,via=sifter,via.kep=slow":    "kep",
	} {
		if _, err := line(variant); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", variant, err, want)
		}
	}
}

// A hop that takes in something else than what the hop before it sends.
func TestHopsThatDoNotUnderstandEachOther(t *testing.T) {
	c := shelf(map[string]string{
		"services/a/service.yaml":        "run: [a, '{sink.zipkin}']\nreceives: {otlp.grpc: '127.0.0.1:{port}'}\n",
		"services/b/service.yaml":        "run: [b, '{sink.otlp.http}']\nreceives: {otlp.grpc: '127.0.0.1:{port}'}\n",
		"services/end/service.yaml":      "run: [end]\nreceives: {otlp.grpc: '127.0.0.1:{port}'}\n",
		"tracers/otel-java/tracer.yaml":  "language: java\nenv: {TO: '{sink.otlp.grpc}'}\n",
		"tracers/other-java/tracer.yaml": "language: java\nappend: {TO: '{sink.kieker.host}'}\n",
	})
	for via, want := range map[string]string{
		"via: [a, b]":                `a sends Zipkin v2, which b does not receive: it takes in OTLP over gRPC`,
		"via: end":                   `end passes nothing on: no text of service "end" has {sink.…}`,
		"tracer: other-java, via: b": `variant "x" with tracer other-java sends Kieker's records over TCP, which b does not receive`,
	} {
		if !strings.HasPrefix(via, "tracer") {
			via = "tracer: otel-java, " + via
		}
		_, err := ParseExperiment("x.yaml", ".", []byte("workload: calls\nvariants: {none: , x: {"+via+"}}\n"), c)
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", via, err, want)
		}
	}
}

func TestBadServices(t *testing.T) {
	for text, want := range map[string]string{
		"receives: {otlp: x}":                               `unknown protocol "otlp"`,
		"receives: {otlp.grpc: '{prt}'}":                    `unknown placeholder "{prt}"`,
		"metrics: ftp://x/":                                 `is not a page such as http://`,
		"says: {what: sent}":                                "says must be a list",
		"says: [{what: sent}]":                              "a saying needs what (received, refused, sampled, dropped, failed, sent, early, kept, late), and log (a regular expression) or metrics (a counter of its page)",
		"says: [{what: held, log: x}]":                      `unknown what "held"`,
		"says: [{what: sent, metrics: sent}]":               "needs metrics: where its page is",
		"says: [{what: sent, metrics: 'a b'}]":              `"a b" is not a counter`,
		"says: [{what: sent, metrics: 'a{b=c}'}]":           `"a{b=c}" is not a counter`,
		"says: [{what: sent, log: x, metrics: a}]":          "a saying is in a log or on a page of counters",
		"says: [{what: sent, log: x, absent: none}]":        "absent: none is of a counter",
		"says: [{what: sent, metrics: x, absent: unknown}]": "absent: unknown is of a log",
		"says: [{what: sent, log: x, one: a}]":              "one is a label of a counter",
		"says: [{what: sent, metrics: a, one: 'a b'}]":      `"a b" is not the name of a label`,
		"says: [{what: sent, metrics: a, take: sum}]":       "take is of a log",
		"delay: -1s":           "-1s",
		"build: {run: make}":   "run must be a list of commands",
		"config: '{templtes}'": `unknown placeholder "{templtes}"`,
	} {
		_, err := program.ParseService("s.yaml", "s", []byte("run: [x]\n"+text+"\n"))
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestParseSeries(t *testing.T) {
	for text, want := range map[string]*program.Series{
		"a_b":               {Name: "a_b"},
		`a{b="c"}`:          {Name: "a", Labels: map[string]string{"b": "c"}},
		`a{b="c", d="e f"}`: {Name: "a", Labels: map[string]string{"b": "c", "d": "e f"}},
		"":                  nil, "1a": nil, "a{}": nil, `a{b="c"`: nil, `a{b='c'}`: nil, `a{b="c",}`: nil, `a b`: nil,
	} {
		got, ok := program.ParseSeries(text)
		if ok != (want != nil) || ok && !cmp.Equal(got, *want) {
			t.Errorf("%q: %+v, %t; want %+v", text, got, ok, want)
		}
	}
}

func TestToOnTheCommandLine(t *testing.T) {
	e, err := FromFlags(Flags{
		Command: []string{"java", "-jar", "x.jar", "{port}"}, Sets: Sets{{Path: "workload.language", Value: "java"}}, Ops: []string{"GET /"}, Variants: []string{"none", "kept:tracer=otel,export=zipkin,to=store"},
	}, backendShelf())
	if err != nil {
		t.Fatal(err)
	}
	if v := e.Variants[1]; v.To == nil || v.To.Name != "store" || v.Settings["export"] != "zipkin" {
		t.Errorf("%+v", v)
	}
}

// A backend that passes spans on as well is another service there: with other texts, and without answers.
func TestHopOfABackend(t *testing.T) {
	c := shelf(map[string]string{
		"services/store/service.yaml": `
role: backend
run: [store, "file:{config}"]
config: "{service}/store.yaml"
env: {KEEPS: "yes"}
receives: {otlp.grpc: "127.0.0.1:{port}"}
metrics: "http://127.0.0.1:{port}/metrics"
says: [{what: received, metrics: stored}]
answers: {spans: "http://127.0.0.1:{port}/spans", each: spans.*}
hop:
  role: collector
  config: "{service}/hop.yaml"
  env: {NEXT: "{sink.otlp.grpc}"}
`,
		"services/store/store.yaml":     "a\n",
		"services/store/hop.yaml":       "b\n",
		"tracers/otel-java/tracer.yaml": "language: java\nenv: {TO: '{sink.otlp.grpc}'}\n",
	})
	e := parseIn(t, c, `
workload: calls
variants:
  none:
  kept: {tracer: otel, to: store}
  passed: {tracer: otel, via: store}
`)
	kept, passed := e.Variants[1].To, e.Variants[2].Via[0]
	if kept.Role != role.Backend || kept.Env["KEEPS"] != "yes" || kept.Service.Answers.Spans == "" {
		t.Errorf("as a backend: %+v", kept)
	}
	if passed.Role != role.Collector || passed.Env["NEXT"] == "" || passed.Env["KEEPS"] != "" || passed.Service.Answers.Spans != "" || !strings.HasSuffix(passed.Service.Config, "hop.yaml") || passed.Run[0] != "store" {
		t.Errorf("as a hop: %+v", passed)
	}
	if _, err := fs.Stat(passed.Service.Files, "hop.yaml"); err != nil || !slices.Equal(passed.Service.Configs, kept.Service.Configs) || len(kept.Service.Configs) != 2 {
		t.Errorf("the files of the hop: %v; what they are built without: %q and %q", err, kept.Service.Configs, passed.Service.Configs)
	}
	again(t, c, e)
	for text, want := range map[string]string{
		"run: [x]\nhop: here\n":                 "hop has keys of a service",
		"run: [x]\nhop: {answers: {each: x}}\n": "hop has no answers",
		"run: [x]\nhop: {hop: {run: [y]}}\n":    "hop has no hop",
		"run: [x]\nhop: {role: nothing}\n":      "service.yaml:2:13",
	} {
		if _, err := program.ParseService("service.yaml", "x", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
