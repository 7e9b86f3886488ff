package experiment

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
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
		want   config.Number
		roots  []string
	}{
		"all alike":                   {record.Shapes{"GET /": {3: 20}}, config.Number{Low: 3, High: 3}, []string{"GET /"}},
		"a sum that is whole by luck": {record.Shapes{"GET /": {2: 1, 3: 18, 4: 1}}, config.Number{}, []string{"GET /"}},
		"beside a timer's":            {record.Shapes{"GET /": {3: 20}, "tick": {4: 5}}, config.Number{Low: 3, High: 3}, []string{"GET /"}},
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
