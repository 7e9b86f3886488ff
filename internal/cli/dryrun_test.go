package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/selfcheck"
	"github.com/tracetax/tracetax/internal/session"
)

var orderLine = regexp.MustCompile(`(?m)^  order with seed (\d+)(.*)\n`)

// A dry run names the seed of the order that it shows, and with that seed it shows the
// same order again.
func TestDryRunNamesItsSeed(t *testing.T) {
	for name, args := range map[string][]string{
		"your own":          {"--blocks", "12", "--op", "GET /", "--variant", "none", "--variant", "other:env.X=1", "--", "true", "{port}"},
		"several workloads": {"requests-throughput", "--workloads", "gohttp,requests/node"},
	} {
		t.Run(name, func(t *testing.T) {
			drawn := dryRunOf(t, args...)
			found := orderLine.FindAllStringSubmatch(drawn, -1)
			if len(found) != strings.Count(drawn, "  block 1: ") || len(found) == 0 {
				t.Fatalf("%d seeds are named in\n%s", len(found), drawn)
			}
			seed := found[0][1]
			for _, one := range found {
				if one[1] != seed {
					t.Errorf("seeds %s and %s: --set design.seed can repeat one of them only", seed, one[1])
				}
			}
			again := dryRunOf(t, append([]string{"--set", "design.seed=" + seed}, args...)...)
			if orderLine.ReplaceAllString(drawn, "") != orderLine.ReplaceAllString(again, "") {
				t.Errorf("with seed %s there is another order:\n%s%s", seed, drawn, again)
			}
			if strings.Contains(again, "--set") {
				t.Errorf("how to fix the seed is told to one who has:\n%s", again)
			}
		})
	}
}

// How to run in the order is told only where a run would have it.
func TestOrderOf(t *testing.T) {
	for _, c := range []struct {
		drawn, none bool
		want        string
	}{
		{true, false, "order with seed 7; to run in this order: --set design.seed=7"},
		{false, false, "order with seed 7"},
		{true, true, "order with seed 7, once it can run"},
		{false, true, "order with seed 7, once it can run"},
	} {
		if got := orderOf(7, c.drawn, c.none); got != c.want {
			t.Errorf("drawn %t, none %t: %q, want %q", c.drawn, c.none, got, c.want)
		}
	}
}

// The lengths of runs that are made one after the other add up to the plan's own. Those of a block that live at the same
// time overlap: together they take longer than any of them, and less than all.
func TestDryPlanAddsUp(t *testing.T) {
	for order, overlap := range map[string]bool{"apart": false, "windows": true, "woven": true} {
		var plan dryPlan
		args := []string{"ladder", "--set", "design.seed=5", "--blocks", "3", "--workloads", "hello/go", "--set", "design.order=" + order, "--json"}
		if err := json.Unmarshal([]byte(dryRunOf(t, args...)), &plan); err != nil {
			t.Fatal(err)
		}
		var sum, longest float64
		ofBlock := map[int]float64{}
		for _, r := range plan.Planned {
			sum += r.Seconds.Least
			ofBlock[r.Block] = max(ofBlock[r.Block], r.Seconds.Least)
		}
		for _, seconds := range ofBlock {
			longest += seconds
		}
		took := plan.Seconds.Least
		if adds := math.Abs(took-sum) < 1e-6; adds == overlap || took < longest || took > sum+1e-6 || longest <= 0 {
			t.Errorf("%s: runs of %g s take %g, the longest of the blocks %g", order, sum, took, longest)
		}
	}
}

// The plan for programs has the runs of the plan for people.
func TestDryPlan(t *testing.T) {
	args := []string{"ladder", "--set", "design.seed=5", "--blocks", "3", "--workloads", "hello/go"}
	var plan dryPlan
	if err := json.Unmarshal([]byte(dryRunOf(t, append(args, "--json")...)), &plan); err != nil {
		t.Fatal(err)
	}
	text := dryRunOf(t, args...)
	orders := map[int][]string{}
	for _, r := range plan.Planned {
		orders[r.Block] = append(orders[r.Block], r.Variant)
	}
	if want := "  calibration: " + strings.Join(orders[0], " ") + "\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	for block := 1; block <= 3; block++ {
		if want := fmt.Sprintf("  block %d: %s\n", block, strings.Join(orders[block], " ")); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if plan.Blocks != (dryBlocks{Least: 3, Most: 3}) || plan.Load.Windows != len(plan.Operations) || plan.Operations[0].Rate != 800 || plan.Load.Window != 2 {
		t.Errorf("%+v", plan)
	}
}

// A warm-up that pilots will find has no length yet, which is not a warm-up of none; and what is a list is one.
func TestDryPlanOfUnknowns(t *testing.T) {
	zero, three := 0.0, 3.0
	for warmup, want := range map[string]*float64{"auto": nil, "0s": &zero, "3s": &three} {
		text := dryRunOf(t, "--json", "--blocks", "6", "--set", "load.warmup="+warmup, "--op", "GET /", "--variant", "none", "--variant", "other:env.X=1", "--", "true", "{port}")
		var plan dryPlan
		if err := json.Unmarshal([]byte(text), &plan); err != nil {
			t.Fatal(err)
		}
		if got := plan.Load.Warmup; (got == nil) != (want == nil) || got != nil && *got != *want || strings.Contains(text, "warmup_seconds") != (want != nil) {
			t.Errorf("warm-up %s is %v in\n%s", warmup, got, text)
		}
	}
	plan, err := dryPlanOf(session.Foreseen{Experiment: &config.Experiment{Workload: &program.Workload{}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "null") {
		t.Errorf("something is null: %s", text)
	}
}

func dryRunOf(t *testing.T, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if status := Main(append([]string{"run", "--dry-run"}, args...), strings.NewReader(""), &out, &errOut); status != console.Fine {
		t.Fatalf("exit status %d: %s", status, errOut.String())
	}
	return out.String()
}

// Without a measurement of this machine, what a run can tell is said for a quiet machine and for a shared one.
func TestDryRunTellsOfSharedMachines(t *testing.T) {
	t.Setenv(artifact.Variable, t.TempDir())
	for order, want := range map[string]string{
		"windows": "if blocks differ by 8.0 % (as they can on a machine that others use): a difference of 11 % is found in 8 of 10 cases, and told to within ± 7.5 %\n    tracetax doctor",
		"apart":   "if blocks differ by 10 % (as those of a small service usually do, 5 s of load in each run): a difference of 14 % is found in 8 of 10 cases, and told to within ± 9.4 %\n    tracetax doctor",
	} {
		if got := dryRunOf(t, "--blocks", "8", "noise-floor", "--set", "design.order="+order); !strings.Contains(got, want) || strings.Count(got, "  order "+order) != 1 {
			t.Errorf("order %s:\n%s", order, got)
		}
	}
}

// A budget is decided where the true difference is as far from it as a difference has to be from zero to be found.
func TestDryRunTellsOfBudgets(t *testing.T) {
	t.Setenv(artifact.Variable, t.TempDir())
	const want = "a difference of 1.9 % is found in 8 of 10 cases, and told to within ± 1.4 %; the budget of 3 % is decided as often if the true difference is over 5.0 % or under 1.1 %\n"
	if got := dryRunOf(t, "--blocks", "8", "noise-floor", "--duration", "5s", "--budget", "cpu=3%"); !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
	for _, budget := range []string{"cpu=3us", "p99=3%", "cpu=3%,p99=3%"} {
		if got := dryRunOf(t, "--blocks", "8", "noise-floor", "--duration", "5s", "--budget", budget); strings.Contains(got, "the budget of") {
			t.Errorf("%s:\n%s", budget, got)
		}
	}
	if got := dryRunOf(t, "--blocks", "8", "noise-floor", "--duration", "5s", "--budget", "cpu=112.5%"); !strings.Contains(got, "the budget of 112.5 % is decided as often if the true difference is over 116.5 % or under 108.5 %") {
		t.Errorf("%s", got)
	}
}

// What a run can tell comes from the noise that was measured on this machine, and otherwise from what is usual, which it says.
func TestDryRunTells(t *testing.T) {
	t.Setenv(artifact.Variable, t.TempDir())
	tells := func(args ...string) *dryTells {
		t.Helper()
		var plan dryPlan
		if err := json.Unmarshal([]byte(dryRunOf(t, append([]string{"--json", "--blocks", "8", "noise-floor"}, args...)...)), &plan); err != nil {
			t.Fatal(err)
		}
		return plan.Tells
	}
	usual := tells("--set", "design.order=apart")
	if windows := tells("--set", "design.order=windows"); usual == nil || usual.Measured != "" || usual.Blocks != 8 || windows.Findable >= usual.Findable || windows.Findable <= windows.HalfWidth {
		t.Errorf("windows tell %+v, apart %+v", windows, usual)
	}
	if err := keepNoise([]selfcheck.Noise{{Order: config.Apart, Deviation: 0.2}}); err != nil {
		t.Fatal(err)
	}
	if measured := tells("--set", "design.order=apart"); measured == nil || measured.Measured == "" || measured.Noise != 0.2 || measured.Findable <= usual.Findable {
		t.Errorf("with noise that was measured here: %+v", measured)
	}
	if windows := tells("--set", "design.order=windows"); windows == nil || windows.Measured != "" {
		t.Errorf("of an order that was not measured: %+v", windows)
	}
	if one := tells("--set", "design.order=windows", "--duration", "150ms"); one == nil || one.Order != config.Apart {
		t.Errorf("with one window: %+v", one)
	}
	for blocks, want := range map[string]bool{"30": false, "8..30": true} {
		args := []string{"--blocks", blocks, "noise-floor"}
		if want {
			args = append(args, "--set", "design.precision=2%")
		}
		if text := dryRunOf(t, args...); strings.Contains(text, "what all 30 blocks tell") != want || strings.Contains(text, "what 30 blocks tell") == want {
			t.Errorf("%s blocks: %s", blocks, text)
		}
	}
	if few := tells("--blocks", "5"); few != nil {
		t.Errorf("5 blocks tell %+v", few)
	}
	other := keptNoise{Machine: "another", Orders: []selfcheck.Noise{{Order: config.Apart, Deviation: 0.2}}}
	text, err := json.Marshal(other)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(artifact.DefaultDir(), noiseFile)
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{"another machine's": {string(text), true}, "cut off": {`{"orders": [`, false}} {
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		n, measured, err := noiseHere(config.Apart)
		if (err == nil) != c.ok || !measured.IsZero() || n.Deviation != usual.Noise {
			t.Errorf("%s: %+v, measured %v, %v", name, n, measured, err)
		}
	}
}
