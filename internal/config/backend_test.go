package config

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
)

// stores is a backend that takes in Zipkin alone, and sends a hop that can send it.
const stores = `
role: backend
run: [store, "{port}"]
receives: {zipkin: "127.0.0.1:{port}"}
delay: 1s
metrics: "http://127.0.0.1:{port}/metrics"
says: [{what: received, metrics: stored}]
settings: {max: {kind: count, default: 7}}
answers: {spans: "http://127.0.0.1:{port}/spans?most={setting.max}", each: data.*.spans.*}
`

const sends = `
role: collector
run: [send]
env: {A: "{sink.otlp.grpc}", B: "{sink.zipkin}", OUT: none}
receives: {otlp.grpc: "127.0.0.1:{port}", zipkin: "127.0.0.1:{port.zipkin}"}
settings:
  export:
    default: otlp
    choices:
      otlp: {sends: otlp.grpc, env: {OUT: otlp}}
      zipkin: {sends: zipkin, env: {OUT: zipkin}}
`

func backendShelf() *program.Catalog {
	return shelf(map[string]string{
		"services/store/service.yaml":   stores,
		"services/send/service.yaml":    sends,
		"services/plain/service.yaml":   "run: [plain]\nreceives: {zipkin: '127.0.0.1:{port}'}\n",
		"tracers/otel-java/tracer.yaml": "language: java\nenv: {TO: '{sink.otlp.grpc}'}\nsettings: {export: {default: otlp, choices: {otlp: , zipkin: {sends: zipkin, env: {ALSO: '{sink.zipkin}'}}}}}\n",
	})
}

// TestTo: a backend stands where the sink was, and a hop before it sends what it takes in, unless it is told otherwise.
func TestTo(t *testing.T) {
	c := backendShelf()
	e := parseIn(t, c, `
workload: calls
variants:
  none:
  straight: {tracer: otel, settings: {export: zipkin}, to: {store: {max: 9}}}
  behind: {tracer: otel, via: [send, {last: {service: send}}], to: {mine: {service: store}}}
`)
	straight, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	if p := straight.Process("store"); straight.To != "store" || straight.Next("app") != "store" || straight.Next("store") != "" || straight.Passing != time.Second ||
		p.AsksFor() != "http://127.0.0.1:{port}/spans?most=9" {
		t.Errorf("straight: %+v", straight)
	}
	behind, err := e.Plan(e.Variants[2])
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(behind.Route(), " "); got != "send last mine" || behind.Next("send") != "last" || behind.Next("last") != "mine" || behind.Processes[0].Name != "mine" {
		t.Errorf("the route is %s, and the first to start %s", got, behind.Processes[0].Name)
	}
	if first, last := behind.Process("send").Env["OUT"], behind.Process("last").Env["OUT"]; first != "otlp" || last != "zipkin" {
		t.Errorf("the hops send %s and %s, want otlp and zipkin", first, last)
	}
	if direct := e.Variants[2].Direct(); direct.To != nil || direct.Via != nil {
		t.Errorf("a direct variant: %+v", direct)
	}
	again(t, c, e)
}

func TestBadTo(t *testing.T) {
	for variant, want := range map[string]string{
		"{tracer: otel, to: store}":                                         `variant "x" with tracer otel-java sends OTLP over gRPC, which store does not receive: it takes in Zipkin v2`,
		"{tracer: otel, via: {send: {export: otlp}}, to: store}":            `send sends OTLP over gRPC, which store does not receive: it takes in Zipkin v2`,
		"{tracer: otel, to: send}":                                          `service "send" stores no spans`,
		"{tracer: otel, to: [store]}":                                       `to names one backend`,
		"{tracer: otel, to: plain}":                                         `service "plain" stores no spans`,
		"{tracer: none, to: store}":                                         `is not told where the sink is`,
		"{tracer: otel, via: {store: {service: send}}, to: store}":          `a hop and the backend are both called "store"`,
		"{tracer: otel, via: send, to: store, faults: {sink-loses: 3%}}":    `faults of the sink say nothing of them`,
		"{tracer: otel, via: send, to: store, faults: {sink-gone: silent}}": `faults of the sink say nothing of them`,
		"{tracer: otel, via: store}":                                        `which store does not receive`,
		"{tracer: otel, to: {app: {service: store}}}":                       `the workload has a process called "app"`,
		"{tracer: otel, settings: {export: zipkin}, to: {store: {mx: 1}}}":  `unknown key "mx"; did you mean "max"?`,
	} {
		_, err := ParseExperiment("x.yaml", ".", []byte("workload: calls\nvariants: {none: , x: "+variant+"}\n"), backendShelf())
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", variant, err, want)
		}
	}
	for text, want := range map[string]string{
		"answers: {spans: 'http://127.0.0.1:{port}/'}":                  "answers needs spans",
		"answers: {each: a}":                                            "answers needs spans",
		"answers: {spans: nowhere, each: a}":                            `"nowhere" is not a page`,
		"artifact: {maven: m.lock}\nbuild: {run: [[go, build]]}":        "artifact or build",
		"settings: {e: {default: a, choices: {a: {sends: pigeon}}}}":    `unknown protocol "pigeon"`,
		"settings: {e: {default: a, choices: {a: {sends: otlp.grcp}}}}": `did you mean "otlp.grpc"?`,
	} {
		if _, err := program.ParseService("s.yaml", "s", []byte("run: [x]\n"+text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestTakes: nothing sent is nothing that can be taken in.
func TestTakes(t *testing.T) {
	v := program.Service{Receives: map[protocol.Name]string{protocol.Zipkin: "x"}}
	if v.Takes(nil) || !v.Takes([]protocol.Name{protocol.Zipkin}) || v.Takes([]protocol.Name{protocol.Zipkin, protocol.OTLPGRPC}) {
		t.Error("what a service takes in")
	}
}
