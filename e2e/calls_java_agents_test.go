// Every Java agent as its definition has it attached: all of its spans come at a rate that
// each can hold, and what cannot be traced is found out.

package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// At 100 calls/s none has a reason to lose a span. OpenTelemetry and Kieker have a test of
// their own.
func TestCallsOfEveryAgent(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	needJava(t)
	for _, agents := range []map[string]agentOfCalls{
		{
			"datadog":    {`datadog-java, settings: {methods: "tracetax.calls.Recursion[monitoredMethod]"}`, 10},
			"pinpoint":   {"pinpoint-java, settings: {classes: tracetax.calls.Recursion, entrypoint: tracetax.calls.Recursion.monitoredMethod}", 11},
			"skywalking": {`skywalking-java, settings: {agent: "{build}/skywalking"}`, 10},
		},
		{
			"scouter":  {"scouter-java, settings: {method: tracetax.calls.Recursion.monitoredMethod}", 11},
			"elastic":  {`elastic-java, settings: {methods: "tracetax.calls.Recursion#monitoredMethod", delay: 200ms}`, 10},
			"glowroot": {"glowroot-java, settings: {class: tracetax.calls.Recursion, method: monitoredMethod, mode: traces}", 10},
		},
	} {
		names := slices.Sorted(maps.Keys(agents))
		t.Run(strings.Join(names, " "), func(t *testing.T) {
			t.Parallel()
			if _, has := agents["glowroot"]; has {
				more(t, "Glowroot") // their receivers have tests of what these agents sent
			}
			variants := ""
			for _, name := range names {
				variants += fmt.Sprintf("  %s: {tracer: %s, env: %s}\n", name, agents[name].tracer, quickJava)
			}
			file := write(t, `
workload: calls/java
operations: [call]
variants:
  none:
`+variants+`
load: {rate: 40/s, duration: 2s, warmup: 500ms, idle: 100ms} # 100 traces: of more than 150 that wait Glowroot throws some away
design: {blocks: 1, seed: 4, order: apart} # as many JVMs at once would want too much memory
`)
			out := filepath.Join(t.TempDir(), "results")
			doc := document(t, tracetax(t, "run", file, "--json", "--out", out).exit(t, 0, 3, 4))
			runs := measuredRuns(t, out)
			for name, agent := range agents {
				r, l := runs[name], ledger(t, doc, "call", name)
				if want := callsOf(r) * agent.spans; r.Life.Spans != want || want == 0 {
					t.Errorf("%s: %d spans came over its life, want %d", name, r.Life.Spans, want)
				}
				if want := int64(l.Operations * agent.spans); entry(l, "expected") != want || entry(l, "delivered") != want || l.LostShare != 0 {
					t.Errorf("%s: %+v, want %d spans expected and delivered", name, l, want)
				}
			}
			if _, is := agents["skywalking"]; !is {
				return
			}
			// What it would make before it is connected would be lost, and be counted against it.
			told := slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool { // on a busy machine Pinpoint may be waited for, too
				return w.Code == "waited-for-tracer" && slices.Contains(strings.Split(w.Where, "; "), "skywalking")
			})
			if waited := runs["skywalking"].Start.ConnectedSeconds; waited <= 0.1 || !told {
				t.Errorf("nobody says that SkyWalking was waited for: %g s, %+v", waited, doc.Warnings)
			}
		})
	}
}

// quickJava spares the JVM its second compiler, which only a start keeps busy here: nothing is asked of how fast the code is.
const quickJava = `{JDK_JAVA_OPTIONS: "-XX:TieredStopAtLevel=1"}`

// agentOfCalls is a tracer with its settings, and how many spans it makes of a call.
type agentOfCalls struct {
	tracer string
	spans  uint64
}

// A class that Scouter's agent cannot read, and SkyWalking's agent without the line that
// names our plugin: both run, connect, and trace nothing. A version that the registry does
// not have is named and left out, and the others are measured.
func TestCallsThatNobodyTraces(t *testing.T) {
	more(t, "nothing is traced")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	needJava(t)
	catalog := t.TempDir()
	copied(t, "../workloads/calls/java", filepath.Join(catalog, "workloads", "calls", "untraced"), map[string][2]string{
		"workload.yaml":                    {`[javac, --release, "8", "-Xlint:-options", -d, "{build}/classes", method`, `[javac, --release, "17", -d, "{build}/classes", method`},
		"skywalking/skywalking-plugin.def": {"tracetax-calls=tracetax.skywalking.RecursionInstrumentation", ""},
	})
	copied(t, "../tracers/scouter-java", filepath.Join(catalog, "tracers", "scouter-never"), map[string][2]string{
		"maven.lock": {"scouter-agent-java:2.0.0", "scouter-agent-java:0.0.99"},
	})
	c := tracetax(t, "run", "--go-on", write(t, `
workload: calls/untraced
operations: [call]
variants:
  none:
  scouter: {tracer: scouter-java, settings: {method: tracetax.calls.Recursion.monitoredMethod}}
  skywalking: {tracer: skywalking-java, settings: {agent: "{build}/skywalking"}}
  never: {tracer: scouter-never}
load: {rate: 100/s, duration: 1s, warmup: 500ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`), "--json", "--out", "results")
	c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
	doc := document(t, c.exit(t, 0, 3, 4))
	var found []string
	for _, w := range doc.Warnings {
		if w.Code == "nothing-traced" {
			found = append(found, w.Where)
		}
	}
	if slices.Sort(found); !slices.Equal(found, []string{"scouter", "skywalking"}) {
		t.Errorf("said to trace nothing: %q", found)
	}
	if l := ledger(t, doc, "call", "skywalking"); l.LostShare != 1 || entry(l, "expected") != int64(l.Operations)*callsDepth {
		t.Errorf("the ledger does not show it: %+v", l)
	}
	if left := doc.Experiment.LeftOut; len(left) != 1 || left[0].Variant != "never" || !strings.Contains(left[0].Reason, "the registry does not have (or refuses) io.github.scouter-project:scouter-agent-java:0.0.99") {
		t.Errorf("left out: %+v", left)
	}
	for name := range measuredRuns(t, filepath.Join(c.Dir, "results")) {
		if !slices.Contains([]string{"none", "scouter", "skywalking"}, name) {
			t.Errorf("%s was measured", name)
		}
	}
}

// copied copies a folder, and has one text in the place of another in some of its files.
func copied(t *testing.T, from, to string, changes map[string][2]string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for name, change := range changes {
		path := filepath.Join(to, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(change[0])) {
			t.Fatalf("%s does not say %q", path, change[0])
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte(change[0]), []byte(change[1])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A variant chooses its JDK, and each run keeps which one it ran on.
func TestCallsOnTwoJDKs(t *testing.T) {
	more(t, "calls")
	t.Parallel() // it mostly waits
	needJava(t)
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", write(t, `
workload: calls/java
operations: [call]
variants:
  none:
  newest: {tracer: none, env: {TRACETAX_JDK: newest}}
load: {rate: 100/s, duration: 1s, warmup: 500ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`), "--json", "--out", out).exit(t, 0, 3, 4))
	runs := measuredRuns(t, out)
	for i, name := range []string{"none", "newest"} {
		ran := runs[name].Start.Runtimes["app"]
		if !strings.HasPrefix(ran, "java ") || doc.Experiment.Variants[i].Runtime != ran {
			t.Errorf("%s ran on %q, and the findings say %q", name, ran, doc.Experiment.Variants[i].Runtime)
		}
	}
	differ := runs["none"].Start.Runtimes["app"] != runs["newest"].Start.Runtimes["app"]
	if said := slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool { return w.Code == "other-runtime" && w.Where == "newest" }); said != differ {
		t.Errorf("on different JDKs: %t, and said so: %t", differ, said)
	}
}
