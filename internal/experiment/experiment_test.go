package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

func TestRunsAndEvents(t *testing.T) {
	runner, keeper := &script{}, &kept{}
	s := newLoop(runner, keeper)
	var last Event
	begun, ended := 0, 0
	s.Observe = func(e Event) {
		last = e
		if e.Begun {
			begun++
		} else {
			ended++
		}
	}
	history, err := s.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(history) != 7 || len(keeper.records) != 7 || begun != 7 || ended != 7 {
		t.Errorf("history %d, kept %d, begun %d, ended %d; want 7 each", len(history), len(keeper.records), begun, ended)
	}
	if last.Done != 7 || last.Total != 7 {
		t.Errorf("last event: %d of %d", last.Done, last.Total)
	}
	if runner.made[0] != "calibration-otel-1" {
		t.Errorf("first run %s: only the variant that exports is calibrated, and first", runner.made[0])
	}
	for _, q := range runner.seen[1:] {
		want := program.Number{}
		if q.Plan.Variant == "otel" {
			want = program.Number{Low: 3, High: 3} // as learnt in the calibration: 60 spans from 20 operations
		}
		if got := q.Spans["a"]; got != want {
			t.Errorf("%s: spans per operation %v, want %v", q.Name, got, want)
		}
	}
}

// What is asked for is what the plan has, in which the environment is filled in.
func TestRequestsAreThePlans(t *testing.T) {
	runner := &script{}
	if _, err := newLoop(runner, &kept{}).Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range runner.seen {
		urls := []string{q.First.URL}
		for _, p := range q.Phases {
			urls = append(urls, p.Operation.URL)
		}
		for _, url := range urls {
			if url != "/filled-in" {
				t.Errorf("%s asks for %s", q.Name, url)
			}
		}
	}
}

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		fail func(string) bool
		want string // in the error; "" for none
		runs int
	}{
		"once":         {func(n string) bool { return n == "002-otel-1" }, "", 8},
		"a variant":    {func(n string) bool { return strings.Contains(n, "-otel-") && !strings.HasPrefix(n, "cal") }, "no run of any variant but the baseline none succeeded: otel: start: it broke", 1 + 4 + 2},
		"the baseline": {func(n string) bool { return strings.Contains(n, "-none-") }, "the baseline none failed again and again: start: it broke", -1},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &script{fail: test.fail}
			history, err := newLoop(runner, &kept{}).Run(context.Background(), nil)
			if got := fmt.Sprint(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if test.runs >= 0 && len(history) != test.runs {
				t.Errorf("%d runs, want %d: %v", len(history), test.runs, runner.made)
			}
		})
	}
}

func TestFullDiskEndsTheExperiment(t *testing.T) {
	runner := &script{}
	_, err := newLoop(runner, &kept{full: true}).Run(context.Background(), nil)
	if err == nil || len(runner.made) != 1 {
		t.Errorf("error %v after %d runs; want one after the first", err, len(runner.made))
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	cancel()
	runner := &script{}
	if _, err := newLoop(runner, &kept{}).Run(ctx, nil); !errors.Is(err, context.Canceled) || len(runner.made) != 0 {
		t.Errorf("%v after %d runs", err, len(runner.made))
	}
}

// One block is too few to give a variant up, but an experiment of which nothing
// can be concluded has failed all the same.
func TestNothingSucceeds(t *testing.T) {
	for variant, want := range map[string]string{
		"none": "no run of the baseline none succeeded: start: it broke",
		"otel": "no run of any variant but the baseline none succeeded: otel: start: it broke",
	} {
		s := newLoop(&script{fail: func(n string) bool { return strings.HasPrefix(n, "001-"+variant) }}, &kept{})
		s.Experiment.Design.Blocks = 1
		if _, err := s.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s fails: %v, want %q", variant, err, want)
		}
	}
}

// Every measured run is drained for as long as the slowest tracer of the experiment needs: by its word, or by what a
// calibration saw.
func TestDrainedAlike(t *testing.T) {
	for name, c := range map[string]struct{ declared, seen, want time.Duration }{
		"declared":            {2 * time.Second, 2500 * time.Millisecond, 2025 * time.Millisecond},
		"slower than it says": {time.Second, 8 * time.Second, 6625 * time.Millisecond},
	} {
		runner := &script{drained: c.seen}
		s := newLoop(runner, &kept{})
		s.Variants[1].Plan.Delay = c.declared
		if _, err := s.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		measured := 0
		for _, q := range runner.seen {
			want := time.Duration(0)
			if q.Kind == record.Measured {
				measured, want = measured+1, c.want
			}
			if q.Drain != want {
				t.Errorf("%s: %s is drained for %v at least, want %v", name, q.Name, q.Drain, want)
			}
		}
		if measured != 6 {
			t.Errorf("%s: %d measured runs, want 6", name, measured)
		}
	}
}

// A variant of the user's own that traces, and not for the sink, is asked about after its first run; one that has a tracer,
// one that is called untraced, and one that was asked about before are not.
func TestAsksWhereSpansGo(t *testing.T) {
	own := config.Variant{Name: "own", Env: map[string]string{"TRACE": "1"}}
	for name, c := range map[string]struct {
		change func(*Loop, *script)
		before []record.Record
		asked  bool
	}{
		"own":     {func(*Loop, *script) {}, nil, true},
		"none":    {func(l *Loop, _ *script) { l.Variants[1].Variant.Env = nil }, nil, false},
		"traced":  {func(l *Loop, _ *script) { l.Variants[1].Variant.Tracer = &program.Tracer{Name: "otel-go"} }, nil, false},
		"quick":   {func(l *Loop, _ *script) { l.Experiment.Design.Quick = true }, nil, false},
		"silent":  {func(_ *Loop, s *script) { s.elsewhere = "none" }, nil, false},
		"resumed": {func(*Loop, *script) {}, []record.Record{{Kind: record.Measured, Variant: "own", Block: 1}}, false},
	} {
		runner := &script{elsewhere: "own"}
		l := newLoop(runner, &kept{})
		l.Variants[1] = Prepared{Variant: own, Plan: &config.Plan{Variant: "own", Silent: true, Sampling: 1, Operations: l.Variants[0].Plan.Operations}}
		l.Variants[1].Calibration = l.Variants[1].Plan
		c.change(l, runner)
		history, err := l.Run(context.Background(), c.before)
		var asked *ElsewhereError
		if errors.As(err, &asked) != c.asked || !c.asked && err != nil {
			t.Errorf("%s: %v, want that it is asked: %t", name, err, c.asked)
		}
		if c.asked && len(history) > 2 {
			t.Errorf("%s: it was asked after %d runs", name, len(history))
		}
	}
}

// Where memory does not suffice for all variants at once, by what the calibrations held, blocks are made in groups, each with
// the baseline; where not even two fit, one run after the other, and none has its load in turns.
func TestGroupsByMemory(t *testing.T) {
	const gigabyte = 1 << 30
	for name, c := range map[string]struct {
		memory uint64
		held   uint64 // by each in its calibration
		order  config.Order
		sizes  []int // of the groups of a block
		fit    int
	}{
		"enough":           {16 * gigabyte, gigabyte, config.Windows, []int{5}, 0},
		"for three":        {6 * gigabyte, gigabyte, config.Windows, []int{3, 3}, 3},
		"for three, woven": {6 * gigabyte, gigabyte, config.Woven, []int{3, 3}, 3},
		"for four":         {9 * gigabyte, gigabyte, config.Windows, []int{4, 2}, 4},
		"for one":          {3 * gigabyte, gigabyte, config.Windows, []int{1, 1, 1, 1, 1}, 1},
		"not for one":      {gigabyte, gigabyte, config.Windows, []int{1, 1, 1, 1, 1}, 1},
		"not known":        {0, gigabyte, config.Windows, []int{5}, 0},
		"nobody looked":    {6 * gigabyte, 0, config.Windows, []int{5}, 0},
		"apart":            {gigabyte, gigabyte, config.Apart, []int{1, 1, 1, 1, 1}, 0},
	} {
		runner := blockScript()
		runner.change = func(_ run.Request, r *record.Record) {
			if r.Kind == record.Calibration { // two processes
				r.Memory = []record.Memory{{Process: "app", Role: "app", Peak: c.held * 3 / 4}, {Process: "sink", Role: "sink", Peak: c.held / 4}}
			}
		}
		l := newLoop(runner, &kept{})
		traced := l.Variants[1] // the baseline is not calibrated: it is taken to be as large
		for _, more := range []string{"b", "c", "d"} {
			one, plan := traced, *traced.Plan
			plan.Variant, one.Variant = more, config.Variant{Name: more}
			one.Plan, one.Calibration = &plan, &plan
			l.Variants = append(l.Variants, one)
		}
		l.Experiment.Design.Order, l.Memory = c.order, c.memory
		told := map[int]bool{}
		var groups [][]string
		l.Observe = func(e Event) {
			if e.Begun && e.Next.Block > 0 {
				told[e.Fit] = true
				var names []string
				for _, r := range e.Next.All() {
					names = append(names, r.Variant)
				}
				groups = append(groups, names)
			}
		}
		if _, err := l.Run(t.Context(), nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var sizes []int
		for i, names := range groups {
			sizes = append(sizes, len(names))
			if c.fit > 1 && !slices.Contains(names, "none") {
				t.Errorf("%s: group %d without the baseline: %v", name, i, names)
			}
		}
		if want := slices.Repeat(c.sizes, 3); !slices.Equal(sizes, want) || len(told) != 1 || !told[c.fit] {
			t.Errorf("%s: groups of %v, told that %v fit; want %v and %d", name, sizes, told, want, c.fit)
		}
		for _, q := range runner.seen {
			if alone := c.fit == 1 || c.order == config.Apart; q.Kind == record.Measured && alone != (q.Order == "") {
				t.Errorf("%s: %s is made in the order %q", name, q.Name, q.Order)
			}
		}
	}
}
