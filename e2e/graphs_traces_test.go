// Traces from packets, and topologies from traces, of the built-in graphs.

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/lab/graphs"
)

// rebuilt is what 'graph rebuild --json' says of a capture.
type rebuilt struct {
	Title   string
	Unended int64
	Missing int64
	Dropped int64
	Parents struct{ Roots, ID, Alone, Likely, Unknown int64 }
	Traces  struct {
		Certain, Likely int64
		CutOff          int64 `json:"cut_off"`
	}
	Phases []struct {
		Operation     string
		Traces, Calls int64
	}
}

// The packets of a run, with ids of calls and beside OpenTelemetry, have each operation that was made. A topology that is imported from
// the spans of either is the graph that ran: the same operations, trees, calls and spans. So is one that is imported from its own run.
func TestGraphRebuiltAndImported(t *testing.T) {
	need(t, "redis-server", "memcached")
	capturing(t)
	for _, name := range []string{"social-network", "boutique", "hotel"} {
		t.Run(name, func(t *testing.T) {
			if name != "social-network" { // with Thrift, and calls at once
				more(t, "graphs")
			}
			t.Parallel() // it counts, whatever rate a busy machine holds
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			tracetax(t, "run", "--go-on", builtInGraph(t, name, `
stores: echo
variants:
  none:
  ids: {tracer: none, env: {PASS_TRACEPARENT: call}, capture: {tracer: packets, settings: {buffer: 32768}}}
  otel: {tracer: otel, settings: {delay: 200ms}, capture: {tracer: packets, settings: {buffer: 32768}}}
load: {rate: 60/s, warmup: 300ms, duration: 2s, idle: 100ms}
design: {blocks: 1, seed: 7, order: woven}
`), "--out", in("first"), "--captures", "--keep-traces").exit(t, 0)
			var all []rebuilt
			c := tracetax(t, "graph", "rebuild", in("first"), "--out", in("packets.jsonl"), "--csv", in("calls.csv"), "--json").exit(t, 0)
			if err := json.Unmarshal(c.out.Bytes(), &all); err != nil || len(all) != 2 {
				t.Fatalf("%v: %d captures", err, len(all))
			}
			runs := measuredRuns(t, in("first"))
			for _, r := range all {
				variant := strings.Split(r.Title, ", ")[1]
				if r.Missing != 0 || r.Dropped != 0 || r.Unended != 0 || len(r.Phases) != 1 {
					t.Fatalf("%+v", r)
				}
				phase := runs[variant].Phases[0]
				if made := phase.Load.Completed + phase.Warmup.Completed; r.Phases[0].Traces != int64(made) {
					t.Errorf("%s: %d traces begin in the phase, and %d operations were made", variant, r.Phases[0].Traces, made)
				}
				if r.Parents.Unknown != 0 && variant == "ids" || r.Traces.CutOff != 0 {
					t.Errorf("%s: %+v, %+v", variant, r.Parents, r.Traces)
				}
			}
			wholeCapture := onlyOf(t, in("first"), in("ids.jsonl"))
			want := shownTrees(t, "graph/"+name)
			wholeSpans := filepath.Join(in("first"), "traces", "otel-1.jsonl")
			for file, from := range map[string]string{"of-packets.yaml": wholeCapture, "of-spans.yaml": wholeSpans} {
				tracetax(t, "graph", "import", from, "--out", in(file)).exit(t, 0)
				alike(t, file, shownTrees(t, in(file)), want)
			}
			tracetax(t, "run", "--go-on", "--graph", in("of-spans.yaml"), "--rate", "40/s", "--blocks", "1", "--duration", "2s",
				"--variant", "none", "--variant", "otel:tracer=otel,delay=200ms",
				"--set", "load.warmup=300ms", "--set", "design.order=woven", "--out", in("second"), "--keep-traces").exit(t, 0)
			tracetax(t, "graph", "import", filepath.Join(in("second"), "traces", "otel-1.jsonl"), "--out", in("again.yaml")).exit(t, 0)
			alike(t, "imported again", shownTrees(t, in("again.yaml")), want)
		})
	}
}

// Traces that a Jaeger stored are the graph that ran, when they are imported from the file that its page saves.
func TestGraphImportedFromJaeger(t *testing.T) {
	more(t, "graphs")
	for _, name := range []string{"social-network", "boutique", "hotel"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it counts, whatever rate a busy machine holds
			g, err := graphs.Read(filepath.Join("..", "workloads", "graph", name, name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			front, _, _ := strings.Cut(g.Operations[0].Call, ".")
			dir := t.TempDir()
			saved, results, topology := filepath.Join(dir, "jaeger.json"), filepath.Join(dir, "results"), filepath.Join(dir, "graph.yaml")
			page := httptest.NewServer(savedPage(t, front, saved))
			defer page.Close()
			catalog := filepath.Join(dir, "catalog")
			copied(t, "../services/jaeger", filepath.Join(catalog, "services", "jaeger"), map[string][2]string{
				"service.yaml": {`spans: "http://127.0.0.1:{port.query}/`, `spans: "` + page.URL + `/{port.query}/`},
			})
			c := tracetax(t, "run", "--go-on", builtInGraph(t, name, `
stores: echo
variants:
  none:
  jaeger: {tracer: otel, settings: {delay: 200ms}, to: jaeger}
load: {rate: 40/s, warmup: 300ms, duration: 2s, idle: 100ms}
design: {blocks: 1, order: woven}
`), "--out", results)
			c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
			c.exit(t, 0)
			var found struct{ Spans uint64 }
			c = tracetax(t, "graph", "import", saved, "--out", topology, "--json").exit(t, 0)
			if err := json.Unmarshal(c.out.Bytes(), &found); err != nil {
				t.Fatal(err)
			}
			if b := measuredRuns(t, results)["jaeger"].Backend; b == nil || b.Stored != found.Spans {
				t.Errorf("%d spans are imported, and Jaeger says %+v", found.Spans, b)
			}
			alike(t, "from Jaeger", shownTrees(t, topology), shownTrees(t, "graph/"+name))
		})
	}
}

// savedPage is asked in the place of a Jaeger for all spans, once all else of a run has ended. It saves the traces of a service in a
// file, as Jaeger's page does, and passes the question on. A question begins with the port of the Jaeger.
func savedPage(t *testing.T, service, file string) http.Handler {
	get := func(to io.Writer, address string) error {
		answer, err := http.Get(address)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		_, err = io.Copy(to, answer.Body)
		return err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		port, question, _ := strings.Cut(strings.TrimPrefix(r.URL.RequestURI(), "/"), "/")
		jaeger := "http://127.0.0.1:" + port
		var page bytes.Buffer
		now := time.Now()
		err := get(&page, fmt.Sprintf("%s/api/traces?service=%s&limit=100000&start=%d&end=%d",
			jaeger, service, now.Add(-time.Hour).UnixMicro(), now.UnixMicro()))
		if err := errors.Join(err, os.WriteFile(file, page.Bytes(), 0o644), get(w, jaeger+"/"+question)); err != nil {
			t.Error(err)
		}
	})
}

// onlyOf rebuilds the capture of the variant ids alone, with the names beside it.
func onlyOf(t *testing.T, results, out string) string {
	t.Helper()
	tracetax(t, "graph", "rebuild", filepath.Join(results, "captures", "ids-1.pcap"), "--out", out).exit(t, 0)
	if info, err := os.Stat(out); err != nil || info.Size() == 0 {
		t.Fatalf("%v", err)
	}
	return out
}

// alike compares the trees of operations that came by chance with those of the graph.
func alike(t *testing.T, what string, got, graph []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, line := range got {
		name, _, _ := strings.Cut(line, ":")
		seen[name] = true
	}
	want := slices.DeleteFunc(slices.Clone(graph), func(line string) bool {
		name, _, _ := strings.Cut(line, ":")
		return !seen[name]
	})
	if len(seen) < 2 || !slices.Equal(want, got) {
		t.Errorf("%s: %s", what, cmp.Diff(want, got))
	}
}

// shownTrees are the operations of a topology, with their calls and spans, and the ways of their calls from the root. They are sorted:
// what is made at once has no order.
func shownTrees(t *testing.T, topology string) []string {
	t.Helper()
	var out, way []string
	operation := ""
	for line := range strings.Lines(tracetax(t, "graph", "show", topology).exit(t, 0).out.String()) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), " (")
		name := strings.TrimLeft(line, "│├└─ ")
		switch depth := (len([]rune(line)) - len([]rune(name))) / 3; {
		case name == "":
		case strings.HasSuffix(name, " spans"), strings.HasSuffix(name, " span"):
			operation, way = name, nil
			out = append(out, name)
		default:
			way = append(way[:min(depth, len(way))], name)
			out = append(out, operation+": "+strings.Join(way, " > "))
		}
	}
	slices.Sort(out)
	return out
}
