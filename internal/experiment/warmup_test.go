package experiment

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// warmingUp gives the pilots of a script a progress: of a variant on an operation it is
// steady from a slice on.
func warmingUp(at map[string]int) func(variant, operation string) []record.Slice {
	return func(variant, operation string) []record.Slice {
		out := make([]record.Slice, 80)
		for i := range out {
			out[i] = record.Slice{AskedSeconds: 0.5, Operations: 100, CPUSeconds: 0.1 + 0.001*float64(i*7919%13-6)}
			if i < at[variant+" "+operation] {
				out[i].CPUSeconds *= 1.5
			}
		}
		return out
	}
}

func watching(q run.Request) bool { return strings.HasPrefix(q.Name, "warmup-") }

// The longest warm-up that a pilot found is that of every phase of every measured run.
func TestWarmupIsTheLongest(t *testing.T) {
	runner := blockScript()
	runner.warms = warmingUp(map[string]int{"none a": 3, "otel a": 10, "otel b": 25})
	s := newLoop(runner, &kept{})
	s.Experiment.Load.WarmupMost = 30 * time.Second
	history, err := s.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"calibration-otel-1", "warmup-none-1", "warmup-otel-1"}; !slices.Equal(runner.made[:3], want) {
		t.Errorf("first %v, want %v", runner.made[:3], want)
	}
	for _, q := range runner.seen[1:3] {
		for _, p := range q.Phases {
			if p.Watched != 40*time.Second || p.Search != nil || p.Parameter != nil {
				t.Errorf("%s: %+v", q.Name, p)
			}
		}
		if len(q.Phases) != 2 {
			t.Errorf("%s has %d phases, want one an operation", q.Name, len(q.Phases))
		}
	}
	all := measured(runner.seen)
	for _, q := range all {
		for _, p := range q.Phases {
			if p.Load.Warmup != 12500*time.Millisecond || p.Watched != 0 {
				t.Errorf("%s: %s warms up for %s, want 12.5s; watched for %s", q.Name, p.Operation.Name, p.Load.Warmup, p.Watched)
			}
		}
	}
	if len(all) != 6 || history[1].Purpose != record.ForWarmup || history[3].Purpose != "" {
		t.Errorf("%d measured runs, purposes %q and %q", len(all), history[1].Purpose, history[3].Purpose)
	}

	// Resumed from any place, the experiment goes on with the same warm-up.
	for n := range history {
		again := blockScript()
		again.warms = runner.warms
		s := newLoop(again, &kept{})
		s.Experiment.Load.WarmupMost = 30 * time.Second
		if _, err := s.Run(context.Background(), history[:n]); err != nil {
			t.Fatal(err)
		}
		if want := runner.made[n:]; !slices.Equal(again.made, want) {
			t.Errorf("after %d runs %v, want %v", n, again.made, want)
		}
		for _, q := range measured(again.seen) {
			if q.Phases[0].Load.Warmup != 12500*time.Millisecond {
				t.Errorf("after %d runs, %s warms up for %s", n, q.Name, q.Phases[0].Load.Warmup)
			}
		}
	}
}

// A given warm-up needs no pilot.
func TestWarmupGiven(t *testing.T) {
	runner := blockScript()
	s := newLoop(runner, &kept{})
	s.Experiment.Load.Warmup = 2 * time.Second
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(runner.seen, watching) {
		t.Errorf("made %v", runner.made)
	}
	if q := measured(runner.seen)[0]; q.Phases[0].Load.Warmup != 2*time.Second {
		t.Errorf("it warms up for %s", q.Phases[0].Load.Warmup)
	}
}

// A pilot makes the load of the measured phases; see watched.
func TestWhatIsWatched(t *testing.T) {
	search := &config.RateSearch{Goal: config.GoalCPU, CPU: 0.75, From: 70}
	for name, test := range map[string]struct {
		load      config.Load
		rate      [2]float64 // of the operations a and b
		parameter string
		pilots    int // before those for the warm-up
	}{
		"a rate":          {config.Load{Rate: 50}, [2]float64{50, 50}, "", 0},
		"a closed loop":   {config.Load{Connections: 3}, [2]float64{}, "", 0},
		"a sweep":         {config.Load{Rates: []float64{300, 100}}, [2]float64{100, 100}, "100/s", 0},
		"a search":        {config.Load{Capacity: search}, [2]float64{70, 70}, "", 0},
		"a relative rate": {config.Load{Relative: &config.Relative{Share: 0.5, Search: *search}}, [2]float64{300, 150}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			runner := blockScript()
			runner.warms = warmingUp(nil)
			s := newLoop(runner, &kept{})
			s.Experiment.Load = test.load
			s.Experiment.Load.Duration, s.Experiment.Load.WarmupMost = time.Second, 30*time.Second
			if _, err := s.Run(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			for _, q := range runner.seen[1 : 1+test.pilots] {
				if p := q.Phases[0]; watching(q) || p.Search == nil || p.Load.Warmup != searchWarmup {
					t.Errorf("%s searches with %v after %s of warm-up", q.Name, p.Search, p.Load.Warmup)
				}
			}
			for _, q := range runner.seen[1+test.pilots : 3+test.pilots] {
				for i, p := range q.Phases {
					if !watching(q) || p.Load.Rate != test.rate[i] || p.Load.Capacity != nil || p.Search != nil || p.Parameter["rate"] != test.parameter {
						t.Errorf("%s: %s %+v, want %g/s", q.Name, p.Operation.Name, p, test.rate[i])
					}
				}
			}
			for _, q := range measured(runner.seen) {
				if p := q.Phases[0]; p.Load.Warmup != time.Second || (p.Search != nil) != (test.load.Capacity != nil) {
					t.Errorf("%s: %+v", q.Name, p)
				}
			}
		})
	}
}

// A variant whose pilot fails twice is left out, and its warm-up counts for nobody.
func TestWarmupPilotFails(t *testing.T) {
	runner := blockScript()
	runner.warms = warmingUp(map[string]int{"none a": 6, "otel a": 40, "other a": 6})
	runner.fail = func(name string) bool { return strings.HasPrefix(name, "warmup-otel") }
	s := newLoop(runner, &kept{})
	third := s.Variants[0]
	plan := *third.Plan
	plan.Variant = "other"
	third.Variant.Name, third.Plan, third.Calibration = "other", &plan, &plan
	s.Variants = append(s.Variants, third)
	s.Experiment.Load.WarmupMost = 30 * time.Second
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	runs := measured(runner.seen)
	for _, q := range runs {
		if q.Plan.Variant == "otel" || q.Phases[0].Load.Warmup != 3*time.Second {
			t.Errorf("%s warms up for %s", q.Name, q.Phases[0].Load.Warmup)
		}
	}
	if len(runs) != 3*2 {
		t.Errorf("%d runs were measured, want those of two variants in 3 blocks", len(runs))
	}
}

// What is foreseen counts the pilots, and any warm-up that they may find.
func TestWarmupForeseen(t *testing.T) {
	e := &config.Experiment{
		Workload:   &program.Workload{Name: "w", Processes: []program.Process{{Name: "app", Role: "app", Run: []string{"app"}}}},
		Operations: []program.Operation{{Name: "a", Method: "GET", URL: "/"}, {Name: "b", Method: "GET", URL: "/"}},
		Variants:   []config.Variant{{Name: "none", Tracer: &program.Tracer{Name: "none"}}, {Name: "other", Tracer: &program.Tracer{Name: "none"}}},
		Load:       config.Load{Rate: 10, Duration: time.Second, WarmupMost: 30 * time.Second},
		Design:     config.Design{Blocks: 3},
	}
	s, err := Foresee(e)
	if err != nil {
		t.Fatal(err)
	}
	least, most := 4*40*time.Second+6*2*2*time.Second, 4*40*time.Second+6*2*31*time.Second
	if want := []string{"none", "other"}; !slices.Equal(s.Warmed, want) || s.Piloted != nil {
		t.Errorf("pilots %v and %v, want %v", s.Piloted, s.Warmed, want)
	}
	if s.Shortest < least || s.Shortest > least+20*time.Second || s.Length < most || s.Length > most+20*time.Second {
		t.Errorf("from %s to %s, want a little over %s to %s", s.Shortest, s.Length, least, most)
	}
}
