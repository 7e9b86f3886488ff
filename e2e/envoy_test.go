// A real Envoy, traced by its own tracers: what becomes of its spans has known answers, and any command that starts one can be traced.

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/process"
)

// What Envoy holds when it stops is lost; what its buffer has no room for is dropped; and of exports that its cluster has no room
// for nobody tells. That it holds spans for two hours is
// said to it alone: nobody waits for so long.
func TestEnvoyKnownAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		settings, more, load                     string
		requests, came, dropped, atStop, unknown int64 // the first request, before the load, among them
		sent                                     int64
		unsure                                   bool // no span came in the calibration: that the first request makes one is not known, and its span stands in for a lost one
	}{
		"stop": {
			settings: "flush: 50", more: `, env: {ENVOY_TRACING_DELAY: "7200000"}`, load: "rate: 136/s, duration: 1s",
			requests: 136, came: 100, sent: 100, atStop: 36, unsure: true,
		},
		"full buffer": {
			settings: "flush: 100, buffer: 64", more: `, env: {ENVOY_TRACING_DELAY: "7200000"}`, load: "rate: 149/s, duration: 1s",
			requests: 149, came: 128, sent: 128, dropped: 2, atStop: 19, unsure: true,
		},
		"late receiver": { // the cluster's limit is 1,024 exports under way; the first request's is over by then
			settings: "flush: 1", more: ", faults: {sink-late: 3s}", load: "rate: 1000/s, duration: 1500ms",
			requests: 1501, came: 1025, sent: 1501, unknown: 476,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // beside each other, and beside nothing else
			doc := document(t, tracetax(t, "run", "--go-on", "--json", write(t, fmt.Sprintf(`
workload: proxy/envoy
operations: [now]
variants:
  none:
  otel: {tracer: otel-envoy, settings: {%s, delay: 200ms}%s}
load: {%s, warmup: 0s, idle: 50ms}
design: {blocks: 1}
`, c.settings, c.more, c.load))).exit(t, 0))
			l := ledger(t, doc, "(run)", "otel")
			for what, want := range map[string]int64{
				"expected": c.requests, "delivered": c.came, "says-sent": c.sent, "dropped": c.dropped,
				"lost-at-stop": c.atStop, "unaccounted": c.unknown,
			} {
				if got := max(0, entry(l, what)); got != want {
					t.Errorf("%s: %d, want %d", what, got, want)
				}
			}
			if l.Exact == c.unsure {
				t.Errorf("not exact: %+v", l)
			}
		})
	}
}

// Envoy counts the requests that it samples, of all that it is asked to: what it still holds of those at its stop is lost, and
// chance has no part in it.
func TestEnvoySampledIsCounted(t *testing.T) {
	t.Parallel()
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: proxy/envoy
operations: [now]
variants:
  none:
  otel: {tracer: otel-envoy, settings: {sampling: 10%, flush: 20, delay: 200ms}, env: {ENVOY_TRACING_DELAY: "7200000"}}
load: {rate: 400/s, duration: 1s, warmup: 0s, idle: 50ms}
design: {blocks: 1}
`)).exit(t, 0))
	l := ledger(t, doc, "now", "otel")
	traced := entry(l, "expected") - entry(l, "sampled-out")
	// That no span of the first request comes in the calibration leaves a doubt of one, and the account is not called exact.
	if l.ByChance || l.Exact || traced == 0 || entry(l, "unaccounted") != 0 {
		t.Errorf("%d were sampled: %+v", traced, l)
	}
	if all := ledger(t, doc, "(run)", "otel"); entry(all, "delivered")%20 != 0 || entry(l, "lost-at-stop") >= 20 || entry(l, "lost-at-stop") != entry(all, "lost-at-stop") {
		t.Errorf("lost at the stop: %+v of %+v", l, all)
	}
}

// All spans of Envoy's come, with all that can be chosen, and no number that a workload declares holds where they are two a request.
func TestEnvoyDeliversAll(t *testing.T) {
	more(t, "Envoy")
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: proxy/envoy
variants:
  none:
  http: {tracer: otel-envoy, settings: {protocol: http/protobuf, timeout: 5s, delay: 300ms}}
  two: {tracer: otel-envoy, settings: {upstream-span: on, delay: 300ms}}
  json: {tracer: zipkin-envoy, settings: {delay: 300ms}}
  protobuf: {tracer: zipkin-envoy, settings: {format: protobuf, shared: off, upstream-span: on, delay: 300ms}}
load: {rate: 100/s, duration: 1s, warmup: 200ms, idle: 50ms}
design: {blocks: 1}
`)).exit(t, 0))
	for variant, spans := range map[string]int64{"http": 1, "two": 2, "json": 1, "protobuf": 2} {
		for _, operation := range []string{"now", "after-10ms"} {
			if l := ledger(t, doc, operation, variant); entry(l, "delivered") != spans*int64(l.Operations) || l.LostShare != 0 || !l.Exact {
				t.Errorf("%s: %+v, want %d spans a request", variant, l, spans)
			}
		}
	}
}

// Your Envoy is traced from a command line. An Envoy that dies, or that refuses its configuration, is a failed run with its own words.
func TestEnvoyOfYourOwn(t *testing.T) {
	t.Parallel() // it asks for counts, not for times
	need(t, "taskset")
	envoy, _ := envoys(t)
	text, err := os.ReadFile(filepath.Join("testdata", "envoy", "direct.json"))
	if err != nil {
		t.Fatal(err)
	}
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(ports[0])
	file := filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "10000", port, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "--json", "--op", "GET http://127.0.0.1:" + port + "/", "--rate", "100", "--blocks", "1", "--warmup", "200ms", "--duration", "1s",
		"--variant", "none", "--variant", "otel:tracer=otel-envoy,delay=300ms", "--", "taskset", "-c", "0-1023", envoy, "--disable-hot-restart", "--concurrency", "1", "-c"}
	doc := document(t, tracetax(t, append(args, file)...).exit(t, 0))
	if l := ledger(t, doc, "(run)", "otel"); l.LostShare != 0 || entry(l, "delivered") != 121 || entry(l, "expected") != 121 {
		t.Errorf("%+v, want a span of each of 121 requests", l)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"stat_prefix": "in"`, `"stat_prefix": "in", "codec": 7`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	c := tracetax(t, append(args, file)...)
	if err := c.Run(); err == nil || !strings.Contains(c.out.String()+c.errOut.String(), "'codec'") { // Envoy sets its blanks at random
		t.Errorf("%v: a refused configuration says\n%s%s", err, tail(c.out.String()), tail(c.errOut.String()))
	}
}
