package experiment

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// shaped is a script whose calibrations saw traces of these shapes.
type shaped struct {
	script
	shapes record.Shapes
	fails  bool // an operation of the last one
}

func (s *shaped) Run(ctx context.Context, q run.Request) (record.Record, error) {
	r, err := s.script.Run(ctx, q)
	if err != nil || q.Kind != record.Calibration {
		return r, err
	}
	for i := range r.Phases {
		sink := record.Counts{Checking: true, Shapes: s.shapes}
		for root := range sink.Shapes {
			traces, spans := sink.Shapes.Traces(root)
			sink.Traces, sink.Roots, sink.Spans = sink.Traces+uint64(traces), sink.Roots+uint64(traces), sink.Spans+uint64(spans)
		}
		r.Phases[i].Sink = sink
		r.Life = r.Life.Plus(sink)
	}
	if s.fails {
		r.Phases[len(r.Phases)-1].Load.Completed--
	}
	return r, nil
}

// What a drain may end on is what the ledger would learn: a number that every operation made, and
// spans of these operations alone.
func TestWhatADrainIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		shapes record.Shapes
		want   program.Number
		roots  []string
	}{
		"all alike":                   {record.Shapes{"GET /": {3: 20}}, program.Number{Low: 3, High: 3}, []string{"GET /"}},
		"a sum that is whole by luck": {record.Shapes{"GET /": {2: 1, 3: 18, 4: 1}}, program.Number{}, []string{"GET /"}},
		"beside a timer's":            {record.Shapes{"GET /": {3: 20}, "tick": {4: 5}}, program.Number{Low: 3, High: 3}, []string{"GET /"}},
	} {
		runner := &shaped{shapes: c.shapes}
		s := newLoop(nil, &kept{})
		s.Runner = runner
		if _, err := s.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		for _, q := range runner.seen[1:] {
			if q.Plan.Variant != "otel" {
				continue
			}
			if got := q.Spans["a"]; got != c.want {
				t.Errorf("%s: %s is told of %v spans per operation, want %v", name, q.Name, got, c.want)
			}
			if got := slices.Sorted(maps.Keys(q.Begun.Roots)); !slices.Equal(got, c.roots) {
				t.Errorf("%s: %s is told of the roots %v, want %v", name, q.Name, got, c.roots)
			}
		}
	}
}

// Of an operation of which nothing was learnt nobody knows which spans are of it: a drain waits for all.
func TestADrainOfWhatIsNotKnown(t *testing.T) {
	runner := &shaped{shapes: record.Shapes{"GET /": {3: 20}}, fails: true}
	s := newLoop(nil, &kept{})
	s.Runner = runner
	if _, err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, q := range runner.seen[1:] {
		if _, known := q.Spans["b"]; q.Plan.Variant == "otel" && (q.Begun.Roots != nil || q.Spans["a"].Low != 3 || known) {
			t.Errorf("%s is told of %+v, and of the spans %v", q.Name, q.Begun, q.Spans)
		}
	}
}

// script is a Runner that makes nothing; fail and stop say what goes wrong, and
// does and warms what pilots find.
type script struct {
	made    []string
	starts  []int // how many were made before each step
	seen    []run.Request
	fail    func(name string) bool
	stop    func(n int) bool
	does    func(variant, operation string) record.Search
	drained time.Duration // of calibrations
	warms   func(variant, operation string) []record.Slice
	change  func(q run.Request, r *record.Record) // what else a run leaves

	elsewhere string // the variant that sends spans elsewhere
}

var errInterrupted = errors.New("interrupted")

func (s *script) Run(_ context.Context, q run.Request) (record.Record, error) {
	if s.stop != nil && s.stop(len(s.made)) {
		return record.Record{}, errInterrupted
	}
	s.starts = append(s.starts, len(s.made))
	s.made = append(s.made, q.Name)
	s.seen = append(s.seen, q)
	return s.record(q), nil
}

func (s *script) record(q run.Request) record.Record {
	r := record.Record{Kind: q.Kind, Variant: q.Plan.Variant}
	if s.fail != nil && s.fail(q.Name) {
		r.Failure = &record.Failure{Stage: "start", Message: "it broke"}
	}
	if s.elsewhere == r.Variant {
		r.Elsewhere = []record.Elsewhere{{Process: "app", To: []string{"127.0.0.1:4318"}}}
	}
	for _, p := range q.Phases {
		phase := record.Phase{Operation: p.Operation.Name, Parameter: p.Parameter, OfferedRate: p.Load.Rate}
		if q.Kind == record.Calibration {
			phase.Quiet, phase.Load.Started, phase.Load.Completed = true, 20, 20
			phase.DrainSeconds = s.drained.Seconds()
			phase.Sink = record.Counts{Spans: 41, Duplicate: 1, Merged: 15, Suppressed: 5} // of 60 the sink was told
		}
		if p.Watched > 0 && s.warms != nil {
			phase.Progress = s.warms(q.Plan.Variant, phase.Operation)
		}
		if q.Kind == record.Pilot && p.Watched == 0 && s.does != nil {
			found := s.does(q.Plan.Variant, phase.Operation)
			phase.Capacity = &found
		}
		r.Phases = append(r.Phases, phase)
	}
	if s.change != nil {
		s.change(q, &r)
	}
	return r
}

// blocks is a script that can make runs together.
type blocks struct{ script }

func (d *blocks) Block(_ context.Context, requests []run.Request) ([]record.Record, error) {
	if d.stop != nil && d.stop(len(d.made)) {
		return nil, errInterrupted
	}
	d.starts = append(d.starts, len(d.made))
	var out []record.Record
	for _, q := range requests {
		d.made = append(d.made, q.Name)
		d.seen = append(d.seen, q)
		out = append(out, d.record(q))
	}
	return out, nil
}

// kept is a Keeper in memory that can refuse.
type kept struct {
	records []record.Record
	full    bool
	room    int // if above 0, for so many records
}

func (k *kept) Append(r record.Record) error {
	if k.full || k.room > 0 && len(k.records) == k.room {
		return errors.New("no space left")
	}
	k.records = append(k.records, r)
	return nil
}

func newLoop(r Runner, k Keeper) *Loop {
	exporting := program.Process{Name: "app", Env: map[string]string{"ENDPOINT": "{sink.otlp.grpc}"}}
	plan := func(name string, processes ...program.Process) *config.Plan {
		return &config.Plan{
			Variant: name, Processes: processes, Sampling: 1,
			Operations: []program.Operation{{Name: "a", URL: "/filled-in"}, {Name: "b", URL: "/filled-in"}},
		}
	}
	return &Loop{
		Experiment: &config.Experiment{
			Workload:   &program.Workload{Name: "w"},
			Operations: []program.Operation{{Name: "a", URL: "/${env:A}"}, {Name: "b", URL: "/${env:B}"}},
			Load:       config.Load{Duration: time.Second},
			Design:     config.Design{Blocks: 3, Seed: 1},
		},
		Variants: []Prepared{
			{Variant: config.Variant{Name: "none"}, Plan: plan("none"), Calibration: plan("none")},
			{Variant: config.Variant{Name: "otel"}, Plan: plan("otel", exporting), Calibration: plan("otel", exporting)},
		},
		Runner: r, Keeper: k,
	}
}

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
		"a variant":    {"otel", []string{"calibration-none-1", "calibration-otel-1", "calibration-otel-2"}, 0, "nothing was measured: only the baseline none can run: otel: start: it broke"},
		"the baseline": {"none", []string{"calibration-none-1", "calibration-none-2"}, 0, "the baseline none failed again and again: start: it broke"},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &script{fail: func(n string) bool { return test.wrong != "" && strings.HasPrefix(n, "calibration-"+test.wrong) }}
			s := newLoop(runner, &kept{})
			for i := range s.Variants {
				s.Variants[i].Plan.Verify = []string{"check"}
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
	declared := map[string]program.Number{"call": {Low: 10, High: 10}}
	for name, test := range map[string]struct {
		change func(*config.Experiment, *config.Plan)
		want   bool
	}{
		"quick":        {func(*config.Experiment, *config.Plan) {}, false},
		"not quick":    {func(e *config.Experiment, _ *config.Plan) { e.Design.Quick = false }, true},
		"requests":     {func(_ *config.Experiment, p *config.Plan) { p.Driver = program.Requests }, true},
		"a buffer":     {func(_ *config.Experiment, p *config.Plan) { p.Buffers = 1000 }, true},
		"other depths": {func(e *config.Experiment, _ *config.Plan) { e.Load.Depths = []int{2, 4} }, true},
		"not declared": {func(_ *config.Experiment, p *config.Plan) { p.Spans = nil }, true},
		"one of two not declared": {func(e *config.Experiment, _ *config.Plan) {
			e.Operations = append(e.Operations, program.Operation{Name: "b"})
		}, true},
		"exports nothing": {func(e *config.Experiment, p *config.Plan) { e.Design.Quick, p.Processes = false, nil }, false},
	} {
		e := &config.Experiment{Operations: []program.Operation{{Name: "call"}}, Design: config.Design{Quick: true}}
		p := &config.Plan{Driver: program.SelfDriving, Spans: declared, Processes: []program.Process{{Env: map[string]string{"TO": "{sink.otlp.grpc}"}}}}
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

// Variants have their load at once as those did before that lived together. Of others nobody knows yet whether there is room, and
// where one group had none, blocks are in turn.
func TestAtOnce(t *testing.T) {
	made := func(variant string, with []string, windows int, failed bool) record.Record {
		p := record.Phase{Operation: "a", Parameter: map[string]string{"rate": "100/s"}, Timed: &record.Timed{}, Windows: make([]record.Window, windows)}
		r := record.Record{Kind: record.Measured, Variant: variant, Phases: []record.Phase{p}, Harness: record.Harness{With: with}}
		if failed {
			r.Failure = &record.Failure{}
		}
		return r
	}
	for name, test := range map[string]struct {
		history   []record.Record
		operation string
		want      run.AtOnce
	}{
		"the first block":        {nil, "a", run.IfRoom},
		"at once before":         {[]record.Record{made("none", []string{"otel"}, 0, false)}, "a", run.Always},
		"in another order":       {[]record.Record{made("otel", []string{"none"}, 0, false)}, "a", run.Always},
		"in turn before":         {[]record.Record{made("none", []string{"otel"}, 2, false)}, "a", run.InTurn},
		"another operation":      {[]record.Record{made("none", []string{"otel"}, 0, false)}, "b", run.IfRoom},
		"it failed":              {[]record.Record{made("none", []string{"otel"}, 0, true)}, "a", run.IfRoom},
		"another group":          {[]record.Record{made("none", []string{"dear"}, 0, false)}, "a", run.IfRoom},
		"more lived together":    {[]record.Record{made("none", []string{"dear", "otel"}, 0, false)}, "a", run.IfRoom},
		"another had no room":    {[]record.Record{made("none", []string{"dear"}, 2, false)}, "a", run.InTurn},
		"and this one had, once": {[]record.Record{made("none", []string{"otel"}, 0, false), made("dear", []string{"none"}, 2, false)}, "a", run.InTurn},
	} {
		loop := &Loop{history: test.history}
		phase := run.PhaseRequest{Operation: program.Operation{Name: test.operation}, Parameter: map[string]string{"rate": "100/s"}}
		if got := loop.atOnce([]design.Run{{Variant: "otel"}, {Variant: "none"}}, phase); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
