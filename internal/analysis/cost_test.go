// What a cost is, and when it is found.

package analysis_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

func TestAddedCPUIsFound(t *testing.T) {
	doc := analyse(t, twoVariants().input())
	f := get(t, doc, "json", "otel", "cpu_per_operation")
	if f.Absolute.Low == nil || *f.Absolute.Low > 30e-6 || *f.Absolute.High < 30e-6 {
		t.Errorf("30 µs are outside %s", finding.FormatInterval(*f.Absolute, f.Unit, false))
	}
	if *f.Relative.Low > 0.6 || *f.Relative.High < 0.6 {
		t.Errorf("60 %% are outside %s", finding.FormatInterval(*f.Relative, f.Unit, true))
	}
	if f.Verdict.Kind != finding.Costs || !f.Headline || f.Blocks != 10 || len(f.Samples) != 10 {
		t.Errorf("finding %+v", f)
	}
	if math.Abs(f.Baseline-50e-6) > 5e-6 {
		t.Errorf("baseline %v, want about 50 µs", f.Baseline)
	}
	app, _ := look(doc, "json", "otel", "none", "cpu_per_operation", "app")
	if app.Headline || app.Value != f.Value {
		t.Errorf("app alone %v, everything %v: load and sink must not be charged", app.Value, f.Value)
	}
	if sink, ok := look(doc, "json", "otel", "none", "cpu_per_operation", "sink"); !ok || sink.Verdict.Kind != finding.None || sink.Relative != nil {
		t.Errorf("the sink is shown apart, without verdict, absolute only: %+v", sink)
	}
}

func TestTheSameTwiceCostsNothing(t *testing.T) {
	s := twoVariants()
	s.variants[1] = actor{name: "again", tracer: "none"}
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "again", "cpu_per_operation"); f.Verdict.Kind != finding.NoDifference || *f.Verdict.Bound > 0.05 {
		t.Errorf("verdict %+v", f.Verdict)
	}
	if _, ok := look(doc, "json", "again", "none", "export_bytes_per_operation", ""); ok {
		t.Error("a metric that is zero on both sides is shown")
	}
}

func TestAgainst(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "more", tracer: "otel-go", against: "otel", adds: 50e-6, spans: 5})
	doc := analyse(t, s.input())
	f, ok := look(doc, "json", "more", "otel", "cpu_per_operation", "")
	if !ok || f.Headline || *f.Absolute.Low > 20e-6 || *f.Absolute.High < 20e-6 {
		t.Errorf("20 µs over otel: %+v", f)
	}
	if f.Verdict.Claims != 3 {
		t.Errorf("%d claims, want 3", f.Verdict.Claims)
	}
}

func TestPerSpan(t *testing.T) {
	f := get(t, analyse(t, twoVariants().input()), "json", "otel", "cpu_per_span")
	if *f.Absolute.Low > 10e-6 || *f.Absolute.High < 10e-6 || f.Relative != nil {
		t.Errorf("30 µs over 3 spans: %+v", f.Absolute)
	}
	s := twoVariants()
	s.change = func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / 20 }
	if _, ok := look(analyse(t, s.input()), "json", "otel", "none", "cpu_per_span", ""); ok {
		t.Error("a cost per span although 5 % were lost")
	}
}

// Operations that failed may have made no spans: a span then costs what was added over those that were made for sure, to
// what was added over all.
func TestPerSpanWhereSomeMayNotBeMade(t *testing.T) {
	sure := get(t, analyse(t, twoVariants().input()), "json", "otel", "cpu_per_span")
	s := twoVariants()
	failing(2000, 6000)(&s)
	f := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_span")
	if *f.Absolute.High < 1.2**sure.Absolute.High || *f.Absolute.Low > *sure.Absolute.High {
		t.Errorf("%g to %g, and %g to %g where all were made", *f.Absolute.Low, *f.Absolute.High, *sure.Absolute.Low, *sure.Absolute.High)
	}
}

// A tracer that throws spans away looks cheap, and what is compared with it dear.
func TestPerSpanAgainstALossyTracer(t *testing.T) {
	for share, shown := range map[uint64]bool{1000000: true, 20: false} {
		s := twoVariants()
		s.variants = append(s.variants, actor{name: "more", tracer: "otel-go", against: "otel", adds: 50e-6, spans: 5})
		s.change = onlyRuns("otel", func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / share })
		doc := analyse(t, s.input())
		if _, ok := look(doc, "json", "more", "otel", "cpu_per_span", ""); ok != shown {
			t.Errorf("1 of %d spans of otel lost: a cost per span of more against it: %v", share, ok)
		}
		if _, ok := look(doc, "json", "more", "none", "cpu_per_span", ""); !ok {
			t.Error("none exports nothing, and loses nothing")
		}
	}
}

func TestHeadline(t *testing.T) {
	in := twoVariants().input()
	for n, want := range map[int]string{0: "", 1: "", 4: "CPU per operation otel: json +", 20: "CPU per operation otel: json +"} {
		got := analysis.Headline(in.Experiment, in.Records[:n])
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") || strings.Contains(got, "(") != (n == 20) {
			t.Errorf("after %d runs: %q", n, got)
		}
	}
}

// A tracer that keeps so many traces a time makes none to all of an operation's spans: the
// middle of that is no number to divide by.
func TestNoCostPerSpanOfARation(t *testing.T) {
	for low, want := range map[float64]bool{0: false, 3: true} {
		s := twoVariants()
		s.plan = func(p *config.Plan) {
			if p.Variant == "otel" {
				p.Spans["json"] = config.Number{Low: low, High: 3}
			}
		}
		if f, has := look(analyse(t, s.input()), "json", "otel", "none", "cpu_per_span", ""); has != want {
			t.Errorf("from %g to 3 spans: %v %g", low, has, f.Value)
		}
	}
}
