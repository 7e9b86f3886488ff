// Spans that pass through a real Collector on their way to the sink.

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/role"
)

// collectorConfig is a configuration with some processors, and with what else the exporter is told.
func collectorConfig(processors, order, exporter string) string {
	return `receivers:
  otlp: {protocols: {grpc: {endpoint: "${env:OTLP_GRPC}"}, http: {endpoint: "${env:OTLP_HTTP}"}}}
processors:
  ` + processors + `
exporters:
  otlp_grpc: {endpoint: "${env:SINK}", tls: {insecure: true}` + exporter + `}
service:
  telemetry: {logs: {level: warn}, metrics: {level: normal, readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: "${env:METRICS_PORT}"}}}}]}}
  pipelines: {traces: {receivers: [otlp], processors: [` + order + `], exporters: [otlp_grpc]}}
`
}

// filtering leaves out the spans of the second process, one of the three of an operation "remote".
var filtering = collectorConfig(`batch: {timeout: 200ms}
  filter: {error_mode: propagate, traces: {span: ['resource.attributes["service.name"] == "downstream"']}}`, "filter, batch", "")

// throughCollector is a variant whose spans go via a Collector with a configuration of its own, as it is written.
func throughCollector(name, config, more string) string {
	return fmt.Sprintf("  %s: {tracer: otel, settings: {delay: 100ms}, via: {collector: {config: %s}}%s}\n", name, strconv.Quote(config), more)
}

// pageOf is a ledger's account of the way from one program to the next.
func pageOf(t *testing.T, l finding.Ledger, from, to string) finding.Page {
	t.Helper()
	for _, p := range l.Pages {
		if p.From == from && p.To == to {
			return p
		}
	}
	t.Fatalf("the ledger of %s on %s has no page from %s to %s: %+v", l.Variant, l.Operation, from, to, l.Pages)
	return finding.Page{}
}

// told is a figure that a hop tells.
func told(t *testing.T, what string, n *int64) int64 {
	t.Helper()
	if n == nil {
		t.Fatalf("%s is unreported", what)
	}
	return *n
}

// A Collector between: not a span is lost, what it leaves out is no loss, and what it uses is a part of the variant's cost.
func TestViaCollector(t *testing.T) {
	t.Parallel()
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: hello/go
operations: [remote]
variants:
  none:
  direct: {tracer: otel, settings: {delay: 100ms}}
  hop: {tracer: otel, settings: {delay: 100ms}, via: collector}
  share: {tracer: otel, settings: {delay: 100ms}, via: {collector: {keep: share, share: 50%}}}
`+throughCollector("filter", filtering, "")+`
load: {rate: 200/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, order: woven}
`)).exit(t, 0))
	for _, c := range []struct {
		variant       string
		came, sampled int64 // of an operation's three spans
	}{{"hop", 3, 0}, {"filter", 2, 1}} {
		l := ledger(t, doc, "remote", c.variant)
		made := int64(l.Operations)
		if l.LostShare != 0 || l.Exact != (c.sampled == 0) || entry(l, "delivered") != c.came*made || max(0, entry(l, "sampled-on-way")) != c.sampled*made || entry(l, "unaccounted") != 0 {
			t.Errorf("%s: %+v, want %d of %d spans, and nothing lost", c.variant, l, c.came*made, 3*made)
		}
		first, second := pageOf(t, l, "app", "collector"), pageOf(t, l, "collector", "sink")
		if first.Outcome != finding.HopWhole || second.Outcome != finding.HopWhole || first.Received != 3*made || told(t, "what it sampled", second.Sampled) != c.sampled*made {
			t.Errorf("%s: pages %+v", c.variant, l.Pages)
		}
	}
	l := ledger(t, doc, "remote", "share")
	made, page := int64(l.Operations), pageOf(t, l, "collector", "sink")
	sampled := told(t, "what it sampled", page.Sampled)
	if kept := page.Received / 3; l.LostShare != 0 || l.Exact || page.Received%3 != 0 || page.Received+sampled != 3*made || kept < made*30/100 || kept > made*70/100 {
		t.Errorf("half of the traces: %+v", l)
	}
	if l := ledger(t, doc, "remote", "direct"); len(l.Pages) != 0 {
		t.Errorf("without a hop there are pages: %+v", l.Pages)
	}
	var all, parts, collector float64
	for _, f := range doc.Findings {
		if f.Operation != "remote" || f.Variant != "hop" || f.Metric != "cpu_per_operation" || f.Against != "none" || f.Service != "" {
			continue
		}
		switch role.Role(f.Role) {
		case "":
			all = float64(f.Value)
		case role.Collector:
			collector = float64(f.Value)
			parts += float64(f.Value)
		case role.App:
			parts += float64(f.Value)
		}
	}
	if collector <= 0 || all < parts*.999 || all > parts*1.001 {
		t.Errorf("CPU per operation is %v in all, of which app and Collector %v, the Collector alone %v", all, parts, collector)
	}
}

// What a Collector does with spans has known answers: it samples by chance, its queue is full, it does not tell, and the sink
// throws away what it passed on. None is lost without a place.
func TestCollectorKnownAnswers(t *testing.T) {
	more(t, "Collector")
	t.Parallel()
	dark := strings.Replace(collectorConfig("batch: {timeout: 200ms}", "batch", ""), "level: normal", "level: none", 1)
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: hello/go
operations: [json]
variants:
  none:
`+throughCollector("sample", collectorConfig("batch: {timeout: 200ms}\n  probabilistic_sampler: {sampling_percentage: 40}", "probabilistic_sampler, batch", ""), "")+
		throughCollector("full", collectorConfig("batch: {timeout: 50ms, send_batch_size: 20, send_batch_max_size: 20}", "batch",
			", sending_queue: {queue_size: 1, num_consumers: 1}, retry_on_failure: {enabled: false}"), ", faults: {sink-late: 100ms}")+
		throughCollector("dark", dark, "")+`
  loses: {tracer: otel, settings: {delay: 100ms}, via: [{edge: {service: collector}}, collector], faults: {sink-loses: 3%}}
load: {rate: 300/s, warmup: 500ms, duration: 2s, idle: 50ms}
design: {blocks: 1}
`)).exit(t, 0))

	l := ledger(t, doc, "json", "sample")
	made := int64(l.Operations)
	sampled := told(t, "what it sampled", pageOf(t, l, "collector", "sink").Sampled)
	if l.LostShare != 0 || l.Exact || entry(l, "delivered")+sampled != made || made != 750 {
		t.Errorf("sampled: %+v", l)
	}
	if kept := made - sampled; kept < 240 || kept > 360 { // 4.5 standard deviations
		t.Errorf("of %d traces it kept %d, want 40 %%", made, kept)
	}

	l = ledger(t, doc, "json", "full")
	page := pageOf(t, l, "collector", "sink")
	dropped := told(t, "what it dropped", page.Dropped)
	if dropped == 0 || entry(l, "dropped-on-way") != dropped || entry(l, "unaccounted") != 0 || page.Outcome != finding.HopLost || page.Inside != 0 || page.Between != 0 {
		t.Errorf("a full queue: %+v", l)
	}

	l = ledger(t, doc, "json", "dark")
	if page := pageOf(t, l, "app", "sink"); len(page.Past) != 1 || page.Past[0] != "collector" || page.Sampled != nil || page.Unreported == "" || page.Received != made {
		t.Errorf("without a page of counters: %+v", page)
	}

	l = ledger(t, doc, "(run)", "loses")
	page = pageOf(t, l, "collector", "sink")
	thrown := entry(l, "unaccounted")
	if pageOf(t, l, "app", "edge").Outcome != finding.HopWhole || pageOf(t, l, "edge", "collector").Outcome != finding.HopWhole {
		t.Errorf("the sink loses spans, and so does a hop before it: %+v", l.Pages)
	}
	if thrown < 15 || page.Between != thrown || page.Inside != 0 || page.Outcome != finding.HopLost {
		t.Errorf("the sink throws 3 %% away: %+v", l)
	}
}

// A Collector that is killed in the middle of a run is what the run failed of; it is made again.
func TestCollectorIsKilled(t *testing.T) {
	more(t, "Collector")
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", write(t, `
workload: hello/go
operations: [json]
variants:
  none:
  hop: {tracer: otel, settings: {delay: 100ms}, via: collector}
load: {rate: 200/s, warmup: 200ms, duration: 3s, idle: 50ms}
design: {blocks: 1, seed: 3, order: woven}
`), "--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the Collector is killed while the load runs", func() bool { return c.killProcess(t, out, "collector", "/collector --config") })
	c.ended(t, c.Wait(), 0)
	failed := 0
	for _, r := range records(t, out) {
		if r.Failed() {
			failed++
			if r.Variant != "hop" || r.Failure.Process != "collector" || !strings.Contains(r.Failure.Message, "SIGKILL") {
				t.Errorf("%s failed with %+v, which does not name the Collector", r.Variant, r.Failure)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d failed runs, want 1", failed)
	}
}

// killProcess kills a process of the run that is under way, by what its command has in it, once all that its spans go to is
// ready: then the app starts.
func (c *command) killProcess(t *testing.T, out, name, mark string) bool {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(out, "logs", "*", name+".log"))
	if err != nil || len(logs) == 0 {
		return false
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(logs[0]), "app.log")); err != nil {
		return false
	}
	for _, process := range c.left() {
		pid, rest, _ := strings.Cut(process, " ")
		if !strings.Contains(rest, mark) || strings.Contains(rest, "agent") {
			continue
		}
		number, err := strconv.Atoi(pid)
		if err == nil && syscall.Kill(number, syscall.SIGKILL) == nil {
			return true
		}
	}
	return false
}
