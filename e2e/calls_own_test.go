// tracetax's own tracer for the JVM: it says that it loses no call, so every call is counted, also of a JVM that is killed.

package e2e

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every call of ten is ten spans in the sink: over rings, over OTLP in both of its forms, from both JDKs, from virtual threads.
func TestOwnTracer(t *testing.T) {
	t.Parallel() // it asks for counts
	needJava(t)
	methods := `methods: "tracetax.calls.Recursion[monitoredMethod]"`
	file := write(t, `
workload: calls/java
operations: [call]
variants:
  none:
  ring: {tracer: tracetax-java, settings: {`+methods+`, export: ring}}
  http: {tracer: tracetax-java, settings: {`+methods+`}, env: {TRACETAX_JDK: newest}}
  grpc: {tracer: tracetax-java, settings: {`+methods+`, protocol: grpc, clock: nano}}
  costly: {tracer: tracetax-java, settings: {`+methods+`, export: ring, metadata: map, tree: array, store: objects, queue: mpsc, unit: span}}
load: {calls: 20000, duration: 5s, warmup: 300ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`)
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", file, "--json", "--out", out).exit(t, 0, 3, 4)
	doc := document(t, c)
	runs := measuredRuns(t, out)
	for _, name := range []string{"ring", "http", "grpc", "costly"} {
		r := runs[name]
		if made := callsOf(r) * callsDepth; r.Life.Spans != made || r.Life.Unique() != made || r.Life.Orphans != 0 {
			t.Errorf("%s: %d spans, %d unique ones, and %d without their parents, of %d", name, r.Life.Spans, r.Life.Unique(), r.Life.Orphans, made)
		}
		if l := ledger(t, doc, "call", name); l.LostShare != 0 || entry(l, "expected") != entry(l, "delivered") || entry(l, "expected") == 0 {
			t.Errorf("%s: %+v", name, l)
		}
		if name != "ring" && name != "costly" && (r.Tracer.Dropped == nil || *r.Tracer.Dropped != 0) {
			t.Errorf("%s: the drain does not report that it left nothing out: %+v", name, r.Tracer)
		}
	}
	if left, err := filepath.Glob("/dev/shm/tracetax-run-" + strconv.Itoa(c.Process.Pid) + "-*"); err != nil || len(left) > 0 {
		t.Errorf("rings are left behind: %v, %v", left, err)
	}
}

// A million calls, then a JVM that is killed while it calls: what it wrote is counted to the event.
func TestOwnTracerKilled(t *testing.T) {
	t.Parallel() // it asks for counts
	needJava(t)
	jar := fetched(t, "tracetax-java", "tracetax-agent.jar")
	rings := shm(t)
	jvm := startDriven(t, []string{
		"java", "-Xmx256m", "-javaagent:" + jar + "=methods=tracetax.calls.Recursion[*],ring=4MiB,largest=4MiB,dir=" + rings, "-cp", compileCallsProgram(t), "tracetax.calls.Main", "{port}"}, "")
	drain := counting(t, rings)
	if got := jvm.ask(t, "prepare calls=100000 depth=10"); got != "prepared moments=1" {
		t.Fatal(got)
	}
	if got := jvm.ask(t, "run"); !strings.HasPrefix(got, "done started=100000 failed=0 ") {
		t.Fatal(got)
	}
	if got := jvm.ask(t, "prepare duration_ns=60000000000 depth=10"); got != "prepared moments=1" {
		t.Fatal(got)
	}
	begun := written(t, rings)
	jvm.send(t, "run")
	await(t, "it calls", func() bool { return written(t, rings) > begun+8<<20 })
	d := killed(t, jvm, drain, rings)
	if d.spans < 1_000_000 || d.leftOut != 0 || d.torn != 0 {
		t.Errorf("%s", drain.out.String())
	}
	// A thread begins with an event of 16 bytes that names it, and two threads called.
	if owners := d.bytes - 8*(2*d.spans-d.unfinished); owners != 32 {
		t.Errorf("%d bytes were written, and %d spans with %d open ones were read: %d bytes remain, want 32", d.bytes, d.spans, d.unfinished, owners)
	}
}

// drained is the last word of a drain, and the bytes of the rings when their JVM died.
type drained struct{ spans, leftOut, torn, unfinished, bytes uint64 }

// killed kills a JVM while its drain stands still, and returns what the drain reads then. Nothing of the JVM is left.
func killed(t *testing.T, jvm *driven, drain *command, rings string) (d drained) {
	t.Helper()
	for _, step := range []struct {
		process *os.Process
		signal  syscall.Signal
	}{{drain.Process, syscall.SIGSTOP}, {jvm.Process, syscall.SIGKILL}} {
		if err := step.process.Signal(step.signal); err != nil {
			t.Fatal(err)
		}
	}
	<-jvm.ended
	d.bytes = written(t, rings)
	if err := drain.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	bytes := d.bytes
	if d = lastWord(t, drain); d.unfinished > callsDepth {
		t.Errorf("%s", drain.out.String())
	}
	d.bytes = bytes
	if left, err := os.ReadDir(rings); err != nil || len(left) != 1 {
		t.Errorf("beside the reader's file there are %v, %v", left, err)
	}
	return d
}

// lastWord waits for the end of a drain, and reads its counts.
func lastWord(t *testing.T, drain *command) (d drained) {
	t.Helper()
	drain.ended(t, drain.Wait(), 0)
	var read uint64
	const form = "drained %d spans of %d, %d left out, %d torn, %d unfinished"
	if _, err := fmt.Sscanf(drain.out.String(), form, &d.spans, &read, &d.leftOut, &d.torn, &d.unfinished); err != nil {
		t.Fatalf("%v: %q", err, drain.out.String())
	}
	if d.spans != read {
		t.Errorf("%s", drain.out.String())
	}
	return d
}

// agented is a JVM with the agent that has its rings in a folder.
func agented(t *testing.T, jar, classes, rings string) *driven {
	t.Helper()
	agent := "-javaagent:" + jar + "=methods=tracetax.calls.Recursion[*],ring=4MiB,largest=4MiB,dir=" + rings
	return startDriven(t, []string{"java", "-Xmx64m", "-XX:TieredStopAtLevel=1", agent, "-cp", classes, "tracetax.calls.Main", "{port}"}, "")
}

// call has a JVM call for a minute.
func call(t *testing.T, jvm *driven) {
	t.Helper()
	if got := jvm.ask(t, "prepare duration_ns=60000000000 depth=10"); got != "prepared moments=1" {
		t.Fatal(got)
	}
	jvm.send(t, "run")
}

// counting starts a drain that counts until its folder is empty.
func counting(t *testing.T, rings string) *command {
	t.Helper()
	drain := tracetax(t, "drain", rings, "--count", "--until-empty")
	if err := drain.Start(); err != nil {
		t.Fatal(err)
	}
	drains(t, drain, rings)
	return drain
}

// drains waits until a drain has taken its folder.
func drains(t *testing.T, drain *command, rings string) {
	t.Helper()
	await(t, "the drain has the folder", func() bool {
		page, err := os.ReadFile(rings + "/reader")
		return err == nil && len(page) >= 72 && binary.LittleEndian.Uint64(page[64:]) == uint64(drain.Process.Pid)
	})
}

// Threads whose stacks are full, and a program that forbids its code the files, take no harm: every call comes, or is counted.
func TestOwnTracerOddPrograms(t *testing.T) {
	more(t, "JVM tracer")
	t.Parallel() // it asks for counts
	needJava(t)
	jar, classes := fetched(t, "tracetax-java", "tracetax-agent.jar"), t.TempDir()
	if out, err := exec.Command("javac", "-nowarn", "-d", classes, "../tracers/tracetax-java/test/Program.java").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, program := range [][]string{{"bottom", "1", "400"}, {"forbidden", "30000"}} {
		rings := shm(t)
		drain := tracetax(t, "drain", rings, "--count")
		if err := drain.Start(); err != nil {
			t.Fatal(err)
		}
		drains(t, drain, rings)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		agent := "-javaagent:" + jar + "=methods=Program[recurse,leaf],ring=4KiB,largest=8KiB,dir=" + rings
		java := append([]string{"-Djava.security.manager=allow", agent, "-cp", classes, "Program"}, program...)
		out, err := exec.CommandContext(ctx, "java", java...).CombinedOutput()
		cancel()
		if err != nil {
			t.Fatalf("%v: %v\n%s", program, err, out)
		}
		if err := drain.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		d := lastWord(t, drain)
		var calls, overflown uint64
		for line := range strings.Lines(string(out)) {
			_, _ = fmt.Sscanf(line, "calls %d", &calls) // other lines are none of the two
			_, _ = fmt.Sscanf(line, "overflown %d", &overflown)
		}
		// A call that overflows the stack may do so after it was recorded.
		if got := d.spans + d.leftOut; calls == 0 || d.spans == 0 || got < calls || got > calls+overflown {
			t.Errorf("%v made %d calls, and %d overflowed: %+v", program, calls, overflown, d)
		}
	}
}

// A hundred JVMs are killed at random moments, a third of them after their drain stood still for a while, and a third after it was
// killed and another one came.
func TestOwnTracerBadLuck(t *testing.T) {
	more(t, "JVM tracer")
	needJava(t)
	jar, classes := fetched(t, "tracetax-java", "tracetax-agent.jar"), compileCallsProgram(t)
	random := rand.New(rand.NewPCG(20261129, 59))
	for round := range 100 {
		rings := shm(t)
		jvm := agented(t, jar, classes, rings)
		drain := counting(t, rings)
		call(t, jvm)
		until := func(more uint64) {
			t.Helper()
			goal := written(t, rings) + more
			await(t, "it calls", func() bool { return written(t, rings) >= goal })
		}
		until(random.Uint64N(8 << 20))
		whole := true
		switch round % 3 {
		case 1: // the program waits for it, and loses nothing
			if err := drain.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			full := written(t, rings)
			await(t, "a ring is full", func() bool {
				before := full
				full = written(t, rings)
				return full == before
			})
			if err := drain.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			until(1 << 20)
		case 2:
			if err := drain.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = drain.Wait() // it was killed
			whole = false
			drain = counting(t, rings)
			until(1 << 20)
		}
		d := killed(t, jvm, drain, rings)
		if whole && (d.leftOut != 0 || d.torn != 0 || d.bytes-8*(2*d.spans-d.unfinished) != 16) { // of the one thread that calls
			t.Errorf("round %d: %+v", round, d)
		}
		if d.torn > callsDepth || d.spans == 0 {
			t.Errorf("round %d: %+v", round, d)
		}
	}
}

// Two JVMs write into one folder, and one drain reads both.
func TestOwnTracerTwoPrograms(t *testing.T) {
	more(t, "JVM tracer")
	t.Parallel() // it asks for counts
	needJava(t)
	jar, classes, rings := fetched(t, "tracetax-java", "tracetax-agent.jar"), compileCallsProgram(t), shm(t)
	a, b := agented(t, jar, classes, rings), agented(t, jar, classes, rings)
	drain := counting(t, rings)
	call(t, a)
	call(t, b)
	await(t, "both call", func() bool {
		folders, err := filepath.Glob(rings + "/jvm-*")
		return err == nil && len(folders) == 2 && written(t, rings) > 4<<20
	})
	if err := a.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-a.ended
	await(t, "what the first one wrote is read", func() bool {
		folders, err := filepath.Glob(rings + "/jvm-*")
		return err == nil && len(folders) == 1
	})
	if d := killed(t, b, drain, rings); d.leftOut != 0 || d.torn != 0 || d.spans == 0 {
		t.Errorf("%+v", d)
	}
}

// Spans stand in any back end, and pass a Collector: Jaeger has as many as the program made.
func TestOwnTracerBackends(t *testing.T) {
	more(t, "JVM tracer")
	t.Parallel() // it asks for counts
	needJava(t)
	methods := `methods: "tracetax.calls.Recursion[monitoredMethod]"`
	doc := document(t, tracetax(t, "run", "--json", "--out", filepath.Join(t.TempDir(), "results"), write(t, `
workload: calls/java
operations: [call]
variants:
  none:
  jaeger: {tracer: tracetax-java, settings: {`+methods+`, protocol: grpc}, to: {jaeger: {traces: 50000}}}
  hop: {tracer: tracetax-java, settings: {`+methods+`}, via: collector}
load: {rate: 300/s, duration: 2s, warmup: 300ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`)).exit(t, 0, 3, 4))
	for _, name := range []string{"jaeger", "hop"} {
		l := ledger(t, doc, "call", name)
		if made := callsDepth * int64(l.Operations); made == 0 || entry(l, "delivered") != made || l.LostShare != 0 {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// shm is a folder in memory that ends with the test.
func shm(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tracetax-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// written is how many bytes the rings in a folder have got.
func written(t *testing.T, folder string) uint64 {
	t.Helper()
	files, err := filepath.Glob(folder + "/jvm-*/ring-*")
	if err != nil {
		t.Fatal(err)
	}
	sum := uint64(0)
	for _, name := range files {
		head := make([]byte, 136)
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.ReadAt(head, 0); err != nil {
			t.Fatal(err)
		}
		f.Close()
		sum += binary.LittleEndian.Uint64(head[128:])
	}
	return sum
}

// fetched is a file of a tracer's folder.
func fetched(t *testing.T, tracer, file string) string {
	t.Helper()
	c := tracetax(t, "fetch", tracer).exit(t, 0)
	_, folder, found := strings.Cut(strings.TrimSpace(c.out.String()), "ready, in ")
	if !found {
		t.Fatalf("fetch does not say where %s is: %q", tracer, c.out.String())
	}
	return filepath.Join(folder, file)
}

// A tracer that leaves calls out says how many: of those and of what came the sum is what was called, by rings and by OTLP.
func TestOwnTracerDrops(t *testing.T) {
	more(t, "JVM tracer")
	t.Parallel() // it asks for counts
	needJava(t)
	methods := `methods: "tracetax.calls.Recursion[monitoredMethod]", full: drop, ring: 4096`
	doc := document(t, tracetax(t, "run", "--json", "--out", filepath.Join(t.TempDir(), "results"), write(t, `
workload: calls/java
operations: [call]
variants:
  none:
  ring: {tracer: tracetax-java, settings: {`+methods+`, memory: 8192, export: ring}}
  http: {tracer: tracetax-java, settings: {`+methods+`, memory: 8192}}
load: {calls: 500000, duration: 5s, warmup: 300ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`)).exit(t, 0, 3, 4))
	for _, name := range []string{"ring", "http"} {
		l := ledger(t, doc, "(run)", name)
		dropped, delivered := entry(l, "dropped"), entry(l, "delivered")
		if dropped == 0 || delivered == 0 || dropped+delivered != entry(l, "expected") || entry(l, "unaccounted") != 0 {
			t.Errorf("%s: %+v", name, l)
		}
	}
}
