package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// measured are the requests of measured runs.
func measured(all []run.Request) []run.Request {
	return slices.DeleteFunc(slices.Clone(all), func(q run.Request) bool { return q.Kind != record.Measured })
}

// A sweep has a phase for each level, with the level's load alone.
func TestSweep(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	s.Experiment.Load = config.Load{Rates: []float64{100, 200.5}, Connections: 8}
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range measured(runner.seen) {
		seen := map[string]int{}
		for _, p := range q.Phases {
			seen[fmt.Sprintf("%s %s %g %d %d", p.Operation.Name, p.Parameter["rate"], p.Load.Rate, len(p.Load.Rates), p.Load.Connections)]++
		}
		want := map[string]int{"a 100/s 100 0 8": 1, "a 200.5/s 200.5 0 8": 1, "b 100/s 100 0 8": 1, "b 200.5/s 200.5 0 8": 1}
		if !maps.Equal(seen, want) {
			t.Errorf("%s: phases %v", q.Name, seen)
		}
	}
	if q := runner.seen[0]; q.Kind != record.Calibration || len(q.Phases) != 2 {
		t.Errorf("the calibration has %d phases, want one of each operation", len(q.Phases))
	}
}

func TestSearch(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	s.Experiment.Load = config.Load{Capacity: &config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}, Duration: time.Second}
	s.Experiment.Workload.Rate = 70
	for i := range s.Variants {
		s.Variants[i].Plan.Operations[1].Rate = 700
	}
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range runner.seen {
		for _, p := range q.Phases {
			if (p.Search != nil) != (q.Kind == record.Measured) {
				t.Errorf("%s: operation %s has the search %v", q.Name, p.Operation.Name, p.Search)
			}
			if p.Search == nil {
				continue
			}
			want := map[string]float64{"a": 70, "b": 700}[p.Operation.Name] // its own, else the workload's
			if probe, more := p.Search.Next(nil); !more || probe.Rate != want {
				t.Errorf("%s: the search of %s begins with %+v, %t; want %g/s", q.Name, p.Operation.Name, probe, more, want)
			}
		}
	}
}

// A search for a CPU target begins at three quarters of what the variant's earlier blocks found, at the same operation and level.
func TestSearchGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		search config.RateSearch
		block2 map[string]float64 // the first rate of each variant's operation
	}{
		"a CPU target": {config.RateSearch{Goal: config.GoalCPU, CPU: 0.75},
			map[string]float64{"none a": 750, "none b": 75, "otel a": 450, "otel b": 70}},
		"that names its first rate": {config.RateSearch{Goal: config.GoalCPU, CPU: 0.75, From: 20},
			map[string]float64{"none a": 20, "none b": 20, "otel a": 20, "otel b": 20}},
		"no lost spans": {config.RateSearch{Goal: config.GoalLossless},
			map[string]float64{"none a": 70, "none b": 70, "otel a": 70, "otel b": 70}},
	} {
		t.Run(name, func(t *testing.T) {
			found := map[string]float64{"none a": 1000, "none b": 100, "otel a": 600, "otel b": 0}
			runner := blockScript()
			runner.change = func(q run.Request, r *record.Record) {
				for i := range r.Phases {
					one := &record.Search{Outcome: record.Found, Rate: found[q.Plan.Variant+" "+r.Phases[i].Operation]}
					if one.Rate == 0 {
						one.Outcome = record.Unsteady
					}
					r.Phases[i].Capacity = one
				}
			}
			s := newLoop(runner, &kept{})
			s.Experiment.Load = config.Load{Capacity: &c.search, Duration: time.Second}
			s.Experiment.Workload.Rate = 70
			if _, err := s.Run(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			seen := 0
			for _, q := range measured(runner.seen) {
				for _, p := range q.Phases {
					work := q.Plan.Variant + " " + p.Operation.Name
					want := c.block2[work]
					if strings.HasPrefix(q.Name, "001") && c.search.From == 0 {
						want = 70
					}
					if probe, _ := p.Search.Next(nil); probe.Rate != want {
						t.Errorf("%s: the search of %s begins at %g/s, want %g/s", q.Name, work, probe.Rate, want)
					}
					seen++
				}
			}
			if seen != 12 {
				t.Errorf("%d searches, want 12: 3 blocks, 2 variants, 2 operations", seen)
			}
		})
	}
}

// A relative rate is a share of what the slowest variant was found to do, the same
// for all variants, by operation.
func TestRelative(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	s.Experiment.Load.Relative = &config.Relative{Share: 0.5, Search: config.RateSearch{Goal: config.GoalCPU, CPU: 0.6}}
	history, err := s.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"calibration-otel-1", "pilot-none-1", "pilot-otel-1"}; !slices.Equal(runner.made[:3], want) {
		t.Errorf("first %v, want %v", runner.made[:3], want)
	}
	for _, q := range runner.seen[1:3] {
		for _, p := range q.Phases {
			if p.Search == nil || p.Load.Capacity == nil || p.Load.Capacity.CPU != 0.6 || p.Load.Rate != 0 {
				t.Errorf("%s: load %+v, search %v", q.Name, p.Load, p.Search)
			}
		}
	}
	for _, q := range measured(runner.seen) {
		for _, p := range q.Phases {
			if want := map[string]float64{"a": 300, "b": 150}[p.Operation.Name]; p.Load.Rate != want || p.Search != nil || p.Load.Capacity != nil {
				t.Errorf("%s: %s at %g/s, want %g/s", q.Name, p.Operation.Name, p.Load.Rate, want)
			}
		}
	}
	if last := history[len(history)-1]; last.Phases[0].OfferedRate == 0 {
		t.Error("the rate is not in the record")
	}
}

// What pilots may find, and what comes of it.
func TestPilotsFind(t *testing.T) {
	found := func(rate float64) record.Search {
		return record.Search{Outcome: record.Found, Rate: rate, Passing: rate}
	}
	ended := func(outcome record.Outcome, passing float64) record.Search {
		return record.Search{Outcome: outcome, Passing: passing, Note: "a note"}
	}
	for name, test := range map[string]struct {
		none, otel record.Search
		rate       float64 // half the slowest's; 0: an error
		bad        string
	}{
		"both":                             {found(1000), found(400), 200, ""},
		"the baseline is the slowest":      {found(300), found(400), 150, ""},
		"one is faster than the generator": {ended(record.ByGenerator, 900), found(400), 200, ""},
		"but it is not known to be faster": {ended(record.ByGenerator, 300), found(400), 0, "asking operation a at 50% of slowest: the capacity of the slowest variant is unknown (none: limited by the generator; it reached 300/s)"},
		"both are faster":                  {ended(record.ByGenerator, 900), ended(record.AboveMax, 800), 0, "the capacity of the slowest variant is unknown"},
		"one has no spans to lose":         {ended(record.NoSpans, 0), found(400), 200, ""},
		"neither has":                      {ended(record.NoSpans, 0), ended(record.NoSpans, 0), 0, "the capacity of the slowest variant is unknown"},
		"saturated before the goal":        {found(1000), ended(record.Saturated, 600), 300, ""},
		"a variant was unsteady":           {found(1000), ended(record.Unsteady, 600), 0, "nothing was measured: only the baseline none can run: otel: pilot: no rate was found that otel can do (a: unsteady, a note; b: unsteady, a note)"},
		"the baseline does too little":     {ended(record.BelowLeast, 0), found(400), 0, "the baseline none failed again and again: pilot: no rate was found that none can do (a: below the lowest rate that can be tried, a note"},
	} {
		t.Run(name, func(t *testing.T) {
			runner := blockScript()
			runner.does = func(variant, _ string) record.Search {
				return map[string]record.Search{"none": test.none, "otel": test.otel}[variant]
			}
			s := newLoop(runner, &kept{})
			s.Experiment.Load.Relative = &config.Relative{Share: 0.5}
			_, err := s.Run(context.Background(), nil)
			if test.bad != "" {
				var final *FinalError
				if err == nil || !strings.Contains(err.Error(), test.bad) || !errors.As(err, &final) {
					t.Errorf("error %v, want a final one with %q", err, test.bad)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := measured(runner.seen)[0].Phases[0].Load.Rate; got != test.rate {
				t.Errorf("rate %g, want %g", got, test.rate)
			}
		})
	}
}

// A rate so low that nothing would happen in the window is no rate.
func TestRelativeIsTooLow(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	s.Experiment.Load = config.Load{Relative: &config.Relative{Share: 0.001}, Duration: time.Second}
	if _, err := s.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "is no operation") {
		t.Errorf("error %v", err)
	}
}

// Each variant has its own faults, but what an operation makes is learnt without.
func TestFaultsOfVariants(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	s.Experiment.Faults = config.Faults{SinkLoses: 0.03}
	s.Variants[1].Variant.Faults = &config.Faults{SinkLate: time.Second}
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range runner.seen {
		want := map[string]config.Faults{"none": {SinkLoses: 0.03}, "otel": {SinkLate: time.Second}}[q.Plan.Variant]
		if q.Kind == record.Calibration {
			want = config.Faults{}
		}
		if q.Faults != want {
			t.Errorf("%s: faults %+v, want %+v", q.Name, q.Faults, want)
		}
	}
}

// Of several shares each is a phase of its own, and one search is made for all of them.
func TestSharesOfTheSlowest(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	s.Experiment.Load.Relative = &config.Relative{Shares: []float64{0.5, 1}, Search: config.RateSearch{Goal: config.GoalCPU, CPU: 0.6}}
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range runner.seen[1:3] {
		if q.Kind != record.Pilot || len(q.Phases) != 2 {
			t.Errorf("%s searches %d times; there are 2 operations", q.Name, len(q.Phases))
		}
	}
	for _, q := range measured(runner.seen) {
		got := map[string]float64{}
		for _, p := range q.Phases {
			got[p.Operation.Name+" "+p.Parameter[config.ParameterShare]] = p.Load.Rate
		}
		if want := map[string]float64{"a 50%": 300, "a 100%": 600, "b 50%": 150, "b 100%": 300}; !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", q.Name, got, want)
		}
	}
}
