package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// of is a count with the spans of two services.
func of(app, backend uint64) record.Counts {
	c := ids(app+backend, 10)
	c.Services = map[string]uint64{"app": app, "backend": backend}
	return c
}

func calibrationOf(c record.Counts, operations uint64) record.Record {
	return record.Record{Kind: record.Calibration, Phases: []record.Phase{{
		Operation: "json", Quiet: true, Load: record.Load{Started: operations, Completed: operations}, Sink: c,
	}}}
}

// How many spans of each service an operation makes is learnt where all operations made as many.
func TestLearnByService(t *testing.T) {
	twice := of(20, 10)
	twice.Duplicate = 1
	for name, c := range map[string]struct {
		runs []record.Record
		want map[string]uint64
	}{
		"the same each time":     {[]record.Record{calibrationOf(of(20, 10), 10), calibrationOf(of(40, 20), 20)}, map[string]uint64{"app": 2, "backend": 1}},
		"not of every operation": {[]record.Record{calibrationOf(of(20, 9), 10)}, nil},
		"another time others":    {[]record.Record{calibrationOf(of(20, 10), 10), calibrationOf(of(10, 20), 10)}, nil},
		"some came twice":        {[]record.Record{calibrationOf(twice, 10)}, nil},
		"not said":               {[]record.Record{calibrationOf(ids(30, 10), 10)}, nil},
	} {
		if got := Learn(c.runs, 1, false)["json"].Services; !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Whose spans did not come is told where it is known how many each service makes.
func TestMissingByService(t *testing.T) {
	tracing := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Declared, Services: map[string]uint64{"app": 2, "backend": 1}}}}
	whole, less := phase("json", 10, of(20, 10)), phase("json", 10, of(20, 7))
	failing := phase("json", 10, of(20, 7))
	failing.Completed = 9
	stranger := phase("json", 10, of(20, 7))
	stranger.Sink.Services = map[string]uint64{"app": 20, "other": 7}
	for name, c := range map[string]struct {
		runs []Run
		want []finding.ServiceSpans
	}{
		"all came":                {[]Run{{Phases: []Stretch{whole}}}, nil},
		"of one, in one run":      {[]Run{{Phases: []Stretch{whole}}, {Phases: []Stretch{less}}}, []finding.ServiceSpans{{Service: "app", Expected: 40, Delivered: 40}, {Service: "backend", Expected: 20, Delivered: 17}}},
		"not sure of another run": {[]Run{{Phases: []Stretch{less}}, {Phases: []Stretch{failing}}}, nil},
		"a service that is new":   {[]Run{{Phases: []Stretch{stranger}}}, nil},
		"they came at the stop":   {[]Run{{Phases: []Stretch{less}, Stop: Stretch{Sink: of(0, 3)}}}, nil},
	} {
		for _, l := range Account("otel", AppToSink, []string{"json"}, tracing, c.runs) {
			if l.Operation == "json" && !cmp.Equal(l.Services, c.want) {
				t.Errorf("%s: %+v, want %+v", name, l.Services, c.want)
			}
		}
	}
}

// A calibration that lost spans says nothing of the traces that an operation makes: those that come later would be taken
// for other work.
func TestDeclareAfterALossyCalibration(t *testing.T) {
	learnt := PerOperation{Low: 1, High: 1, Traces: 1, How: Inferred, Roots: map[string]int{"GET /": 1}, Services: map[string]uint64{"app": 1}, Parents: true}
	if p := Declare(3, 3, learnt); p.Roots != nil || p.Services != nil || p.Parents || p.How != Declared || p.Low != 3 {
		t.Errorf("declared 3, made 1: %+v", p)
	}
	if p := Declare(0, 3, learnt); p.Roots == nil || p.Services == nil || !p.Parents || p.High != 3 {
		t.Errorf("declared up to 3, made 1: %+v", p)
	}
	if p := Declare(3, 3, PerOperation{}); p.Roots != nil || p.Low != 3 {
		t.Errorf("declared, and nothing learnt: %+v", p)
	}
}
