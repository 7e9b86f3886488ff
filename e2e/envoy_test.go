// A real Envoy, traced by its own tracers: what becomes of its spans has known answers, and any command that starts one can be traced.

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
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
design: {blocks: 1, window: 2s, order: windows} # one of each: a second would begin with an empty buffer
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
design: {blocks: 1, order: woven}
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
	args := []string{"run", "--json", "--op", "GET http://127.0.0.1:" + port + "/", "--rate", "100", "--blocks", "1", "--set", "load.warmup=200ms", "--duration", "1s",
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

// An Envoy that crashes.

// An Envoy that crashes under load is what its run failed of, with its last lines; the run is made again.
func TestEnvoyCrashes(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", write(t, `
workload: proxy/envoy
operations: [now]
variants:
  none:
  otel: {tracer: otel-envoy, settings: {delay: 100ms}}
load: {rate: 200/s, warmup: 200ms, duration: 3s, idle: 50ms}
design: {blocks: 1, order: woven}
`), "--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "Envoy crashes while the load runs", func() bool { return c.crashEnvoy(t, 100) })
	c.ended(t, c.Wait(), 0)

	var failed []record.Failure
	good := 0
	for _, r := range records(t, out) {
		switch {
		case r.Kind != record.Measured: // a check of the answers
		case r.Variant != "otel":
			if r.Failed() && r.Failure.Stage != record.StageBlock { // it ends with the other
				t.Errorf("%s failed as well: %+v", r.Variant, r.Failure)
			}
		case r.Failed():
			failed = append(failed, *r.Failure)
		default:
			good++
		}
	}
	if good != 1 || len(failed) != 1 {
		t.Fatalf("%d good runs and those that failed: %+v; want one of each", good, failed)
	}
	f := failed[0]
	last := slices.ContainsFunc(f.Log, func(line string) bool { return strings.Contains(line, "Caught Aborted") })
	if f.Process != "app" || f.Stage != "window" || !strings.Contains(f.Message, "SIGABRT") || !last {
		t.Errorf("the failure does not name Envoy, its end in the window, and its last lines: %+v", f)
	}
}

// crashEnvoy sends SIGABRT, as Envoy sends itself where an assertion fails, to the traced Envoy of the run that is under way, once
// it has had so many requests.
func (c *command) crashEnvoy(t *testing.T, requests int) bool {
	t.Helper()
	for _, process := range c.left() {
		number, command, _ := strings.Cut(strings.TrimSpace(process), " ")
		words := strings.Fields(command)
		pid, err := strconv.Atoi(number)
		if err != nil || len(words) == 0 || !strings.HasSuffix(words[0], "/envoy/_bin/envoy") || !strings.HasSuffix(words[len(words)-1], "/app.traced.yaml") {
			continue
		}
		text, err := os.ReadFile(words[len(words)-1])
		if err != nil {
			return false // it has just ended
		}
		var copied struct {
			Admin struct {
				Address struct {
					Socket struct {
						Port int `yaml:"port_value"`
					} `yaml:"socket_address"`
				}
			}
		}
		if err := yaml.Unmarshal(text, &copied); err != nil {
			t.Fatal(err)
		}
		const counter = "http.proxy.downstream_rq_total"
		_, answer, err := asked("GET", "http://127.0.0.1:"+strconv.Itoa(copied.Admin.Address.Socket.Port)+"/stats?filter=^"+counter)
		if err != nil {
			return false // it is not ready yet
		}
		had, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(answer, counter+":")))
		if err == nil && had >= requests {
			return syscall.Kill(pid, syscall.SIGABRT) == nil
		}
	}
	return false
}
