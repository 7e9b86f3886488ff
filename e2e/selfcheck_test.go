// The harness held against injected overheads, and against a wrong one.

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/selfcheck"
)

// selfchecked runs a selfcheck that may end with any of the statuses given.
func selfchecked(t *testing.T, c *command, statuses ...int) selfcheck.Report {
	t.Helper()
	err := c.Run()
	if c.ProcessState == nil {
		t.Fatalf("%v: %v", c.Args, err)
	}
	fine := false
	for _, status := range statuses {
		fine = fine || c.ProcessState.ExitCode() == status
	}
	if !fine {
		t.Errorf("exit status %d, want one of %v", c.ProcessState.ExitCode(), statuses)
	}
	var r selfcheck.Report
	if err := json.Unmarshal(c.out.Bytes(), &r); err != nil {
		t.Fatalf("stdout is not the report alone: %v", err)
	}
	for _, one := range r.Checks {
		t.Logf("%s: %s, %s", one.Name, one.Verdict, one.Text)
	}
	return r
}

// However noisy the machine, nothing fails, and what is counted passes. So it may run beside others. In the quick set each
// experiment has one block, and nothing is missing but the intervals.
func TestSelfcheckQuick(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "selfcheck")
	catalog, statuses := t.TempDir(), []int{0, 4}
	if !all() {
		shorten(t, catalog, 1)
		statuses = []int{4}
	}
	run := func(words ...string) selfcheck.Report {
		c := tracetax(t, append([]string{"selfcheck", "--json"}, words...)...)
		c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
		return selfchecked(t, c, statuses...)
	}
	r := run("--quick", "--out", out)
	exact := 0
	for _, c := range r.Checks {
		if c.Order != config.Paired {
			t.Errorf("%s: order %s", c.Name, c.Order)
		}
		switch {
		case c.Exact:
			exact++
			if c.Code != selfcheck.Found {
				t.Errorf("%s: %s, %s: noise is no excuse", c.Name, c.Code, c.Text)
			}
		case c.Verdict == selfcheck.Failed, !all() && c.Code != selfcheck.TooFewBlocks && c.Code != selfcheck.Overloaded && c.Code != selfcheck.Withheld:
			t.Errorf("%s: %s, %s", c.Name, c.Code, c.Text)
		case c.Verdict == selfcheck.Passed && (c.High < c.Known-c.Tolerance || c.Low > c.Known+c.Tolerance || c.High-c.Low > 2*c.Bound):
			t.Errorf("%s passed, with %v to %v for %v ± %v", c.Name, c.Low, c.High, c.Known, c.Tolerance)
		}
	}
	if exact != 6 || r.Claims != 9 {
		t.Errorf("%d exact checks and %d claims", exact, r.Claims)
	}
	t.Logf("it took %v", time.Duration(r.Seconds*float64(time.Second)).Round(time.Second))
	deferredIsCharged(t, filepath.Join(out, selfcheck.DeferredCosts))

	// What is there is not measured again, and judged as before.
	runs := count(filepath.Join(out, selfcheck.Costs))
	again := run("--resume", out)
	for i, c := range again.Checks {
		if before := r.Checks[i]; c.Code != before.Code || c.Measured != before.Measured {
			t.Errorf("%s: %s (%v), and before %s (%v)", c.Name, c.Code, c.Measured, before.Code, before.Measured)
		}
	}
	if after := count(filepath.Join(out, selfcheck.Costs)); after != runs {
		t.Errorf("going on with a whole selfcheck made %d runs", after-runs)
	}
}

// deferredIsCharged: what is burnt when spans are sent, after the operations, is charged to them, and no span is missing.
func deferredIsCharged(t *testing.T, out string) {
	t.Helper()
	const perSpan = 200e-6 // s
	seen := map[string]int{}
	for _, r := range records(t, out) {
		if r.Kind != record.Measured {
			continue
		}
		if r.Failed() {
			t.Fatalf("%s failed at %s: %s", r.Variant, r.Failure.Stage, r.Failure.Message)
		}
		seen[r.Variant]++
		p := r.Phases[0]
		var used float64
		for _, u := range p.Usage {
			if u.Process == "app" {
				used += u.CPUSeconds
			}
		}
		least, made := perSpan*float64(p.Load.Started), record.Counted(p.Made()...).Started
		t.Logf("block %d, %s: %d operations, %d spans, %.3f s of CPU; %.3f s are burnt at the flush of flush-200", r.Block, r.Variant, p.Load.Started, p.Sink.Spans, used, least)
		if p.Load.Started == 0 || p.Sink.Spans != p.Load.Started || !p.Quiet || r.Life.Spans != made+1 {
			t.Errorf("%s: %d operations, %d spans in the window, %d in all, quiet %t", r.Variant, p.Load.Started, p.Sink.Spans, r.Life.Spans, p.Quiet)
		}
		if deferred := r.Variant == selfcheck.Flush200; deferred && used < least {
			t.Errorf("%s: %.3f s are charged, and %.3f s are burnt at the flush alone", r.Variant, used, least)
		}
	}
	if seen["spans"] == 0 || seen["spans"] != seen[selfcheck.Flush200] {
		t.Errorf("good runs: %v, want as many of each variant", seen)
	}
}

// shorten fills a catalog with the experiments of the selfcheck, with at most so many blocks, and windows of at most four seconds.
func shorten(t *testing.T, catalog string, most int) {
	t.Helper()
	files, err := filepath.Glob("../experiments/selfcheck-*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d experiments of the selfcheck: %v", len(files), err)
	}
	if err := os.MkdirAll(filepath.Join(catalog, "experiments"), 0o755); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`blocks: (\d+)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := blocks.FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s does not say how many blocks", file)
		}
		if n, err := strconv.Atoi(string(found[1])); err != nil || n > most {
			text = blocks.ReplaceAll(text, []byte("blocks: "+itoa(most)))
		}
		text = bytes.ReplaceAll(text, []byte("duration: 10s"), []byte("duration: 4s"))
		if err := os.WriteFile(filepath.Join(catalog, "experiments", filepath.Base(file)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The negative control: where what is called 73 µs burns 50, it does not pass.
func TestSelfcheckSeesAWrongLength(t *testing.T) {
	more(t, "selfcheck")
	catalog := t.TempDir()
	shorten(t, catalog, 1)
	change := func(name, from, to string) {
		file := filepath.Join(catalog, "experiments", name+".yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), from) {
			t.Fatalf("%s has no %q", name, from)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), from, to)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change(selfcheck.Costs, "burn: 73us", "burn: 50us")
	// The sink is not faulty: what is counted fails for sure.
	change(selfcheck.LossySink, "faults: {sink-loses: 3%}\n", "")
	change(selfcheck.LateSink, "faults: {sink-late: 200ms}\n", "")
	c := tracetax(t, "selfcheck", "--json", "--out", filepath.Join(t.TempDir(), "selfcheck"))
	c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
	wrong := map[string]bool{"73 µs of CPU": true, "spans lost in the sink": true, "warning of lost spans": true, "spans dropped, late sink": true, "warning of drops": true}
	for _, one := range selfchecked(t, c, 1).Checks {
		if failed := one.Verdict == selfcheck.Failed; failed != wrong[one.Name] || failed && one.Code != selfcheck.Wrong {
			t.Errorf("%s: %s, %s: %s", one.Name, one.Verdict, one.Code, one.Text)
		}
	}
}
