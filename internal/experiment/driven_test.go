package experiment

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// What an operation makes is learnt at each depth, and known in later runs by it.
func TestDepths(t *testing.T) {
	runner := &script{}
	s := newLoop(runner, &kept{})
	s.Experiment.Load = config.Load{Calls: 100, Depths: []int{2, 8}}
	s.Experiment.Samples = true
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	learnt := runner.seen[0]
	var phases []string
	for _, p := range learnt.Phases {
		phases = append(phases, record.Work(p.Operation.Name, p.Parameter))
		if p.Load.Depth == 0 || len(p.Load.Depths) > 0 {
			t.Errorf("%v has the load %+v", p.Parameter, p.Load)
		}
	}
	if want := []string{"a, depth 2", "a, depth 8", "b, depth 2", "b, depth 8"}; learnt.Kind != record.Calibration || !slices.Equal(phases, want) {
		t.Errorf("learnt: %v", phases)
	}
	if learnt.Samples != "" || learnt.FirstParameter["depth"] != "2" || learnt.Load.Depth != 2 {
		t.Errorf("the calibration: samples %q, first at %v", learnt.Samples, learnt.FirstParameter)
	}
	for _, q := range measured(runner.seen) {
		if q.Plan.Variant == "none" {
			continue
		}
		if got := slices.Sorted(maps.Keys(q.Spans)); !slices.Equal(got, phases) {
			t.Errorf("%s: spans are known of %v", q.Name, got)
		}
		if len(q.Phases) != 4 || !strings.HasPrefix(q.Samples, "otel-") {
			t.Errorf("%s: %d phases, samples %q", q.Name, len(q.Phases), q.Samples)
		}
	}
}

// Threads change nothing of what an operation makes: it is learnt once.
func TestCrowds(t *testing.T) {
	runner := &script{}
	s := newLoop(runner, &kept{})
	s.Experiment.Load = config.Load{Calls: 100, Crowds: []int{1, 2}}
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if q := runner.seen[0]; len(q.Phases) != 2 || q.Phases[0].Parameter != nil || q.FirstParameter != nil {
		t.Errorf("learnt: %+v", q.Phases)
	}
	for _, q := range measured(runner.seen) {
		if len(q.Phases) != 4 || q.Phases[0].Parameter["threads"] == "" {
			t.Errorf("%s: %+v", q.Name, q.Phases)
		}
	}
}

// A workload that checks its answers is checked with every variant, and one whose
// answers are wrong is not measured.
func TestVerified(t *testing.T) {
	for name, test := range map[string]struct {
		wrong string
		runs  []string // before the first block
		more  int      // measured
		want  string   // in the error
	}{
		"good":         {"", []string{"calibration-none-1", "calibration-otel-1"}, 6, ""},
		"a variant":    {"otel", []string{"calibration-none-1", "calibration-otel-1", "calibration-otel-2"}, 0, "nothing was measured, since no variant but the baseline none can be: otel: start: it broke"},
		"the baseline": {"none", []string{"calibration-none-1", "calibration-none-2"}, 0, "the baseline none failed again and again: start: it broke"},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &script{fail: func(n string) bool { return test.wrong != "" && strings.HasPrefix(n, "calibration-"+test.wrong) }}
			s := newLoop(runner, &kept{})
			for i := range s.Cells {
				s.Cells[i].Plan.Verify = []string{"check"}
			}
			_, err := s.Run(context.Background(), nil)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if n := len(test.runs); len(runner.made) < n || !slices.Equal(runner.made[:n], test.runs) || len(runner.made) != n+test.more {
				t.Errorf("made %v, want %v and %d more", runner.made, test.runs, test.more)
			}
			if phases := runner.seen[0].Phases; len(phases) != 0 {
				t.Errorf("%d phases are learnt of a variant that exports nothing", len(phases))
			}
		})
	}
}

// A quick experiment over a self-driving workload takes its word for how many spans
// are made, where it gives it; what a tracer keeps in its buffer is learnt all the same.
func TestLearns(t *testing.T) {
	declared := map[string]config.Number{"call": {Low: 10, High: 10}}
	for name, test := range map[string]struct {
		change func(*config.Experiment, *config.Plan)
		want   bool
	}{
		"quick":        {func(*config.Experiment, *config.Plan) {}, false},
		"not quick":    {func(e *config.Experiment, _ *config.Plan) { e.Design.Quick = false }, true},
		"requests":     {func(_ *config.Experiment, p *config.Plan) { p.Driver = config.Requests }, true},
		"a buffer":     {func(_ *config.Experiment, p *config.Plan) { p.Buffers = 1000 }, true},
		"other depths": {func(e *config.Experiment, _ *config.Plan) { e.Load.Depths = []int{2, 4} }, true},
		"not declared": {func(_ *config.Experiment, p *config.Plan) { p.Spans = nil }, true},
		"one of two not declared": {func(e *config.Experiment, _ *config.Plan) {
			e.Operations = append(e.Operations, config.Operation{Name: "b"})
		}, true},
		"exports nothing": {func(e *config.Experiment, p *config.Plan) { e.Design.Quick, p.Processes = false, nil }, false},
	} {
		e := &config.Experiment{Operations: []config.Operation{{Name: "call"}}, Design: config.Design{Quick: true}}
		p := &config.Plan{Driver: config.SelfDriving, Spans: declared, Processes: []config.Process{{Env: map[string]string{"TO": "{sink.otlp.grpc}"}}}}
		test.change(e, p)
		if got := learns(e, p); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// The runs of a block that are made together start and have their load in turn, and are drained at the same time.
func TestLengthOfABlock(t *testing.T) {
	lasting := func(alone, load, beside time.Duration) span {
		l := run.Lasting{Alone: alone * time.Second, Load: load * time.Second, Beside: beside * time.Second}
		return span{l, l}
	}
	for order, want := range map[config.Order]time.Duration{config.Apart: 16, config.Windows: 15, config.Woven: 13} {
		var block span
		for _, one := range []span{lasting(1, 2, 4), lasting(3, 5, 1)} {
			block = block.beside(order, one)
		}
		if short, long := block.short.All(), block.long.All(); short != want*time.Second || long != short {
			t.Errorf("order %s: %v to %v, want %d s", order, short, long, want)
		}
	}
}
