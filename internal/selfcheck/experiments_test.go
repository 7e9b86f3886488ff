package selfcheck

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// The experiments are built in, have what is judged, and enough blocks for all
// claims at once.
func TestExperimentsAreThere(t *testing.T) {
	catalog := spec.NewCatalog(tracetax.Files)
	for _, form := range []Form{Quick, Full} {
		least := stats.MinBlocks(stats.Bonferroni(Confidence, len(form.lengths())))
		for _, one := range form.Experiments() {
			found, err := catalog.Experiment(one.Name)
			if err != nil {
				t.Errorf("%s: %v", form, err)
				continue
			}
			e := found[0]
			if err := e.OverrideLoad(spec.Override{Duration: one.Duration}); err != nil {
				t.Errorf("%s, %s: %v", form, one.Name, err)
			}
			blocks := max(one.Blocks, e.Design.Blocks)
			for _, l := range form.lengths() {
				if l.experiment != one.Name {
					continue
				}
				if blocks < least+3 { // one more run may be lost, and one odd one may be there
					t.Errorf("%s, %s: %d blocks, %d are needed for an interval", form, one.Name, blocks, least)
				}
				if !slices.ContainsFunc(e.Variants, func(v spec.Variant) bool { return v.Name == l.variant }) {
					t.Errorf("%s has no variant %s", one.Name, l.variant)
				}
			}
		}
	}
	late, err := catalog.Experiment(LateSink)
	if err != nil {
		t.Fatal(err)
	}
	makes := func(o spec.Operation) bool {
		n := o.Spans["otel-go"]
		return o.Name == "json" && n.Low == spansPerCall && n.High == spansPerCall
	}
	traces := func(v spec.Variant) bool { return v.Name == traced && v.Tracer != nil && v.Tracer.Name == "otel-go" }
	if e := late[0]; len(e.Operations) != 1 || !makes(e.Operations[0]) || !slices.ContainsFunc(e.Variants, traces) {
		t.Errorf("%s has other operations, spans or variants than the check counts on: %+v, %+v", LateSink, e.Operations, e.Variants)
	}
	deferred, err := catalog.Experiment(DeferredCosts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range deferred[0].Variants {
		if v.Tracer.Name != "synthetic-go" || v.Settings["spans"] != "on" || (v.Settings["flush"] == "0s") != (i == 0) {
			t.Errorf("%s: %s does not make the spans of the others, or burns where the baseline is to burn nothing: %v", DeferredCosts, v.Name, v.Settings)
		}
		plan, err := deferred[0].Plan(v)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && plan.Delay <= deferred[0].Load.Duration {
			t.Errorf("%s: what %s burns after %v may be in the window of %v: it is not deferred", DeferredCosts, v.Name, plan.Delay, deferred[0].Load.Duration)
		}
	}
	if _, err := catalog.Experiment(NoiseFloor); err != nil {
		t.Error(err)
	}
}

func TestReadSlept(t *testing.T) {
	logs := t.TempDir()
	write := func(run, process, text string) {
		dir := filepath.Join(logs, run)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, process+".log"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	line := func(requests, slept string) string {
		return "listening\nsynthetic: " + requests + " requests, burnt 0 ns, slept " + slept + " ns, held 0 bytes\n"
	}
	write("001-sleep-1-1", "app", line("100", "120000000"))
	write("001-sleep-1-1", "downstream", "nothing to say\n")
	write("002-sleep-1-1", "app", "killed before its end\n")
	write("002-sleep-1-2", "app", line("100", "130000000"))
	write("003-sleep-1-1", "app", line("0", "0"))
	write("004-sleep-10-1", "app", line("100", "999000000"))
	write("calibration-sleep-1-1", "app", line("100", "999000000"))
	got, err := ReadSlept(logs, "sleep-1")
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]time.Duration{1: 1200 * time.Microsecond, 2: 1300 * time.Microsecond}
	for block, mean := range want {
		if d := got[block] - mean.Seconds(); d < -1e-12 || d > 1e-12 {
			t.Errorf("block %d: %v s, want %v", block, got[block], mean)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

// Whatever a program logs, a sleep is a finite time that is not negative.
func FuzzSleepIn(f *testing.F) {
	f.Add("synthetic: 976 requests, burnt 0 ns, slept 1360379768 ns, held 0 bytes\n")
	f.Add("synthetic: 0 requests, burnt 0 ns, slept 1 ns")
	f.Add("synthetic: 99999999999999999999 requests, burnt 0 ns, slept 1 ns\n\x00")
	f.Fuzz(func(t *testing.T, log string) {
		seconds, found, _ := sleepIn(strings.NewReader(log))
		if math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds < 0 || !found && seconds != 0 {
			t.Errorf("%v s, found %v", seconds, found)
		}
	})
}
