// Spans: what is meant to be delivered, and what a calibration tells.

package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

func TestSilentVariant(t *testing.T) {
	s := twoVariants()
	s.plan = func(p *config.Plan) { p.Silent = true }
	s.change = func(r *record.Record) { r.Phases[0].Sink = record.Counts{Checking: true} }
	doc := analyse(t, s.input())
	for _, metric := range []string{"delivered_share", "cpu_per_span", "export_bytes_per_operation"} {
		if f, ok := look(doc, "json", "otel", "none", metric, ""); ok {
			t.Errorf("%s of a variant that is meant to deliver nothing: %+v", metric, f)
		}
	}
	if last := doc.Ledgers[1]; last.Outcome[0].Code != finding.PageNotExported || last.LostMost != 0 || len(doc.Lossy) > 0 {
		t.Errorf("%+v; lost %+v", last, doc.Lossy)
	}
}

// Calibrations tell what is not declared, also of another variant of the tracer;
// they enter no estimate.
func TestCalibration(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "half", tracer: "otel-go", adds: 10e-6, spans: 3})
	s.plan = func(p *config.Plan) { p.Spans = nil }
	in := s.input()
	calibration := in.Records[1]
	calibration.Kind, calibration.Block = record.Calibration, 0
	in.Records = append(in.Records, calibration)
	doc := analyse(t, in)
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Blocks != 10 {
		t.Errorf("%d blocks", f.Blocks)
	}
	for _, l := range doc.Ledgers {
		if l.Variant != "none" && (l.Entries[0].How != "inferred" || l.Outcome[0].Code != finding.PageNothingLost || !l.Exact) {
			t.Errorf("%+v", l)
		}
	}
}

// A tracer whose requests reach the sink tells how many it makes; through a hop they are the hop's.
func TestExportRequests(t *testing.T) {
	s := twoVariants()
	s.change = func(r *record.Record) { r.Phases[0].Sink.Requests = r.Phases[0].Load.Started / 4 }
	if f := get(t, analyse(t, s.input()), "json", "otel", "export_requests_per_operation"); f.Value != 0.25 || f.Verdict.Kind != "" {
		t.Errorf("%+v, want 0.25 requests an operation, without a verdict", f)
	}
	s.change = func(r *record.Record) {
		r.Phases[0].Sink.Requests = r.Phases[0].Load.Started / 4
		if r.Variant == "otel" {
			r.Hops = []record.Hop{{Name: "collector"}}
		}
	}
	if f, ok := look(analyse(t, s.input()), "json", "otel", "none", "export_requests_per_operation", ""); ok {
		t.Errorf("requests of a hop are shown as the tracer's: %+v", f)
	}
}
