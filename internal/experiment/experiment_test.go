package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/spec"
)

// script is a Runner that makes nothing; fail and stop say what goes wrong.
type script struct {
	made []string
	seen []run.Request
	fail func(name string) bool
	stop func(n int) bool
}

var errInterrupted = errors.New("interrupted")

func (s *script) Run(_ context.Context, q run.Request) (record.Record, error) {
	if s.stop != nil && s.stop(len(s.made)) {
		return record.Record{}, errInterrupted
	}
	s.made = append(s.made, q.Name)
	s.seen = append(s.seen, q)
	r := record.Record{Kind: q.Kind, Variant: q.Plan.Variant}
	if s.fail != nil && s.fail(q.Name) {
		r.Failure = &record.Failure{Stage: "start", Message: "it broke"}
	}
	if q.Kind == record.Calibration {
		for _, o := range q.Phases {
			r.Phases = append(r.Phases, record.Phase{Operation: o.Operation.Name, Quiet: true, Load: record.Load{Started: 20}, Sink: record.Counts{Spans: 60}})
		}
	}
	return r, nil
}

// kept is a Keeper in memory that can refuse.
type kept struct {
	records []record.Record
	full    bool
}

func (k *kept) Append(r record.Record) error {
	if k.full {
		return errors.New("no space left")
	}
	k.records = append(k.records, r)
	return nil
}

func session(r Runner, k Keeper) *Session {
	exporting := spec.Process{Name: "app", Env: map[string]string{"ENDPOINT": "{sink.otlp.grpc}"}}
	plan := func(name string, processes ...spec.Process) *spec.Plan {
		return &spec.Plan{Variant: name, Processes: processes, Sampling: 1}
	}
	return &Session{
		Experiment: &spec.Experiment{
			Operations: []spec.Operation{{Name: "a"}, {Name: "b"}},
			Design:     spec.Design{Blocks: 3, Seed: 1},
		},
		Cells: []Cell{
			{Variant: spec.Variant{Name: "none"}, Plan: plan("none"), Calibration: plan("none")},
			{Variant: spec.Variant{Name: "otel"}, Plan: plan("otel", exporting), Calibration: plan("otel", exporting)},
		},
		Runner: r, Keeper: k,
	}
}

func TestRunsAndEvents(t *testing.T) {
	runner, keeper := &script{}, &kept{}
	s := session(runner, keeper)
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
		want := spec.Number{}
		if q.Plan.Variant == "otel" {
			want = spec.Number{Low: 3, High: 3} // as learnt in the calibration: 60 spans from 20 operations
		}
		if got := q.Spans["a"]; got != want {
			t.Errorf("%s: spans per operation %v, want %v", q.Name, got, want)
		}
	}
}

// An interruption at any run loses that run alone: going on gives the same runs
// as if there had been none.
func TestResume(t *testing.T) {
	whole := &script{}
	if _, err := session(whole, &kept{}).Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for at := range whole.made {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			first, keeper := &script{stop: func(n int) bool { return n == at }}, &kept{}
			if _, err := session(first, keeper).Run(context.Background(), nil); !errors.Is(err, errInterrupted) {
				t.Fatalf("the interruption gave %v", err)
			}
			second := &script{}
			if _, err := session(second, keeper).Run(context.Background(), keeper.records); err != nil {
				t.Fatal(err)
			}
			if got := slices.Concat(first.made, second.made); !slices.Equal(got, whole.made) {
				t.Errorf("runs %v, want %v", got, whole.made)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		fail func(string) bool
		want string // in the error; "" for none
		runs int
	}{
		"once":         {func(n string) bool { return n == "002-otel-1" }, "", 8},
		"a variant":    {func(n string) bool { return strings.Contains(n, "-otel-") && !strings.HasPrefix(n, "cal") }, "no run of any variant but the baseline succeeded", 1 + 4 + 3},
		"the baseline": {func(n string) bool { return strings.Contains(n, "-none-") }, "the baseline none failed again and again: start: it broke", -1},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &script{fail: test.fail}
			history, err := session(runner, &kept{}).Run(context.Background(), nil)
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
	_, err := session(runner, &kept{full: true}).Run(context.Background(), nil)
	if err == nil || len(runner.made) != 1 {
		t.Errorf("error %v after %d runs; want one after the first", err, len(runner.made))
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	cancel()
	runner := &script{}
	if _, err := session(runner, &kept{}).Run(ctx, nil); !errors.Is(err, context.Canceled) || len(runner.made) != 0 {
		t.Errorf("%v after %d runs", err, len(runner.made))
	}
}

// One block is too few to give a variant up, but an experiment of which nothing
// can be concluded has failed all the same.
func TestNothingSucceeds(t *testing.T) {
	for variant, want := range map[string]string{
		"none": "no run of the baseline none succeeded: start: it broke",
		"otel": "no run of any variant but the baseline succeeded: start: it broke",
	} {
		s := session(&script{fail: func(n string) bool { return strings.HasPrefix(n, "001-"+variant) }}, &kept{})
		s.Experiment.Design.Blocks = 1
		if _, err := s.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s fails: %v, want %q", variant, err, want)
		}
	}
}

// What is foreseen is what is run.
func TestForesee(t *testing.T) {
	e := &spec.Experiment{
		Workload:   &spec.Workload{Name: "w", Processes: []spec.Process{{Name: "app", Role: "app", Traced: true, Run: []string{"app", "{port}"}}}},
		Operations: []spec.Operation{{Name: "a"}},
		Variants:   []spec.Variant{{Name: "x", Tracer: &spec.Tracer{Name: "none"}}, {Name: "y", Tracer: &spec.Tracer{Name: "none"}, Env: map[string]string{"TO": "{sink.otlp.grpc}"}}},
		Load:       spec.Load{Duration: 10 * time.Second},
		Design:     spec.Design{Blocks: 4, Seed: 3},
	}
	s, err := Foresee(e)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Blocks) != 4 || !slices.Equal(s.Calibrated, []string{"y"}) || s.Length < 80*time.Second {
		t.Errorf("%+v", s)
	}
	runner := &script{}
	session := &Session{Experiment: e, Runner: runner, Keeper: &kept{}}
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			t.Fatal(err)
		}
		session.Cells = append(session.Cells, Cell{Variant: v, Plan: plan, Calibration: plan})
	}
	if _, err := session.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for i, order := range s.Blocks {
		for j, variant := range order {
			if got, want := runner.made[1+2*i+j], fmt.Sprintf("%03d-%s-1", i+1, variant); got != want {
				t.Errorf("run %s, foreseen %s", got, want)
			}
		}
	}
}
