package experiment

import (
	"context"
	"errors"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// script is a Runner that makes nothing; fail and stop say what goes wrong, and
// does and warms what pilots find.
type script struct {
	made    []string
	starts  []int // how many were made before each step
	seen    []run.Request
	fail    func(name string) bool
	stop    func(n int) bool
	does    func(variant, operation string) record.Capacity
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
	exporting := config.Process{Name: "app", Env: map[string]string{"ENDPOINT": "{sink.otlp.grpc}"}}
	plan := func(name string, processes ...config.Process) *config.Plan {
		return &config.Plan{
			Variant: name, Processes: processes, Sampling: 1,
			Operations: []config.Operation{{Name: "a", URL: "/filled-in"}, {Name: "b", URL: "/filled-in"}},
		}
	}
	return &Loop{
		Experiment: &config.Experiment{
			Workload:   &config.Workload{Name: "w"},
			Operations: []config.Operation{{Name: "a", URL: "/${env:A}"}, {Name: "b", URL: "/${env:B}"}},
			Load:       config.Load{Duration: time.Second},
			Design:     config.Design{Blocks: 3, Seed: 1},
		},
		Cells: []Cell{
			{Variant: config.Variant{Name: "none"}, Plan: plan("none"), Calibration: plan("none")},
			{Variant: config.Variant{Name: "otel"}, Plan: plan("otel", exporting), Calibration: plan("otel", exporting)},
		},
		Runner: r, Keeper: k,
	}
}
