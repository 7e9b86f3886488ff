// Configurations of Collectors as people have them, each written for a place of its own: they run here as they are.

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	embedded "github.com/tracetax/tracetax"
	programconfig "github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/session"
)

// collectorFile is a configuration, and how many spans of an operation of three leave it.
type collectorFile struct {
	name string
	came int64
}

// throughFiles runs an operation of three spans via each of these, and checks that not a span is lost and nothing is unsure.
func throughFiles(t *testing.T, files ...collectorFile) {
	t.Helper()
	var variants strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join("testdata", "collectors", f.name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		variants.WriteString(throughCollector(f.name, string(text), ""))
	}
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: hello/go
operations: [remote]
variants:
  none:
`+variants.String()+`
load: {rate: 100/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, order: woven}
`), "--out", out).exit(t, 0))
	for _, f := range files {
		l := ledger(t, doc, "remote", f.name)
		made := int64(l.Operations)
		if made == 0 || l.LostShare != 0 || !l.Exact || entry(l, "delivered") != f.came*made || max(0, entry(l, "sampled-on-way")) != (3-f.came)*made ||
			entry(l, "unaccounted") != 0 || entry(l, "duplicated") > 0 {
			t.Errorf("%s: %+v, want %d of %d spans, and nothing lost", f.name, l, f.came*made, 3*made)
		}
		first, second := pageOf(t, l, "app", "collector"), pageOf(t, l, "collector", "sink")
		if first.Outcome != finding.HopWhole || second.Outcome != finding.HopWhole || second.Unreported != "" || told(t, "what it sent", second.Sent) != second.Received {
			t.Errorf("%s: pages %+v", f.name, l.Pages)
		}
		for _, kept := range []string{".given.yaml", ".yaml", ".changes.txt"} {
			if info, err := os.Stat(filepath.Join(out, record.HopsFolder, f.name+"-collector"+kept)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %s is not kept: %v", f.name, kept, err)
			}
		}
	}
}

// The Collector of a demonstration: two exporters of traces and two connectors, of which one way counts. It gives spans other
// names than the calibration has learnt, which makes none of them other work.
func TestCollectorOfADemonstration(t *testing.T) {
	t.Parallel()
	throughFiles(t, collectorFile{"shop", 3})
}

// An agent of a cluster's node, a tier that balances, and a vendor's with a filter and a second exporter.
func TestCollectorsOfOthers(t *testing.T) {
	more(t, "Collector")
	t.Parallel()
	throughFiles(t, collectorFile{"agent", 3}, collectorFile{"balancer", 3}, collectorFile{"vendor", 2})
}

// A tier that balances before one that keeps the traces with an error: each of them is whole, and all others are sampled out.
func TestTiersOfCollectors(t *testing.T) {
	more(t, "Collector")
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"balancer", "sampler"} {
		text, err := os.ReadFile(filepath.Join("testdata", "collectors", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".yaml"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(folder, "tiers.yaml")
	if err := os.WriteFile(file, []byte(`
workload: tiers/gohttp
operations: [fails]
variants:
  none:
  tiers: {tracer: otel, settings: {delay: 100ms}, via: [{edge: {service: collector, config: balancer.yaml}}, {tail: {service: collector, config: sampler.yaml}}]}
load: {rate: 100/s, warmup: 500ms, duration: 4s, idle: 50ms}
design: {blocks: 1, order: woven}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, "results")
	doc := document(t, tracetax(t, "run", "--json", file, "--out", out).exit(t, 0))
	failed := failedOf(t, out, "tiers")
	l := ledger(t, doc, "fails", "tiers")
	made := int64(l.Operations)
	page := pageOf(t, l, "tail", "sink")
	if first := pageOf(t, l, "edge", "tail"); first.Outcome != finding.HopWhole || first.Received != 5*made {
		t.Errorf("of %d operations with five spans each: %+v", made, first)
	}
	if failed == 0 || page.Received != 5*failed || told(t, "what it sampled", page.Sampled) != 5*(made-failed) || page.Outcome != finding.HopWhole || !l.Exact {
		t.Errorf("%d of %d answers were errors, want five spans of each: %+v", failed, made, l)
	}
}

// A Collector of the PATH stands in for the one that is built, where it is asked for, and its version is kept.
func TestCollectorOfThePath(t *testing.T) {
	more(t, "Collector")
	t.Parallel()
	store, err := session.OpenCache("", os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	service, err := programconfig.NewCatalog(embedded.Files).Service("collector")
	if err != nil {
		t.Fatal(err)
	}
	built, err := prepare.BuildService(t.Context(), store, service, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(built, "collector"), filepath.Join(folder, "otelcol-contrib")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, "results")
	c := tracetax(t, "run", "--json", write(t, `
workload: hello/go
operations: [json]
variants:
  none:
  hop: {tracer: otel, settings: {delay: 100ms}, via: {collector: {program: otelcol-contrib}}}
load: {rate: 100/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, order: woven}
`), "--out", out)
	c.Env = append(c.Env, "PATH="+folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	l := ledger(t, document(t, c.exit(t, 0)), "json", "hop")
	if !l.Exact || l.LostShare != 0 || entry(l, "delivered") != int64(l.Operations) || pageOf(t, l, "collector", "sink").Outcome != finding.HopWhole {
		t.Errorf("%+v", l)
	}
	text, err := os.ReadFile(filepath.Join(out, record.EnvironmentFile))
	if err != nil {
		t.Fatal(err)
	}
	var environment struct {
		Runtimes map[string]string
		Digests  map[string]map[string]string
	}
	if err := json.Unmarshal(text, &environment); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(environment.Runtimes["otelcol-contrib"], "0.158.0") || environment.Digests["hop"]["build of collector"] != "" {
		t.Errorf("%+v", environment)
	}
}
