// Traces from packets, and topologies from traces, of the built-in graphs.

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
			for file, from := range map[string]string{"of-packets.yaml": wholeCapture, "of-spans.yaml": filepath.Join(in("first"), "traces", "otel-1.jsonl")} {
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
