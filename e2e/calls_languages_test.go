// Method calls in Python, Node, Go and Rust: the programs by themselves, asked over their
// sockets as tracetax asks them, and their spans, which have to add up.

package e2e

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	builtin "github.com/tracetax/tracetax"
	programconfig "github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
)

// languages are the workloads calls/NAME beside calls/java.
var languages = []struct {
	name    string
	needs   []string // commands
	threads int      // the most that may call
	exact   bool     // OpenTelemetry's SDK says how many spans it dropped
	heap    bool     // it tells of its heap
	program string   // below {build}, where it is compiled
}{
	{name: "python", needs: []string{"python3"}, threads: 2},
	{name: "node", needs: []string{"node", "npm"}, threads: 1, heap: true},
	{name: "go", needs: []string{"go"}, threads: 2, exact: true, heap: true, program: "calls"},
	{name: "rust", needs: []string{"cargo", "cc"}, threads: 2, exact: true, program: "calls"},
}

// What is dropped and what comes are together what was made; where the SDK does not
// say what it dropped, the ledger has the rest as unaccounted for.
func TestLanguagesAddUp(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	for _, k := range languages {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			need(t, k.needs...)
			silent := "" // what none of them sends, the quick set asks of one language
			if all() || k.name == "go" {
				silent = `
  api: {tracer: otel, settings: {sdk: off}}
  off: {tracer: otel, settings: {sampler: always_off}}
  no-export: {tracer: otel, settings: {export: none}}`
			}
			file := write(t, fmt.Sprintf(`
workload: calls/%s
operations: [call]
variants:
  none:%s
  grpc: {tracer: otel, settings: {protocol: grpc, delay: 200ms}}
  batched: {tracer: otel, settings: {protocol: http/protobuf, delay: 200ms}}
load: {calls: 10000, duration: 1s, warmup: 300ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`, k.name, silent))
			out := filepath.Join(t.TempDir(), "results")
			doc := document(t, tracetax(t, "run", file, "--json", "--out", out).exit(t, 0, 3, 4))
			runs := kinRuns(t, out)
			if want := 3 + strings.Count(silent, "\n"); len(runs) != want {
				t.Fatalf("%d runs were measured, want %d", len(runs), want)
			}
			for name, r := range runs {
				sent := name == "grpc" || name == "batched"
				if !sent && r.Life.Spans != 0 {
					t.Errorf("%s: %d spans came, want none", name, r.Life.Spans)
				}
				if !sent {
					continue
				}
				made := callsOf(r) * callsDepth
				if r.Life.Spans == 0 || r.Life.Spans > made {
					t.Errorf("%s: %d spans came of %d", name, r.Life.Spans, made)
				}
				if admitted := r.Tracer.Dropped; k.exact && (admitted == nil || r.Life.Spans+*admitted != made) {
					t.Errorf("%s: %d spans came and %+v is admitted, of %d", name, r.Life.Spans, r.Tracer, made)
				}
				l := ledger(t, doc, "call", name)
				// On a busy machine spans of the first call and of the warm-up may come in the window.
				before := r.Phases[0]
				late := int64((1+before.Warmup.Started)*callsDepth) - int64(r.Start.Sink.Unique()+before.WarmupSink.Unique())
				if sum := entry(l, "delivered") + max(entry(l, "dropped"), 0) + max(entry(l, "unaccounted"), 0); sum < entry(l, "expected") || sum > entry(l, "expected")+late {
					t.Errorf("%s: the ledger does not add up: %+v", name, l)
				}
				if late := r.Stop.Sink.Spans; !l.Exact && late == 0 { // a busy machine may be late with the last batch
					t.Errorf("%s: the ledger is not exact, and no span came at the stop: %+v", name, l)
				}
				if k.exact && entry(l, "unaccounted") > 0 {
					t.Errorf("%s: spans are unaccounted for: %+v", name, l)
				}
			}
		})
	}
}

// At a rate that all of them hold nothing is lost, on as many threads as there may be.
func TestLanguagesAtFixedRate(t *testing.T) {
	more(t, "calls in other languages")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	for _, k := range languages {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			need(t, k.needs...)
			elastic := "\n  elastic: {tracer: elastic, settings: {delay: 200ms}}"
			if k.name == "rust" {
				elastic = "" // there is no agent
			}
			file := write(t, fmt.Sprintf(`
workload: calls/%s
operations: [call]
variants:
  none:
  batched: {tracer: otel, settings: {delay: 200ms}}%s
load: {rate: 40/s, threads: %d, duration: 1s, warmup: 300ms, idle: 100ms}
design: {blocks: 1, seed: 4}
`, k.name, elastic, k.threads))
			out := filepath.Join(t.TempDir(), "results")
			tracetax(t, "run", file, "--out", out).exit(t, 0, 3, 4)
			spans := map[string]uint64{"batched": callsDepth, "elastic": callsDepth + 1} // and the transaction
			for name, r := range kinRuns(t, out) {
				if made := callsOf(r) * spans[name]; r.Life.Spans != made {
					t.Errorf("%s: %d spans came of %d", name, r.Life.Spans, made)
				}
				if made := r.Phases[0].Load.Started; made != 40 {
					t.Errorf("%s: %d calls in 1 s at 40/s", name, made)
				}
			}
		})
	}
}

// kinRuns are the measured runs of one block, by variant.
func kinRuns(t *testing.T, dir string) map[string]record.Record {
	t.Helper()
	runs := map[string]record.Record{}
	for _, r := range records(t, dir) {
		if r.Failed() {
			t.Fatalf("%s: %+v", r.Variant, r.Failure)
		}
		if r.Kind == record.Measured {
			runs[r.Variant] = r
		}
	}
	return runs
}

func TestLanguagesPrograms(t *testing.T) {
	more(t, "calls in other languages")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	for _, k := range languages {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			need(t, k.needs...)
			command, dir := kinProgram(t, k.name)
			if k.program != "" {
				untraced(t, command[0])
			}
			ask := startAsked(t, command, dir)
			if got := ask("run"); !strings.HasPrefix(got, "error ") {
				t.Errorf("without an order: %s", got)
			}
			samples := filepath.Join(t.TempDir(), "window")
			for _, test := range []struct {
				words   string
				threads int
				started int
			}{
				{words: "calls=1001 depth=3", threads: k.threads, started: 1001},
				{words: "calls=100 depth=1000", threads: k.threads, started: 100},
				{words: "calls=200000 duration_ns=60000000000 rate=0 seed=7", threads: 1, started: 200000},
				{words: "calls=200 rate=1000 depth=1", threads: 1, started: 200},
				{words: "duration_ns=100000000 rate=500 busy_ns=1000", threads: k.threads, started: 50},
				{words: "duration_ns=103000000 rate=499 moments=3", threads: k.threads, started: 52},
				{words: "duration_ns=100000000 rate=4990 moments=3", threads: k.threads, started: 499},
			} {
				words := fmt.Sprintf("%s threads=%d", test.words, test.threads)
				for _, order := range [][2]string{
					{"prepare " + words + " samples=" + samples + " batches=" + samples + ".csv", "prepared"},
					{"run", fmt.Sprintf("done started=%d failed=0 ", test.started)},
					{"write", fmt.Sprintf("written samples=%d", test.started)},
					{"run", "error "}, // once only
				} {
					if got := ask(order[0]); !strings.HasPrefix(got, order[1]) {
						t.Fatalf("%s: %s: %s", words, order[0], got)
					}
				}
				fixedRate := strings.Contains(words, "rate=") && !strings.Contains(words, "rate=0")
				if got := durations(t, samples, test.threads, fixedRate); got != test.started {
					t.Errorf("%s: %d durations, want %d", words, got, test.started)
				}
			}
			startsAtRandom(t, ask)
			lines, err := os.ReadFile(samples + ".csv")
			if k.heap && (err != nil || !bytes.HasPrefix(lines, []byte("calls,heap_bytes,gc_count\n")) || bytes.Count(lines, []byte("\n")) > 101) {
				t.Errorf("the heap's course: %v\n%s", err, lines)
			}
			for _, wrong := range []string{"prepare", "prepare calls=1 depht=3", "prepare calls=x", "prepare calls=1 calls=2", "walk", "prepare calls=1 threads=0", fmt.Sprint("prepare calls=1 threads=", k.threads+4096)} {
				if got := ask(wrong); !strings.HasPrefix(got, "error ") {
					t.Errorf("%q: %s", wrong, got)
				}
			}
			if got := ask("live"); got != "live" && !strings.HasPrefix(got, "live heap_live_bytes=") || (got == "live") == k.heap {
				t.Error(got)
			}
			if got := ask("stop"); got != "bye" {
				t.Error(got)
			}
		})
	}
}

// startsAtRandom asks a program for operations that are to start at random moments of a quarter of a second. None may start
// earlier, so that a busy machine does no harm.
func startsAtRandom(t *testing.T, ask func(string) string) {
	t.Helper()
	samples := filepath.Join(t.TempDir(), "moment")
	if got := ask("prepare calls=1"); got != "prepared moments=1" {
		t.Fatal(got)
	}
	var walls, lags []int64 // ns
	late := false
	for seed := range 6 {
		ask(fmt.Sprintf("prepare calls=1 duration_ns=250000000 rate=4 moments=%d samples=%s", 1000+seed, samples))
		var wall int64
		for word := range strings.FieldsSeq(ask("run")) {
			if ns, is := strings.CutPrefix(word, "wall_ns="); is {
				wall, _ = strconv.ParseInt(ns, 10, 64)
			}
		}
		ask("write")
		lag, err := os.ReadFile(samples + ".0.lag")
		if err != nil || len(lag) != 8 {
			t.Fatalf("%d bytes of lags: %v", len(lag), err)
		}
		walls, lags = append(walls, wall), append(lags, int64(binary.LittleEndian.Uint64(lag)))
		late = late || wall > 50e6 && lags[seed] < wall/2
	}
	if !late {
		t.Errorf("operations ended after %d ns, with a lag of %d ns: they do not start at random moments, or lag is not from these", walls, lags)
	}
}

// durations is how many were written; those of work at a fixed rate stand beside as many lags. Their
// files are removed.
func durations(t *testing.T, samples string, threads int, fixedRate bool) int {
	t.Helper()
	sum := 0
	for thread := range threads {
		name := fmt.Sprintf("%s.%d", samples, thread)
		kept, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += len(kept) / 8
		lags, err := os.ReadFile(name + ".lag")
		if (err == nil) != fixedRate || fixedRate && len(lags) != len(kept) {
			t.Errorf("%s: %d bytes of durations, %d of lags: %v", name, len(kept), len(lags), err)
		}
		_ = os.Remove(name + ".lag") // of the next order there may be none
	}
	return sum
}

// untraced reads a program for what it must not hold.
func untraced(t *testing.T, program string) {
	t.Helper()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if lower := bytes.ToLower(text); bytes.Contains(lower, []byte("opentelemetry")) || bytes.Contains(lower, []byte("elastic")) {
		t.Error("the program without tracing links a tracer")
	}
}

// kinProgram makes the untraced program as the workload file says it, and returns its
// command, still with {port} in it, and where it is started.
func kinProgram(t *testing.T, name string) (command []string, dir string) {
	t.Helper()
	w, err := programconfig.NewCatalog(builtin.Files).Workload("calls/" + name)
	if err != nil {
		t.Fatal(err)
	}
	sources, build := t.TempDir(), t.TempDir()
	if err := programconfig.CopyFiles(w.Files, sources); err != nil {
		t.Fatal(err)
	}
	for _, words := range w.Build[""].Run {
		c := exec.Command(words[0], filled(words[1:], "{build}", build)...)
		c.Dir, c.Env = sources, os.Environ()
		for name, value := range w.Build[""].Env {
			c.Env = append(c.Env, name+"="+value)
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
	}
	return filled(w.Processes[0].Run, "{build}", build), sources
}

func filled(words []string, placeholder, value string) []string {
	words = slices.Clone(words)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], placeholder, value)
	}
	return words
}

// Self-driving programs asked over their socket, as tracetax asks them.

// startAsked starts a self-driving program in a folder, "" for the test's own, and returns how to ask it over its socket. It has to
// end by itself with the test.
func startAsked(t *testing.T, command []string, dir string) func(line string) string {
	t.Helper()
	d := startDriven(t, command, dir)
	t.Cleanup(func() {
		select {
		case <-d.ended:
			if !d.ProcessState.Success() {
				t.Errorf("the program ended: %v", d.ProcessState)
			}
		case <-time.After(20 * time.Second):
			t.Error("the program does not end by itself")
		}
	})
	return func(line string) string { return d.ask(t, line) }
}

// driven is a self-driving program, and the connection over which it takes orders.
type driven struct {
	*exec.Cmd
	connection net.Conn
	answers    *bufio.Reader
	ended      chan struct{} // closed when it has ended
}

// startDriven starts a self-driving program in a folder, "" for the test's own. It is killed at the end of the test.
func startDriven(t *testing.T, command []string, dir string) *driven {
	t.Helper()
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	words := filled(command, "{port}", strconv.Itoa(ports[0]))
	d := &driven{Cmd: exec.Command(words[0], words[1:]...), ended: make(chan struct{})}
	d.Dir, d.Stderr = dir, os.Stderr
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(d.ended)
		_ = d.Wait() // its ProcessState says how it ended
	}()
	t.Cleanup(func() {
		_ = d.Process.Kill() // it may have ended
		<-d.ended
	})
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0]))
	await(t, "the program listens", func() bool {
		look, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		look.Close() // a look whether it is ready does not end it
		d.connection, err = net.Dial("tcp", address)
		return err == nil
	})
	t.Cleanup(func() { d.connection.Close() })
	d.answers = bufio.NewReader(d.connection)
	return d
}

// ask sends a line, and returns the answer.
func (d *driven) ask(t *testing.T, line string) string {
	t.Helper()
	d.send(t, line)
	answer, err := d.answers.ReadString('\n')
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.TrimSuffix(answer, "\n")
}

func (d *driven) send(t *testing.T, line string) {
	t.Helper()
	if err := d.connection.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.connection.Write([]byte(line + "\n")); err != nil {
		t.Fatal(err)
	}
}
