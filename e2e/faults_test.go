// What bad luck gets: services that misbehave, kills, signals, a full disk.

package e2e

import (
	"math/rand/v2"
	"os"
	ossignal "os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// line is the arguments of a run of your service, short.
func line(out string, blocks int, variants []string, command []string) []string {
	args := []string{"run", "--out", out, "--op", "GET /", "--rate", "200", "--duration", "300ms", "--set", "load.warmup=100ms", "--blocks", itoa(blocks)}
	for _, v := range variants {
		args = append(args, "--variant", v)
	}
	return append(append(args, "--"), command...)
}

// A variant that fails is recorded with its last words and tried once more, with all others of its block, whose records say
// so; then they go on without it.
func TestTrouble(t *testing.T) {
	t.Parallel() // it looks at what happens, not at times
	for mode, want := range map[string]struct{ stage, message, log string }{
		"absent": {"ready", "exit status 3", "cannot find my database"},
		"dies":   {"window", "exit status 7", "out of ideas"},
		"errors": {"", "status 500", "listening on"},
		"hangs":  {"", "not in time", "listening on"},
		"deaf":   {"ready", "waiting", "thinking, not listening"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "results")
			service := trouble(t, "$MODE")
			script := "exec " + strings.Join(service, " ")
			file := filepath.Join(t.TempDir(), "trouble.yaml")
			text := "workload:\n  processes:\n    - {name: service, run: [sh, -c, '" + script + "'], patience: 3s}\n" +
				"  operations: {get: {request: GET /, timeout: 500ms}}\n" +
				"variants:\n  well: {env: {MODE: well}}\n  " + mode + ": {env: {MODE: " + mode + "}}\n  also: {env: {MODE: well}}\n" +
				"load: {rate: 400/s, warmup: 100ms, duration: 700ms, idle: 50ms}\ndesign: {blocks: 1}\n"
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			c := tracetax(t, "run", "--go-on", file, "--out", out).exit(t, 0)
			failed, beside, good := 0, 0, 0
			for _, r := range records(t, out) {
				switch {
				case !r.Failed():
					if good++; r.Attempt != 3 {
						t.Errorf("the good run of %s is attempt %d, want the block's third", r.Variant, r.Attempt)
					}
					continue
				case r.Failure.Stage == record.StageBlock:
					if beside++; r.Variant == mode || !strings.Contains(r.Failure.Message, mode) {
						t.Errorf("beside a run that failed %s says %q", r.Variant, r.Failure.Message)
					}
					continue
				}
				failed++
				f := r.Failure
				if r.Variant != mode || r.Attempt != failed {
					t.Errorf("run %s, attempt %d failed: %s", r.Variant, r.Attempt, f.Message)
				}
				if want.stage != "" && f.Stage != want.stage {
					t.Errorf("failed at stage %q, want %q", f.Stage, want.stage)
				}
				if !strings.Contains(f.Message, want.message) || !strings.Contains(strings.Join(f.Log, "\n"), want.log) {
					t.Errorf("failure %q, log %q; want %q and %q", f.Message, f.Log, want.message, want.log)
				}
			}
			if failed != 2 || beside != 4 || good != 2 {
				t.Errorf("%d failed runs, %d beside them, and %d good ones; want 2, 4 and 2", failed, beside, good)
			}
			if !strings.Contains(c.errOut.String(), want.log) {
				t.Error("the last words of the service are not shown")
			}
		})
	}
}

// kill -9 at any moment of a block leaves no process of any variant, and results that can be gone on with: each block counts
// once, as a whole.
func TestKillAndResume(t *testing.T) {
	t.Parallel() // it looks at what happens, not at times
	const blocks = 4
	kills := 3
	if all() {
		kills = 50
	}
	out := filepath.Join(t.TempDir(), "results")
	variants := []string{"a:env.X=1", "b:env.X=2"}
	random := rand.New(rand.NewPCG(45, uint64(kills)))
	alive, longest := 0, 3*time.Second
	for i := range kills {
		args := line(out, blocks, variants, trouble(t, "well"))
		if i > 0 {
			args = []string{"run", "--resume", out}
		}
		c := tracetax(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		services := func() int { return strings.Count(strings.Join(c.left(), "\n"), "trouble.py") }
		ended := make(chan struct{})
		defer func() { <-ended }()
		go func() {
			defer close(ended)
			if err := c.Wait(); err == nil {
				t.Error("it ended before it was killed")
			}
		}()
		both := len(variants) + 1 // each of them has a keeper
		if i == 0 {
			await(t, "services of both variants run", func() bool { return services() >= both })
		} else {
			await(t, "a service runs", func() bool { return services() > 0 })
		}
		select { // the moment is what is chosen by chance
		case <-ended:
		case <-time.After(time.Duration(random.Int64N(int64(longest)))):
		}
		if services() >= both {
			alive++
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		await(t, "no process is left", func() bool { return len(c.left()) == 0 })
	}
	if alive == 0 {
		t.Error("it was never killed while several variants were alive")
	}
	tracetax(t, "run", "--resume", out).exit(t, 0)
	type try struct{ block, attempt int }
	made, last := map[try][]string{}, map[int]int{}
	for _, r := range records(t, out) {
		if r.Failed() {
			t.Errorf("block %d, %s failed: %s", r.Block, r.Variant, r.Failure.Message)
		}
		if r.Kind != record.Measured {
			continue
		}
		at := try{r.Block, r.Attempt}
		made[at], last[r.Block] = append(made[at], r.Variant), max(last[r.Block], r.Attempt)
	}
	if len(last) != blocks {
		t.Errorf("%d blocks are kept, want %d", len(last), blocks)
	}
	for at, names := range made {
		slices.Sort(names)
		if whole := slices.Equal(names, []string{"a", "b"}); whole != (at.attempt == last[at.block]) {
			t.Errorf("block %d, attempt %d of %d, has runs of %v; want all in the last one, and a part in those before", at.block, at.attempt, last[at.block], names)
		}
	}
	if _, err := os.Stat(filepath.Join(out, record.ReportFile)); err != nil {
		t.Error(err)
	}
}

// Ctrl-C, SIGTERM and the end of the terminal end the children, keep the results and say how to go on.
func TestSignals(t *testing.T) {
	t.Parallel() // it looks at what happens, not at times
	for name, signal := range map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if signal == syscall.SIGHUP && ossignal.Ignored(signal) {
				t.Skip("the tests run under nohup, where the end of the terminal ends nothing")
			}
			out := filepath.Join(t.TempDir(), "results")
			c := tracetax(t, line(out, 50, []string{"a:env.X=1", "b:env.X=2"}, trouble(t, "well"))...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "two runs are kept", func() bool { return count(out) >= 2 })
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			c.ended(t, c.Wait(), 1)
			if left := c.left(); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if said := c.errOut.String(); !strings.Contains(said, "tracetax run --resume "+out) {
				t.Errorf("it does not say how to go on: %s", tail(said))
			}
			if n := len(records(t, out)); n < 2 {
				t.Errorf("%d records are kept", n)
			}
		})
	}
}

// A full disk is an error, and runs.jsonl stays whole.
func TestFullDisk(t *testing.T) {
	t.Parallel() // it looks at what happens, not at times
	if !isRoot() {
		t.Skip("mounting a small file system needs root")
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no right to mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	out := filepath.Join(disk, "results")
	c := tracetax(t, line(out, 50, []string{"a:env.X=1", "b:env.X=2"}, trouble(t, "well"))...).exit(t, 1)
	if said := c.errOut.String(); !strings.Contains(said, "no space left") {
		t.Errorf("the full disk is not named: %s", tail(said))
	}
	content, err := os.ReadFile(filepath.Join(out, record.RunsFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > 0 && content[len(content)-1] != '\n' {
		t.Errorf("runs.jsonl ends in the middle of a record: …%s", tail(string(content)))
	}
	records(t, out)
}

// The same program twice; one is waited for after every stretch of load as if it sent
// spans: that it rests for longer costs no memory. What is held in a drain alone is no part of a window's memory:
// TestMemoryIsOfTheLoad of internal/run asks it of one run.
func TestAForcedDrainCostsNoMemory(t *testing.T) {
	more(t, "memory")
	t.Parallel()
	catalog := t.TempDir()
	write := func(path, text string) string {
		path = filepath.Join(catalog, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// It is told where the sink is, and samples nothing: only time can tell that no span comes.
	write("tracers/waited-for/tracer.yaml", `language: go
description: no tracer, but one for whose spans tracetax waits
env: {WAITED_SINK: "{sink.otlp.http}"}
settings:
  delay: {description: how long spans would be held back, kind: duration, meaning: delay, default: 600ms, env: {WAITED_DELAY: "{value}"}}
  sampling: {description: share of the traces, kind: share, meaning: sampling, default: 0%, env: {WAITED_SAMPLING: "{value}"}}
`)
	file := write("drained.yaml", `workload: hello/go
operations: [json]
variants:
  none:
  drained: {tracer: waited-for}
load: {rate: 1500/s, idle: 100ms, warmup: 200ms, duration: 700ms}
design: {blocks: 6}
`)
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", "--go-on", file, "--out", out, "--json") // no span is to come
	c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
	doc := document(t, c.exit(t, 0))
	for _, r := range records(t, out) {
		if r.Block == 0 {
			continue // a calibration
		}
		if r.Failed() || len(r.Phases) != 1 {
			t.Fatalf("block %d, %s: %+v", r.Block, r.Variant, r.Failure)
		}
		const forced = 1.0 // s: the delay, and what is waited for beyond it
		if p := r.Phases[0]; r.Variant == "drained" && p.DrainSeconds < forced {
			t.Errorf("block %d: a drain of %.2f s was not forced", r.Block, p.DrainSeconds)
		}
	}
	told := 0
	for _, f := range doc.Findings {
		if !strings.HasPrefix(f.Metric, "memory_") {
			continue
		}
		told++
		t.Logf("%s: %+v", f.Metric, f.Verdict)
		// One in thirty or so of such verdicts is a chance, of next to nothing.
		const nothing = 0.03
		if v := f.Verdict; f.Operation != "" || v.Kind == finding.Costs && *v.Low > nothing {
			t.Errorf("the same program costs memory where it rests for longer: %s on %q: %s", f.Metric, f.Operation, v.Text)
		}
	}
	if told != 2 {
		t.Errorf("%d findings of memory, want the mean and the peak of the run", told)
	}
}
