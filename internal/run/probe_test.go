package run

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// What a sidecar uses is charged to what the app may use, whatever quota it has.
func TestUtilisation(t *testing.T) {
	used := []record.Usage{
		{Role: "app", CPUSeconds: 0.2, Seconds: 1.015}, {Role: "sidecar", CPUSeconds: 0.1, Seconds: 1.015},
		{Role: "database", CPUSeconds: 0.9, Seconds: 1.015}, {Role: "load", CPUSeconds: 0.9, Seconds: 1.015},
	}
	for name, test := range map[string]struct {
		app, sidecar float64 // quota
		cpus         []int
		want         float64
	}{
		"one CPU":               {0, 0, []int{1}, 0.3},
		"two CPUs":              {0, 0, []int{1, 2}, 0.15},
		"the app has a quota":   {0.5, 0, []int{1}, 0.6},
		"both have":             {0.5, 0.5, []int{1}, 0.6},
		"the sidecar has":       {0, 0.5, []int{1}, 0.3},
		"a quota that is above": {4, 0, []int{1}, 0.3},
	} {
		s := &stage{request: Request{Plan: &config.Plan{Processes: []program.Process{
			{Name: "app", Role: "app", CPUs: test.app}, {Name: "proxy", Role: "sidecar", CPUs: test.sidecar}, {Name: "db", Role: "database", CPUs: 1},
		}}}}
		s.placement.App = test.cpus
		if got := s.utilisation(used, 1); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
	if got := secondsOf(used); got != 1.015 {
		t.Errorf("used over %g s", got)
	}
}

// Where patience ends before the sink is quiet it is drained again, until it is,
// or a few times; the first drain says whether spans came late.
func TestUntilQuiet(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		quiet []bool // of each drain; one more is an error
		first bool
		clean bool
		err   error
	}{
		"at once":   {[]bool{true}, true, true, nil},
		"the third": {[]bool{false, false, true}, false, true, nil},
		"never":     {[]bool{false, false, false}, false, false, nil},
		"an error":  {[]bool{false}, false, false, broken},
	} {
		n := 0
		all, clean, err := untilQuiet(func() (drained, error) {
			if n == len(test.quiet) {
				return drained{}, broken
			}
			n++
			return drained{counts: record.Counts{Spans: uint64(n)}, took: time.Second, quiet: test.quiet[n-1]}, nil
		})
		if !errors.Is(err, test.err) || n != len(test.quiet) {
			t.Errorf("%s: %d drains, %v", name, n, err)
		}
		if err == nil && (all.quiet != test.first || clean != test.clean || all.took != time.Duration(n)*time.Second || all.counts.Spans != uint64(n)) {
			t.Errorf("%s: %+v, clean %t", name, all, clean)
		}
	}
}

// A probe that was not quiet is the phase's, whichever is its window.
func TestSettleKeepsQuiet(t *testing.T) {
	for _, quiet := range [][]bool{{true, true, true}, {false, true, true}, {true, true, false}} {
		phase, want := record.Phase{Quiet: true}, true
		var all []tried
		for _, q := range quiet {
			all = append(all, tried{probe: record.Probe{Quiet: q}})
			want = want && q
		}
		if err := chooseWindow(&phase, all, 1); err != nil || phase.Quiet != want {
			t.Errorf("probes %v: the phase is quiet: %t (%v)", quiet, phase.Quiet, err)
		}
	}
}

// Spans that wait in a buffer until it is full are not lost, however the probes divide them;
// what is missing beyond a full buffer is.
func TestOwed(t *testing.T) {
	type probe struct{ missing, lost float64 } // missing below 0: more came
	for name, test := range map[string]struct {
		holds  float64
		probes []probe
	}{
		"holds nothing":              {0, []probe{{0, 0}, {3, 3}, {-3, 0}, {2, 2}}},
		"back and forth":             {1170, []probe{{900, 0}, {-700, 0}, {950, 0}, {-1150, 0}, {1170, 0}}},
		"loses little by little":     {1170, []probe{{500, 0}, {500, 0}, {500, 330}, {500, 500}}},
		"loses much":                 {1170, []probe{{5000, 3830}, {0, 0}, {-1170, 0}, {1171, 1}}},
		"more than owed is no debit": {1170, []probe{{-900, 0}, {1171, 1}}},
	} {
		var o outstanding
		for i, p := range test.probes {
			if got := o.beyond(max(0, p.missing), -p.missing, test.holds); got != p.lost {
				t.Errorf("%s, probe %d: %g lost, want %g", name, i+1, got, p.lost)
			}
		}
	}
}

// What a tracer merged into spans that came, or says that it did not send, is not lost.
func TestLostIsWhatTheSinkWasNotToldOf(t *testing.T) {
	s := &stage{exporting: true, request: Request{Plan: &config.Plan{Sampling: 1}, Spans: map[string]program.Number{"queries": {Low: 11, High: 11}}}}
	for name, test := range map[string]struct {
		sink record.Counts
		lost float64
	}{
		"all came":          {record.Counts{Spans: 1100}, 0},
		"all merged":        {record.Counts{Spans: 200, Merged: 900}, 0},
		"some merged":       {record.Counts{Spans: 700, Merged: 400}, 0},
		"some suppressed":   {record.Counts{Spans: 100, Suppressed: 1000}, 0},
		"merged, some lost": {record.Counts{Spans: 700, Merged: 300}, 100},
		"some came twice":   {record.Counts{Spans: 1100, Duplicate: 50}, 50},
	} {
		expected, lost := s.lost("queries", record.Probe{Load: record.Load{Completed: 100}, Sink: test.sink})
		if expected != 1100 || lost != test.lost {
			t.Errorf("%s: %g lost of %g, want %g of 1100", name, lost, expected, test.lost)
		}
	}
}
