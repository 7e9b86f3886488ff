package selfcheck

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/stats"
)

// The experiments are built in, have what is judged, and enough blocks for all
// claims at once.
func TestExperimentsAreThere(t *testing.T) {
	catalog := program.NewCatalog(tracetax.Files)
	for _, form := range []Form{Quick, Full} {
		least := stats.MinBlocks(stats.Bonferroni(Confidence, len(form.lengths())))
		for _, one := range form.Experiments() {
			found, err := config.BuiltIn(catalog, one.Name)
			if err != nil {
				t.Errorf("%s: %v", form, err)
				continue
			}
			e := found[0]
			if e.Design.Order != config.Paired {
				t.Errorf("%s: its file says order %s", one.Name, e.Design.Order)
			}
			if found, err = config.BuiltIn(catalog, one.Name, one.Keys()...); err != nil {
				t.Fatalf("%s, %s: %v", form, one.Name, err)
			}
			e = found[0]
			if one.Variants != "" {
				if err := e.Keep(strings.Split(one.Variants, ",")); err != nil {
					t.Errorf("%s, %s: %v", form, one.Name, err)
				}
			}
			blocks := e.Design.Blocks
			for _, l := range form.lengths() {
				if l.experiment != one {
					continue
				}
				if blocks < least+1 { // one may be lost
					t.Errorf("%s, %s: %d blocks, %d are needed for an interval", form, one.Name, blocks, least)
				}
				if !slices.ContainsFunc(e.Variants, func(v config.Variant) bool { return v.Name == l.variant }) {
					t.Errorf("%s has no variant %s", one.Name, l.variant)
				}
			}
		}
	}
	makes := func(o program.Operation) bool {
		n := o.Spans["otel-go"]
		return o.Name == "json" && n.Low == spansPerCall && n.High == spansPerCall
	}
	for name, traced := range map[string][]string{LossySink: traced, LateSink: traced[:1]} {
		found, err := config.BuiltIn(catalog, name)
		if err != nil {
			t.Fatal(err)
		}
		e := found[0]
		var tracing []string
		for _, v := range e.Variants {
			if v.Tracer != nil && v.Tracer.Name == "otel-go" {
				tracing = append(tracing, v.Name)
			}
		}
		if len(e.Operations) != 1 || !makes(e.Operations[0]) || !slices.Equal(tracing, traced) {
			t.Errorf("%s has other operations, spans or variants than the check counts on: %+v, %v", name, e.Operations, tracing)
		}
	}
	for _, name := range []string{DeferredCosts, Flushes} {
		found, err := config.BuiltIn(catalog, name)
		if err != nil {
			t.Fatal(err)
		}
		e := found[0]
		var delays []time.Duration
		for i, v := range e.Variants {
			if v.Tracer.Name != "synthetic-go" || v.Settings["spans"] != "on" || (v.Settings["flush"] == "0s") != (i == 0) {
				t.Errorf("%s: %s does not make the spans of the others, or burns where the baseline is to burn nothing: %v", name, v.Name, v.Settings)
			}
			plan, err := e.Plan(v)
			if err != nil {
				t.Fatal(err)
			}
			delays = append(delays, plan.Delay)
		}
		// A window of each must follow one of the other, or the baseline's latency could not carry what is burnt.
		if n, _ := e.Windows(e.Load, e.Operations[0], slices.Max(delays)); name == DeferredCosts && n < 2 {
			t.Errorf("%s has %d windows", name, n)
		}
	}
	if _, err := config.BuiltIn(catalog, NoiseFloor); err != nil {
		t.Error(err)
	}
}

func TestReadSaid(t *testing.T) {
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
	said := func(requests, slept string) string {
		return "listening\nsynthetic: " + requests + " requests, burnt 7 ns, slept " + slept + " ns, idled 8 ns in 9 ns, held 0 bytes\n"
	}
	write("001-sleep-1-1", "app", said("100", "120000000"))
	write("001-sleep-1-1", "downstream", "nothing to say\n")
	write("002-sleep-1-1", "app", "killed before its end\n")
	write("002-sleep-1-2", "app", strings.TrimSpace(said("100", "130000000"))+", flushed 3 spans, burnt 4 ns at that, 0 spans in failed exports\n")
	write("003-sleep-1-1", "app", "synthetic: -1 requests\n")
	write("004-sleep-10-1", "app", said("100", "999000000"))
	write("calibration-sleep-1-1", "app", said("100", "999000000"))
	got, err := ReadSaid(logs)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[int]Said{
		"sleep-1": {
			1: {Requests: 100, Burnt: 7, Slept: 120000000, Idled: 8, Alive: 9},
			2: {Requests: 100, Burnt: 7, Slept: 130000000, Idled: 8, Alive: 9, Flushed: 3, FlushBurnt: 4},
		},
		"sleep-10": {4: {Requests: 100, Burnt: 7, Slept: 999000000, Idled: 8, Alive: 9}},
	}
	if !maps.EqualFunc(got, want, maps.Equal[map[int]Said, map[int]Said]) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Whatever a program logs, what it says is read whole or not at all.
func FuzzSaidIn(f *testing.F) {
	f.Add("synthetic: 976 requests, burnt 0 ns, slept 1360379768 ns, idled 0 ns in 0 ns, held 0 bytes\n")
	f.Add("synthetic: 0 requests, burnt 0 ns, slept 1 ns")
	f.Add("synthetic: 99999999999999999999 requests, burnt 0 ns, slept 1 ns, idled 0 ns in 0 ns, held 0 bytes\n\x00")
	f.Fuzz(func(t *testing.T, log string) {
		said, found, _ := saidIn(strings.NewReader(log))
		if !found && said != (Said{}) {
			t.Errorf("%+v, found %v", said, found)
		}
		if mean, ok := each(said.Slept, said.Requests); math.IsNaN(mean) || math.IsInf(mean, 0) || mean < 0 || ok != (said.Requests > 0) {
			t.Errorf("%v s each, known %v", mean, ok)
		}
	})
}
