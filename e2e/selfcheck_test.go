// The harness held against injected overheads, and against a wrong one.

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

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

// However noisy the machine, nothing fails, and what is counted passes. So it may run beside others; in the quick set with
// as many blocks as there have to be for an interval.
func TestSelfcheckQuick(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "selfcheck")
	catalog := t.TempDir()
	if !all() {
		shorten(t, catalog, 10)
	}
	run := func(words ...string) selfcheck.Report {
		c := tracetax(t, append([]string{"selfcheck", "--json"}, words...)...)
		c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
		return selfchecked(t, c, 0, 4)
	}
	r := run("--quick", "--out", out)
	exact := 0
	for _, c := range r.Checks {
		switch {
		case c.Exact:
			exact++
			if c.Verdict != selfcheck.Passed {
				t.Errorf("%s: %s, %s: noise is no excuse", c.Name, c.Verdict, c.Text)
			}
		case c.Verdict == selfcheck.Failed:
			t.Errorf("%s: %s", c.Name, c.Text)
		case c.Verdict == selfcheck.Passed && !(c.Bounded && c.Low >= c.Known-c.Margin && c.High <= c.Known+c.Margin):
			t.Errorf("%s passed, with %v to %v for %v ± %v", c.Name, c.Low, c.High, c.Known, c.Margin)
		}
	}
	if exact != 7 || r.Claims != 9 {
		t.Errorf("%d exact checks and %d claims", exact, r.Claims)
	}
	t.Logf("it took %v", time.Duration(r.Seconds*float64(time.Second)).Round(time.Second))

	// What is there is not measured again, and judged as before.
	runs := count(filepath.Join(out, selfcheck.Costs))
	again := run("--resume", out)
	for i, c := range again.Checks {
		if before := r.Checks[i]; c.Verdict != before.Verdict || c.Measured != before.Measured {
			t.Errorf("%s: %s (%v), and before %s (%v)", c.Name, c.Verdict, c.Measured, before.Verdict, before.Measured)
		}
	}
	if after := count(filepath.Join(out, selfcheck.Costs)); after != runs {
		t.Errorf("going on with a whole selfcheck made %d runs", after-runs)
	}
}

// shorten fills a catalog with the experiments of the selfcheck, with at most so many blocks.
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
		if err := os.WriteFile(filepath.Join(catalog, "experiments", filepath.Base(file)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The negative control: where what is called 200 µs burns 150, it does not pass.
func TestSelfcheckSeesAWrongLength(t *testing.T) {
	more(t, "selfcheck")
	catalog := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(catalog, "experiments", name+".yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(catalog, "experiments"), 0o755); err != nil {
		t.Fatal(err)
	}
	const short = "load: {rate: 1500/s, idle: 100ms, warmup: 150ms, duration: 400ms}\n"
	write(selfcheck.Costs, "workload: hello/go\noperations: [json]\nvariants:\n  none:\n"+
		"  burn-200: {tracer: synthetic-go, settings: {burn: 150us}}\ndesign: {blocks: 16}\n"+short)
	// The sink is not faulty, the generator not late: what is counted fails for sure.
	healthy := "workload: hello/go\noperations: [json]\nvariants:\n  none:\n  otel: {tracer: otel-go, settings: {delay: 100ms}}\ndesign: {blocks: 1}\n" + short
	for _, name := range []string{selfcheck.LossySink, selfcheck.LateSink, selfcheck.SmallCosts, selfcheck.OtherCosts, selfcheck.DeferredCosts} {
		write(name, healthy)
	}
	write(selfcheck.LateGenerator, strings.Replace(healthy, "otel-go, settings: {delay: 100ms}", "none", 1))

	c := tracetax(t, "selfcheck", "--json", "--out", filepath.Join(t.TempDir(), "selfcheck"))
	c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
	r := selfchecked(t, c, 1)
	for _, one := range r.Checks {
		switch {
		case one.Name == "200 µs of CPU" && one.Verdict == selfcheck.Passed:
			t.Errorf("150 µs pass for 200: %v to %v", one.Low, one.High)
		case one.Name == "findings and samples" && one.Verdict != selfcheck.Passed:
			t.Errorf("%s: %s, %s: a wrong length is told as what it is", one.Name, one.Verdict, one.Text)
		case one.Name == "findings and samples":
		case one.Exact && one.Verdict != selfcheck.Failed && !strings.HasPrefix(one.Name, "warning") && one.Name != "latency, late generator":
			t.Errorf("%s: %s, though nothing was lost", one.Name, one.Verdict)
		}
	}
}
