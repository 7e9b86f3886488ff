package e2e

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
)

// explained is a short experiment whose operations are made again under a profiler.
func explained(t *testing.T, env []string, text string, flags ...string) finding.Document {
	t.Helper()
	file := filepath.Join(t.TempDir(), "causes.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c := tracetax(t, append([]string{"explain", file, "--json"}, flags...)...)
	c.Env = append(c.Env, env...)
	docs := documents(t, c.exit(t, 0))
	if len(docs) != 1 {
		t.Fatalf("%d documents", len(docs))
	}
	return docs[0]
}

// amount is what a cause adds for a variant, in seconds; 0 where it adds nothing.
func amount(doc finding.Document, variant, cause string) float64 {
	for _, f := range doc.Findings {
		if f.Variant == variant && f.Metric == cause && f.Role == "" && f.Absolute != nil {
			return f.Absolute.Estimate
		}
	}
	return 0
}

func causesOf(t *testing.T, doc finding.Document, variant string) finding.Causes {
	t.Helper()
	i := slices.IndexFunc(doc.Causes, func(c finding.Causes) bool { return c.Variant == variant })
	if i < 0 {
		t.Fatalf("%s was not profiled: %+v", variant, doc.Causes)
	}
	return doc.Causes[i]
}

// What is burnt by known functions in the place of a tracer is found, in shares and in amounts; another mixture moves it.
// What is burnt is long beside the interval of samples: what each sample itself takes, some 10 µs in a virtual machine, makes
// short ones longer than they are asked to be.
func TestKnownCauses(t *testing.T) {
	t.Parallel() // CPU is burnt in lengths that are known, and looked at apart from times
	need(t, "perf")
	doc := explained(t, nil, `
workload: hello/go
operations: [json]
variants:
  plain: {tracer: synthetic-go}
  known: {tracer: synthetic-go, settings: {serialising: 800us, clock: 600us, metadata: 600us}}
  moved: {tracer: synthetic-go, settings: {serialising: 1000us, clock: 400us, metadata: 600us}}
  own: {tracer: synthetic-go, settings: {own: 2000us}}
load: {rate: 101/s, duration: 2s, warmup: 300ms, idle: 300ms}
design: {blocks: 1}
profile: {cpu: 6s}
`)
	knownCauses(t, doc, 0.85, map[string]map[string]float64{
		"known": {"cpu_task_serialising": 800e-6, "cpu_task_time": 600e-6, "cpu_task_metadata": 600e-6},
		"moved": {"cpu_task_serialising": 1000e-6, "cpu_task_time": 400e-6, "cpu_task_metadata": 600e-6},
		"own":   {"cpu_task_queue": 2000e-6},
	})
	if all, callers := amount(doc, "own", metric.CPUTracing), amount(doc, "own", metric.CPUCallers); all < 1700e-6 || callers > 0.1*all {
		t.Errorf("the tracer's own thread burns 2000 µs: found are %g s, of which callers burn %g", all, callers)
	}
}

// The same in Python, by samples of another profiler, which takes fewer. What is burnt is long: of short causes it finds other
// shares, for a reason that is not known: of 200, 150 and 150 µs at 1,500/s 29, 21 and 50 %. docs/causes.md says so.
func TestKnownCausesOfPython(t *testing.T) {
	more(t, "causes")
	need(t, "python3")
	doc := explained(t, nil, `
workload: calls/python
operations: [call]
variants:
  none:
  known: {tracer: synthetic-python, settings: {serialising: 5480us, clock: 4110us, metadata: 4110us}}
load: {rate: 41/s, duration: 2s, warmup: 500ms, idle: 300ms}
design: {blocks: 1}
profile: {cpu: 30s}
`)
	knownCauses(t, doc, 0.85, map[string]map[string]float64{
		"known": {"cpu_task_serialising": 5480e-6, "cpu_task_time": 4110e-6, "cpu_task_metadata": 4110e-6},
	})
}

// The same in Java, by a third one. A caller that waits for a lock uses no CPU in that, and is seen to wait.
func TestKnownCausesOfJava(t *testing.T) {
	more(t, "causes")
	need(t, "javac")
	doc := explained(t, nil, `
workload: calls/java
operations: [call]
variants:
  none:
  known: {tracer: synthetic-java, settings: {serialising: 800us, clock: 600us, metadata: 600us}}
  waits: {tracer: synthetic-java, settings: {serialising: 700us, clock: 700us, lock: 2ms}}
load: {rate: 151/s, duration: 3s, warmup: 4s, idle: 500ms}
design: {blocks: 1}
profile: {cpu: 5s, wall: 8s}
`)
	knownCauses(t, doc, 0.85, map[string]map[string]float64{
		"known": {"cpu_task_serialising": 800e-6, "cpu_task_time": 600e-6, "cpu_task_metadata": 600e-6},
	})
	if callers := amount(doc, "known", metric.CPUCallers); math.Abs(callers-2000e-6) > 200e-6 {
		t.Errorf("callers use %g s in tracing by their samples, and 2 ms by the clock of their thread", callers)
	}
	if cpu := amount(doc, "waits", "cpu_task_lock"); cpu > 150e-6 { // it asks another thread, and is woken
		t.Errorf("waiting for a lock takes %g s of CPU", cpu)
	}
	waits, all := amount(doc, "waits", "wait_task_lock"), amount(doc, "waits", metric.Waits(metric.CPUTracing))
	if c := causesOf(t, doc, "waits"); c.WaitsLow || waits < 1800e-6 || waits > 3000e-6 || all < 1.2*waits {
		t.Errorf("callers wait %g s for a lock, of %g in all: they wait 2 ms and a little, and burn 1.4; %+v", waits, all, c)
	}
}

// The same in Node, by its own, which does not see all: what is missing is not seen, and no cause.
func TestKnownCausesOfNode(t *testing.T) {
	more(t, "causes")
	need(t, "node")
	doc := explained(t, nil, `
workload: calls/node
operations: [call]
variants:
  none:
  known: {tracer: synthetic-node, settings: {serialising: 800us, clock: 600us, metadata: 600us}}
load: {rate: 151/s, duration: 3s, warmup: 2s, idle: 500ms}
design: {blocks: 1}
profile: {cpu: 8s}
`)
	knownCauses(t, doc, 0.65, map[string]map[string]float64{
		"known": {"cpu_task_serialising": 800e-6, "cpu_task_time": 600e-6, "cpu_task_metadata": 600e-6},
	})
}

// The same in Rust, by perf, which copies stacks there.
func TestKnownCausesOfRust(t *testing.T) {
	more(t, "causes")
	need(t, "cargo", "perf")
	doc := explained(t, nil, `
workload: calls/rust
operations: [call]
variants:
  none:
  known: {tracer: synthetic-rust, settings: {serialising: 800us, clock: 600us, metadata: 600us}}
load: {rate: 211/s, duration: 3s, warmup: 1s, idle: 500ms}
design: {blocks: 1}
profile: {cpu: 14s}
`)
	knownCauses(t, doc, 0.85, map[string]map[string]float64{
		"known": {"cpu_task_serialising": 800e-6, "cpu_task_time": 600e-6, "cpu_task_metadata": 600e-6},
	})
}

// knownCauses holds causes against what is burnt, by variant: shares within 5 points, amounts at most 15 % above and at least so much.
func knownCauses(t *testing.T, doc finding.Document, least float64, burns map[string]map[string]float64) {
	t.Helper()
	for variant, burns := range burns {
		if c := causesOf(t, doc, variant); len(c.Reasons) != 0 || c.Tracing < 2000 {
			t.Errorf("%s: causes are %+v", variant, c)
			continue
		}
		all, whole := amount(doc, variant, metric.CPUTracing), 0.0
		for _, burnt := range burns {
			whole += burnt
		}
		for name, burnt := range burns {
			found := amount(doc, variant, name)
			if share := found / all; math.Abs(share-burnt/whole) > 0.05 {
				t.Errorf("%s: %s has %.3f of tracing's samples, and burns %.2f", variant, name, share, burnt/whole)
			}
			if found > 1.15*burnt+2e-6 || found < least*burnt-2e-6 {
				t.Errorf("%s: %s is %g s, and burns %g", variant, name, found, burnt)
			}
		}
	}
}

// A handler that burns nearly all the CPU inside the tracer's wrapper is the program's; nothing is found between two
// variants without a tracer.
func TestCausesOfAHandler(t *testing.T) {
	t.Parallel() // its shares are of CPU time
	need(t, "perf")
	doc := explained(t, nil, `
workload: hello/go
operations: [cpu]
variants: {none: , again: {tracer: none}, otel: {tracer: otel, settings: {delay: 200ms}}}
load: {duration: 1s, warmup: 300ms, idle: 300ms}
design: {blocks: 2}
profile: {cpu: 4s}
`)
	if c := causesOf(t, doc, "again"); len(c.Reasons) != 1 || c.Reasons[0].Code != finding.WhyFewSamples {
		t.Errorf("without a tracer causes are %+v", c)
	}
	for _, axis := range []metric.Axis{metric.Task, metric.Stage, metric.Tracing} {
		for _, name := range metric.Causes(axis) {
			if found := amount(doc, "again", name); found != 0 {
				t.Errorf("%s adds %g without a tracer", name, found)
			}
		}
	}
	c := causesOf(t, doc, "otel")
	if len(c.Reasons) != 0 || !slices.Equal(c.Profilers, []string{"perf"}) {
		t.Fatalf("causes are %+v", c)
	}
	i := slices.IndexFunc(doc.Findings, func(f finding.Finding) bool {
		return f.Variant == "otel" && f.Metric == metric.CPUPerOperation && f.Role == ""
	})
	whole := doc.Findings[i]
	tracing := amount(doc, "otel", metric.CPUTracing)
	if tracing <= 0 || tracing > 0.5*float64(whole.Value) {
		t.Errorf("tracing has %g of %g s of CPU per operation, which the handler burns", tracing, whole.Value)
	}
	sum := tracing + amount(doc, "otel", metric.CPUProgram) + amount(doc, "otel", metric.CPURuntime) + amount(doc, "otel", metric.CPUUnseen) + amount(doc, "otel", metric.CPUBesides)
	if math.Abs(sum-whole.Absolute.Estimate) > 0.05*math.Abs(whole.Absolute.Estimate)+1e-9 { // centres of two blocks are means
		t.Errorf("causes add up to %g of %g", sum, whole.Absolute.Estimate)
	}
}

// Without the right to profile there are no causes, the reason is the profiler's own, and the cost stays.
func TestCausesWithoutRights(t *testing.T) {
	t.Parallel() // it asks for a reason
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "perf"), []byte("#!/bin/sh\necho 'Error: No permission to enable cpu-clock event.' >&2\nexit 255\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	doc := explained(t, []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, `
workload: hello/go
operations: [json]
variants: {none: , otel: {tracer: otel, settings: {delay: 200ms}}}
load: {duration: 1s, warmup: 300ms, idle: 300ms}
design: {blocks: 1}
profile: {cpu: 1s}
`)
	c := causesOf(t, doc, "otel")
	if len(c.Reasons) == 0 || c.Reasons[0].Code != finding.WhyNoProfile || !strings.Contains(c.Reasons[0].Said, "No permission") {
		t.Errorf("causes are %+v", c)
	}
	if amount(doc, "otel", metric.CPUPerOperation) == 0 {
		t.Error("the cost is gone")
	}
}

// Of an agent for Java is explained what CPU it uses, and what it allocates. Where the machine did not let the program become
// calm, nobody knows its CPU, and the causes say that.
func TestCausesOfJava(t *testing.T) {
	more(t, "causes")
	need(t, "javac")
	doc := explained(t, nil, `
workload: calls/java
operations: [call]
variants:
  none:
  otel: {tracer: otel-java, settings: {methods: "tracetax.calls.Recursion[monitoredMethod]", protocol: http/protobuf, delay: 500ms}}
load: {rate: 1000/s, duration: 3s, warmup: 10s, idle: 500ms}
design: {blocks: 1}
sink: counting
profile: {cpu: 4s, alloc: 3s}
`)
	c := causesOf(t, doc, "otel")
	restless := len(c.Reasons) == 1 && c.Reasons[0].Code == finding.WhyRestless
	if len(c.Reasons) != 0 && !restless || !slices.Equal(c.Profilers, []string{"async-profiler"}) || c.Allocated < finding.LeastSamples {
		t.Fatalf("causes are %+v", c)
	}
	names := []string{"cpu_task_metadata", "cpu_task_serialising", "cpu_stage_export", "cpu_stage_instrumentation", "alloc_stage_instrumentation"}
	if restless {
		t.Logf("the program was never calm: %+v", c.Reasons)
		names = names[4:]
	}
	for _, name := range names {
		if amount(doc, "otel", name) <= 0 {
			t.Errorf("%s adds %g", name, amount(doc, "otel", name))
		}
	}
}

// What a start consists of is told of programs that can be watched, and of others why not.
func TestCausesOfAStart(t *testing.T) {
	more(t, "causes")
	for workload, test := range map[string]struct {
		program, part string
		settings      string
		least         float64
	}{
		"calls/python": {"python3", "loading-tracer", "", 0.02},
		"calls/node":   {"node", "loading-tracer", "", 0.02},
		"calls/java":   {"javac", "loading-tracer", `, methods: "tracetax.calls.Recursion[monitoredMethod]"`, 0.05},
	} {
		t.Run(workload, func(t *testing.T) {
			need(t, test.program)
			doc := explained(t, nil, "workload: "+workload+"\noperations: [call]\nvariants: {none: , otel: {tracer: otel, settings: {delay: 200ms"+test.settings+"}}}\nload: {rate: 100/s, idle: 300ms}\n", "--cold", "--blocks", "2")
			if c := causesOf(t, doc, "otel"); c.Operation != "" || len(c.Reasons) != 0 {
				t.Fatalf("causes are %+v", c)
			}
			if got := amount(doc, "otel", metric.StartName(test.part)); got < test.least {
				t.Errorf("%s adds %g s", test.part, got)
			}
			all := amount(doc, "otel", metric.StartName(""))
			sum := amount(doc, "otel", metric.StartName(metric.StartRest))
			for _, part := range profile.StartParts {
				sum += amount(doc, "otel", metric.StartName(part))
			}
			if math.Abs(sum-all) > 1e-6 || all <= 0 {
				t.Errorf("the parts add up to %g of %g s", sum, all)
			}
		})
	}
}
