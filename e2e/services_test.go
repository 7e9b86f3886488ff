// Real services: the built-in workloads with their tracers, and a program that
// is not ours.

package e2e

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// write puts an experiment file into a new folder.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "experiment.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// The README's first command, with one block: nothing listens beyond loopback, every span is accounted for, and figures are
// given without an interval.
func TestQuickstart(t *testing.T) {
	c := tracetax(t, "quickstart", "--blocks", "1", "--json", "--out", filepath.Join(t.TempDir(), "results"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	onlyLoopback(t, c)
	doc := document(t, c.ended(t, c.Wait(), 0))
	l := ledger(t, doc, "json", "otel")
	if want := int64(l.Operations); want == 0 || entry(l, "expected") != want || entry(l, "delivered") != want || !l.Exact {
		t.Errorf("%d operations, ledger %+v", l.Operations, l.Entries)
	}
	// Which is larger, one block cannot tell on every machine.
	if f := find(t, doc, "json", "otel", "cpu_per_operation"); f.Value <= 0 || f.Baseline <= 0 || f.Blocks != 1 || f.Relative.Low != nil {
		t.Errorf("%+v", f)
	}
	for _, l := range doc.Ledgers {
		if l.Variant == "none" && entry(l, "delivered") > 0 {
			t.Errorf("the baseline delivered spans: %+v", l)
		}
	}
}

// The ladder on both workloads: steps without export deliver nothing, the others
// everything.
func TestLadder(t *testing.T) {
	more(t, "sampling")
	t.Parallel()
	c := tracetax(t, "run", "ladder", "--quick", "--blocks", "1", "--set", "load.warmup=200ms", "--duration", "700ms", "--json", "--out", filepath.Join(t.TempDir(), "results")).exit(t, 0)
	docs := documents(t, c)
	if len(docs) != 2 {
		t.Fatalf("%d documents, want one for each workload", len(docs))
	}
	for _, doc := range docs {
		name := doc.Experiment.Workload
		for _, operation := range []string{"json", "cpu", "remote"} {
			for _, variant := range []string{"batch", "simple"} {
				l := ledger(t, doc, operation, variant)
				if delivered := entry(l, "delivered"); delivered <= 0 || delivered != entry(l, "expected") {
					t.Errorf("%s, %s, %s: %+v", name, operation, variant, l.Entries)
				}
			}
			for _, variant := range []string{"none", "api", "sdk-0", "sdk-1", "sdk-100"} {
				if delivered := entry(ledger(t, doc, operation, variant), "delivered"); delivered > 0 {
					t.Errorf("%s, %s, %s delivered %d spans", name, operation, variant, delivered)
				}
			}
		}
		steps := 0
		for _, f := range doc.Findings {
			if f.Metric == "cpu_per_operation" && f.Role == "" && f.Against != "none" {
				steps++
			}
		}
		if steps != 3*5 {
			t.Errorf("%s: %d increments over the step before, want 15", name, steps)
		}
	}
}

// Sampling by chance: what is delivered lies in the binomial band, in whole
// traces, and nothing is called lost.
func TestSampling(t *testing.T) {
	t.Parallel()
	for _, workload := range []string{"hello/go", "hello/flask"} {
		t.Run(strings.ReplaceAll(workload, "/", "-"), func(t *testing.T) {
			t.Parallel()
			if workload == "hello/flask" {
				more(t, "sampling") // a busy machine may be too slow for the rate
			}
			file := write(t, "workload: "+workload+`
operations: [json, remote]
variants:
  none:
  tenth: {tracer: otel, settings: {sampling: 10%, delay: 200ms}}
  never: {tracer: otel, settings: {sampling: 0%, delay: 200ms}}
load: {rate: 400/s, warmup: 300ms, duration: 2s, idle: 100ms}
design: {blocks: 1, seed: 3, order: woven}
`)
			doc := document(t, tracetax(t, "run", file, "--json").exit(t, 0))
			for operation, spans := range map[string]int64{"json": 1, "remote": 3} {
				tenth := ledger(t, doc, operation, "tenth")
				n, p := float64(tenth.Operations), 0.1
				roots := float64(entry(tenth, "delivered")) / float64(spans)
				if roots != math.Trunc(roots) || math.Abs(roots-n*p) > 4.5*math.Sqrt(n*p*(1-p)) || tenth.LostShare != 0 {
					t.Errorf("%s at 10 %%: %g traces of %g operations, %+v", operation, roots, n, tenth)
				}
				never := ledger(t, doc, operation, "never")
				if entry(never, "delivered") > 0 || never.LostShare != 0 {
					t.Errorf("%s at 0 %%: %+v", operation, never)
				}
			}
		})
	}
}

// A queue that is too small for the load loses spans. The ledger says how many:
// on the SDK's own word where it gives one, to the span.
func TestDrops(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	doc := document(t, tracetax(t, "run", write(t, `
workload: hello/go
operations: [json]
variants:
  none:
  narrow: {tracer: otel, settings: {queue: "2", batch: "2", delay: 200ms}}
load: {connections: 32, warmup: 200ms, duration: 1s, idle: 100ms}
design: {blocks: 1, seed: 3}
`), "--json").exit(t, 0))
	run := ledger(t, doc, "(run)", "narrow")
	expected, delivered, dropped := entry(run, "expected"), entry(run, "delivered"), entry(run, "dropped")
	if delivered <= 0 || dropped <= 0 || delivered+dropped != expected {
		t.Errorf("expected %d, delivered %d, dropped on the SDK's word %d: %+v", expected, delivered, dropped, run)
	}
	if l := ledger(t, doc, "json", "narrow"); l.LostShare <= 0 || l.Outcome[0].Code != finding.PageLost {
		t.Errorf("the loss is not in the operation's ledger: %+v", l)
	}
}

// Without the right to cgroups the cost is charged by CPU clocks, and both ways
// agree on what is large.
func TestAccounting(t *testing.T) {
	t.Parallel() // it asks who is charged, and for the order of magnitude
	how := map[string]string{"clock": "clock"}
	if isRoot() {
		how["cgroup"] = "cgroup"
	}
	file := write(t, "workload: hello/go\noperations: [cpu]\nvariants: {none: , otel: {tracer: otel-go, settings: {delay: 50ms}}}\n"+
		"load: {rate: 500/s, idle: 100ms, warmup: 150ms, duration: 800ms}\ndesign: {blocks: 1, order: woven}\n")
	for flag, want := range how {
		t.Run(flag, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "results")
			c := tracetax(t, "run", file, "--json", "--accounting", flag, "--out", out).exit(t, 0)
			doc := document(t, c)
			for _, r := range records(t, out) {
				if !strings.HasPrefix(r.Harness.Accounting, want) {
					t.Errorf("charged by %q, want %q", r.Harness.Accounting, want)
				}
			}
			if f := find(t, doc, "cpu", "otel", "cpu_per_operation"); f.Baseline < 50e-6 || f.Baseline > 2e-3 {
				t.Errorf("200 µs of work are charged with %g s", f.Baseline)
			}
		})
	}
}

// The nginx of docs/commands.md, by line as it stands there and by file; in the quick set with one block, for what more blocks
// give, intervals and verdicts, is asked of results that are made up.
func TestNginx(t *testing.T) {
	t.Parallel() // it looks at what happens, not at times
	if _, err := os.Stat("/usr/sbin/nginx"); err != nil {
		missing(t, "nginx is not installed (Debian: nginx-light)")
	}
	page, err := os.ReadFile("../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)<!-- e2e: nginx -->\n(    tracetax run .*?)\n\n`).FindSubmatch(page)
	if found == nil {
		t.Fatal("the nginx example of docs/commands.md is not found")
	}
	t.Run("line", func(t *testing.T) {
		script := strings.Replace(string(found[1]), "tracetax run", program+" run --json", 1)
		if !all() {
			if !strings.Contains(script, "--blocks 8 ") {
				t.Fatalf("the example has no 8 blocks: %s", script)
			}
			script = strings.Replace(script, "--blocks 8 ", "--blocks 1 ", 1)
		}
		c := tracetax(t)
		c.Path, c.Args = "/bin/sh", []string{"sh", "-c", script}
		c.Env = append(c.Env, "PATH="+os.Getenv("PATH")+":/usr/sbin")
		nginxCosts(t, document(t, c.exit(t, 0)), "off", "log")
	})
	t.Run("file", func(t *testing.T) {
		blocks := 1
		if all() {
			blocks = 8
		}
		file := write(t, `
workload:
  processes:
    - name: nginx
      run: [sh, -c, 'echo "daemon off; pid nginx.pid; events {} http { access_log $LOG; server { listen 127.0.0.1:{port}; return 200 ok; } }" > {tmp}/nginx.conf; exec /usr/sbin/nginx -e stderr -p {tmp} -c {tmp}/nginx.conf']
      ready: "http://127.0.0.1:{port}/"
  operations:
    root: {request: GET /}
variants:
  off: {env: {LOG: "off"}}
  log: {env: {LOG: access.log}}
load: {rate: 1000/s, warmup: 200ms, duration: 1s, idle: 100ms}
design: {blocks: `+itoa(blocks)+`, order: woven}
budget: {cpu: 10000%}
`)
		c := tracetax(t, "run", file, "--json").exit(t, 0, 4)
		doc := document(t, c)
		nginxCosts(t, doc, "off", "log")
		want, status := finding.Within, 0
		f := find(t, doc, "root", "log", "cpu_per_operation")
		if f.Blocks < intervalBlocks {
			want, status = finding.CannotTell, 4
		}
		if f.Verdict.Kind != want || c.ProcessState.ExitCode() != status {
			t.Errorf("a budget of 100 times, and %d blocks: status %d, %+v; want %d, %s", f.Blocks, c.ProcessState.ExitCode(), f.Verdict, status, want)
		}
	})
}

// intervalBlocks is how many blocks an interval needs. A busy machine may disturb a few of those that are made.
const intervalBlocks = 6

// nginxCosts checks that a request to nginx was measured at all, with an
// interval where there are blocks for one: what its log costs is for the machine to say.
func nginxCosts(t *testing.T, doc finding.Document, baseline, variant string) {
	t.Helper()
	operation := doc.Experiment.Operations[0]
	f := find(t, doc, operation, variant, "cpu_per_operation")
	if f.Against != baseline || f.Baseline <= 0 || f.Value <= 0 || f.Blocks == 0 || f.Relative == nil || (f.Relative.Low != nil) != (f.Blocks >= intervalBlocks) {
		t.Errorf("CPU per operation: %+v", f)
	}
}
