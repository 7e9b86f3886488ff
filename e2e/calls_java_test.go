// Method calls: Java agents on the self-driving workload. What they are
// measured to cost is worth nothing unless their spans add up, so is what is checked.

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	builtin "github.com/tracetax/tracetax"
	programconfig "github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// callsDepth is how many calls lie in one another where nobody says otherwise.
const callsDepth = 10

// needJava leaves a test out where there is no JDK.
func needJava(t *testing.T) {
	t.Helper()
	need(t, "java", "javac", "mvn")
}

// One experiment over all that is claimed, since starting an agent takes seconds.
func TestCallsAddUp(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	needJava(t)
	otels, kiekers := []string{"otel"}, map[string]uint64{"kieker": 2, "kieker-file": 0}
	others := ""
	if all() { // ways of exporting and of weaving that the others have a part of
		otels, kiekers["kieker-aspectj"] = append(otels, "otel-http", "otel-zipkin"), 0
		others = `
  otel-http: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[monitoredMethod]", protocol: http/protobuf, delay: 200ms}}
  otel-zipkin: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[monitoredMethod]", export: zipkin, delay: 200ms}}
  kieker-aspectj: {tracer: kieker-java, settings: {class: tracetax.calls.Recursion, method: tracetax.calls.Recursion.monitoredMethod, weaver: aspectj}}`
	}
	file := write(t, `
workload: calls/java
operations: [call]
variants:
  none:
  otel: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[monitoredMethod]", protocol: grpc, delay: 200ms}, env: `+quickJava+`}
  kieker: {tracer: kieker-java, settings: {method: tracetax.calls.Recursion.monitoredMethod}, env: `+quickJava+`}
  kieker-file: {tracer: kieker-java, settings: {class: tracetax.calls.Recursion, method: tracetax.calls.Recursion.monitoredMethod, weaver: aspectj, mode: file}, env: `+quickJava+`}
  blind: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[nobodysMethod]", delay: 200ms}, env: `+quickJava+`}
  blind-unknown: {tracer: scouter-java, settings: {method: tracetax.calls.Recursion.nobodysMethod}, env: `+quickJava+`}`+others+`
load: {calls: 20000, duration: 2s, warmup: 500ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`)
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", "--go-on", file, "--json", "--out", out).exit(t, 0, 3, 4))
	runs := measuredRuns(t, out)

	// The SDK says how many spans it dropped, the sink how many came: together they are
	// as many as were made, to the span, in every run.
	t.Run("OpenTelemetry", func(t *testing.T) {
		for _, name := range otels {
			r := runs[name]
			if r.Tracer.Dropped == nil {
				t.Errorf("%s: nothing is admitted: %+v", name, r.Tracer)
				continue
			}
			made := callsOf(r) * callsDepth
			if got := r.Life.Spans + *r.Tracer.Dropped; got != made || r.Life.Spans == 0 {
				t.Errorf("%s: %d spans received and %d dropped, in all %d of %d", name, r.Life.Spans, *r.Tracer.Dropped, got, made)
			}
		}
	})

	// Kieker waits where its queue is full, so all that was made comes. ByteBuddy's probe
	// records the initializer and the constructor of the class too.
	t.Run("Kieker", func(t *testing.T) {
		for name, ofClass := range kiekers {
			r := runs[name]
			if made := callsOf(r)*callsDepth + ofClass; r.Life.Spans != made {
				t.Errorf("%s: %d spans received of %d", name, r.Life.Spans, made)
			}
			if l := ledger(t, doc, "call", name); l.LostShare != 0 || entry(l, "delivered") != entry(l, "expected") || entry(l, "expected") == 0 {
				t.Errorf("%s: %+v", name, l)
			}
		}
	})

	// An agent that is attached and instruments nothing costs nothing: it does not pass,
	// neither where it is declared how many spans a call makes nor where it is learnt.
	t.Run("instruments nothing", func(t *testing.T) {
		if l := ledger(t, doc, "call", "blind"); l.LostShare != 1 || entry(l, "expected") != int64(l.Operations)*callsDepth {
			t.Errorf("the ledger does not show it: %+v", l)
		}
		var found []string
		for _, w := range doc.Warnings {
			if w.Code == "nothing-traced" {
				found = append(found, w.Where)
			}
		}
		if slices.Sort(found); !slices.Equal(found, []string{"blind", "blind-unknown"}) {
			t.Errorf("said to trace nothing: %q", found)
		}
	})
}

// measuredRuns are the runs of a result of one block, by variant.
func measuredRuns(t *testing.T, results string) map[string]record.Record {
	t.Helper()
	runs := map[string]record.Record{}
	for _, r := range records(t, results) {
		if r.Failed() {
			t.Fatalf("%s: %+v", r.Variant, r.Failure)
		}
		if r.Kind == record.Measured {
			runs[r.Variant] = r
		}
	}
	return runs
}

// callsOf is how many operations a run made over the life of its processes.
func callsOf(r record.Record) uint64 {
	calls := uint64(1) // the first operation
	for _, p := range r.Phases {
		calls += p.Warmup.Started + p.Load.Started
		if p.Timed != nil {
			calls += p.Timed.Load.Started
		}
	}
	return calls
}

// The program of calls/java by itself, asked over its socket as tracetax asks it.

// The program itself: the timed loop costs hardly more than one reading of the clock a
// call, and what it hands over is what it was asked for.
func TestCallsProgram(t *testing.T) {
	more(t, "calls")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	needJava(t)
	classes := compileCallsProgram(t)

	t.Run("clock", func(t *testing.T) {
		out, err := exec.Command("java", "-Xmx256m", "-cp", classes, "tracetax.calls.Main", "clock").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		// A ratio of two loops in one JVM, each the median of 15: the machine's noise is in both.
		var clock, loop, ratio float64
		if _, err := fmt.Sscanf(string(out), "clock_ns=%g loop_ns=%g ratio=%g", &clock, &loop, &ratio); err != nil || ratio > 1.3 {
			t.Errorf("%v: %s", err, out)
		}
	})

	t.Run("orders", func(t *testing.T) {
		ask := startAsked(t, []string{"java", "-Xmx256m", "-cp", classes, "tracetax.calls.Main", "{port}"}, "")
		samples := filepath.Join(t.TempDir(), "window")
		for _, test := range []struct {
			words   string
			started string
			files   []string // of one duration each for so many operations
			sizes   []int64
		}{
			{"calls=1001 threads=2 depth=3", "1001", []string{".0", ".1"}, []int64{501 * 8, 500 * 8}},
			{"calls=300000 depth=2", "300000", []string{".0"}, []int64{300000 * 8}},
			{"calls=200 rate=1000 depth=1", "200", []string{".0", ".0.lag"}, []int64{1600, 1600}},
			{"calls=50 rate=500 threads=2 busy_ns=1000", "50", []string{".0", ".1.lag"}, []int64{200, 200}},
			{"calls=20 depth=2 sleep_ns=1000", "20", []string{".0"}, []int64{160}},
			{"duration_ns=103000000 rate=499 threads=2 moments=3", "52", []string{".0", ".1.lag"}, []int64{208, 208}},
			{"duration_ns=100000000 rate=4990 threads=2 moments=3", "499", []string{".0", ".1.lag"}, []int64{2000, 1992}},
		} {
			if got := ask("prepare " + test.words + " samples=" + samples + " batches=" + samples + ".csv"); got != "prepared moments=1" {
				t.Fatalf("%s: %s", test.words, got)
			}
			if got := ask("run"); !strings.HasPrefix(got, "done started="+test.started+" failed=0 ") {
				t.Errorf("%s: %s", test.words, got)
			}
			if got := ask("write"); got != "written samples="+test.started {
				t.Errorf("%s: %s", test.words, got)
			}
			for i, name := range test.files {
				if info, err := os.Stat(samples + name); err != nil || info.Size() != test.sizes[i] {
					t.Errorf("%s: %s: %v, %v", test.words, name, info, err)
				}
			}
			lines, err := os.ReadFile(samples + ".csv")
			if err != nil || !bytes.HasPrefix(lines, []byte("calls,heap_bytes,gc_count\n")) || bytes.Count(lines, []byte("\n")) > 101 {
				t.Errorf("%s: %v\n%s", test.words, err, lines)
			}
		}
		startsAtRandom(t, ask)
		for _, wrong := range []string{"run", "prepare calls=1 moments=x", "prepare", "prepare calls=1 depht=3",
			"prepare calls=x", "prepare calls=1 calls=2", "walk", "prepare calls=1 threads=0",
			"prepare calls=1 busy_ns=1 sleep_ns=1"} {
			if got := ask(wrong); !strings.HasPrefix(got, "error ") {
				t.Errorf("%q: %s", wrong, got)
			}
		}
		if got := ask("live"); !strings.HasPrefix(got, "live heap_live_bytes=") {
			t.Error(got)
		}
		if got := ask("stop"); got != "bye" {
			t.Error(got)
		}
	})
}

// compileCallsProgram builds the program as the workload file says it.
func compileCallsProgram(t *testing.T) string {
	t.Helper()
	w, err := programconfig.NewCatalog(builtin.Files).Workload("calls/java")
	if err != nil {
		t.Fatal(err)
	}
	sources, build := t.TempDir(), t.TempDir()
	if err := programconfig.CopyFiles(w.Files, sources); err != nil {
		t.Fatal(err)
	}
	for _, command := range w.Build[""].Run {
		for i := range command {
			command[i] = strings.ReplaceAll(command[i], "{build}", build)
		}
		c := exec.Command(command[0], command[1:]...)
		c.Dir = sources
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return filepath.Join(build, "classes")
}

// A build of your own of an agent, and an agent that tracetax knows nothing of, as docs/calls.md
// has them.

func TestCallsOfYourOwnAgent(t *testing.T) {
	more(t, "calls")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	needJava(t)
	page, err := os.ReadFile("../docs/calls.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)<!-- e2e: own agent -->\n```yaml\n(.*?)```.*?```yaml\n(.*?)```").FindSubmatch(page)
	if found == nil {
		t.Fatal("docs/calls.md has no example of your own agent")
	}
	jar := fetchAgent(t, "otel-agent.jar")
	experiment, variant := string(found[1]), string(found[2])
	for _, change := range []struct{ text, by string }{
		{"/builds/branch/opentelemetry-javaagent.jar", jar},
		{"\nload: ", "\n" + variant + "load: "},
		{"/builds/mine.jar", jar},
		// Of an agent that takes its orders from variables of its own.
		{`OTEL_EXPORTER_OTLP_ENDPOINT: `, `OTEL_METRICS_EXPORTER: none, OTEL_LOGS_EXPORTER: none, OTEL_BSP_SCHEDULE_DELAY: 200, OTEL_INSTRUMENTATION_METHODS_INCLUDE: "tracetax.calls.Recursion[monitoredMethod]", OTEL_EXPORTER_OTLP_ENDPOINT: `},
		{"rate: 3000/s, duration: 6s, warmup: 10s", "rate: 100/s, duration: 2s, warmup: 500ms"},
		{"blocks: 12", "blocks: 1"},
	} {
		if strings.Count(experiment, change.text) != 1 {
			t.Fatalf("the example has %q not once", change.text)
		}
		experiment = strings.Replace(experiment, change.text, change.by, 1)
	}
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", write(t, experiment), "--json", "--out", out).exit(t, 0, 3, 4))
	runs := measuredRuns(t, out)
	for _, name := range []string{"released", "branch", "mine"} {
		l, r := ledger(t, doc, "call", name), runs[name]
		if want := int64(l.Operations * callsDepth); want == 0 || entry(l, "expected") != want {
			t.Errorf("%s: %+v, want %d spans expected", name, l, want)
		}
		// On a busy machine the spans of the first call may come after the next one's.
		if want := callsOf(r) * callsDepth; r.Life.Spans != want {
			t.Errorf("%s: %d spans came over its life, want %d", name, r.Life.Spans, want)
		}
	}
	written, err := os.ReadFile(filepath.Join(out, "experiment.yaml"))
	if err != nil || !strings.Contains(string(written), jar) {
		t.Errorf("the results do not say which agent it was: %v", err)
	}
}
