// Workloads that make their operations themselves, unthrottled.

package analysis_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

// agents are two that deliver every span, and one that is cheap because it does not.
var agents = map[string]call{
	"kieker": {perCall: 300e-9, perSpan: 90e-9},
	"otel":   {perCall: 900e-9, perSpan: 315e-9},
	"scout":  {perCall: 100e-9, perSpan: 5e-9, lost: 0.9},
}

func TestCallsInSaturation(t *testing.T) {
	doc := analyse(t, calls(agents, 10).input())
	for metric, want := range map[string]float64{
		"time_per_call": 200e-9 + 900e-9 + 3150e-9, "time_per_call_p50": 4.25e-6, "cpu_per_operation": 4.25e-6*0.9 + 0.3*3.15e-6,
		"blocked_time": 0.1 * 4.25e-6, "allocation_per_operation": 500, "gc_count": 40, "gc_time": 20e-9, "heap_peak": 300e6, "heap_live": 300e6,
		"throughput": 1 / 4.25e-6, "delivered_share": 1, "delivered_rate": 10 / 4.25e-6,
	} {
		if f := get(t, doc, "json", "otel", metric); math.Abs(f.Value/want-1) > 0.04 {
			t.Errorf("%s is %g, want %g", metric, f.Value, want)
		}
	}
	if f := get(t, doc, "json", "otel", "time_per_call"); !f.Headline || f.Verdict.Kind != finding.Costs || !strings.Contains(f.Note, "saturation") || f.Relative == nil {
		t.Errorf("%+v", f)
	}
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Headline {
		t.Error("two headlines")
	}
	for _, name := range []string{"latency_p50", "time_per_call_p999"} {
		if f, has := look(doc, "json", "otel", "none", name, ""); has {
			t.Errorf("%+v", f)
		}
	}
	if warned(doc, "spoiled-blocks") || warned(doc, "spoiled-kept") || warned(doc, "generator-late") {
		t.Errorf("the program's own lateness is held against the harness: %+v", doc.Warnings)
	}
	if len(doc.Curves) != 4 {
		t.Errorf("%d curves", len(doc.Curves))
	}
}

// Rule 10: who loses spans is no cheap agent.
func TestLossyAgentsAreListedApart(t *testing.T) {
	doc := analyse(t, calls(agents, 10).input())
	if len(doc.Lossy) != 1 {
		t.Fatalf("%+v", doc.Lossy)
	}
	l := doc.Lossy[0]
	if l.Variant != "scout" || math.Abs(l.LostShare-0.9) > 1e-6 || len(l.Where) != 1 || l.Where[0].Place != finding.LostInQueue || l.Text != "90.0 % of the spans lost: 90.0 % in the tracer's queue" {
		t.Errorf("%+v", l)
	}
	if _, has := look(doc, "json", "scout", "none", "cpu_per_span", ""); has {
		t.Error("a quotient per span of an agent that throws spans away")
	}
	if f := get(t, doc, "json", "otel", "cpu_per_span"); math.Abs(f.Value/((4.25e-6-0.2e-6)*0.9+0.3*3.15e-6)*10-1) > 0.06 {
		t.Errorf("%g per span", f.Value)
	}
	if f := get(t, doc, "json", "scout", "time_per_call"); !tells(f.Notes, finding.NoteLossy) {
		t.Error(f.Note)
	} else if note, _ := told(f.Notes, finding.NoteLossy); math.Abs(note.Figure("share")-0.9) > 1e-9 || note.Variant != "scout" {
		t.Errorf("%+v", note)
	}
	if f := get(t, doc, "json", "otel", "time_per_call"); !f.Headline || math.Abs(f.Absolute.Estimate/4.05e-6-1) > 0.02 {
		t.Errorf("%+v", f.Absolute)
	}
}

// Just above and below what may be lost.
func TestOnePercentMayBeLost(t *testing.T) {
	for lost, apart := range map[float64]bool{0.0099: false, 0.0101: true} {
		doc := analyse(t, calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9, lost: lost}}, 10).input())
		_, has := look(doc, "json", "otel", "none", "cpu_per_span", "")
		if has == apart || (len(doc.Lossy) == 1) != apart {
			t.Errorf("%g lost: per span %v, %+v", lost, has, doc.Lossy)
		}
	}
}

func TestWhatAStudyPublishedGoesWithTheFindings(t *testing.T) {
	s := twoVariants()
	below := 0.0
	s.design = func(e *config.Experiment) {
		e.Published = []config.Published{
			{Source: "a study", Workload: "hello/go", Operation: "json", Variant: "none", Metric: "throughput", Value: 390},
			{Source: "a study", Workload: "other/go", Operation: "json", Variant: "none", Metric: "throughput", Value: 1},
			{Source: "a study", Operation: "json", Variant: "otel", Metric: "throughput", Value: 245, Spread: 3, Note: "raw"},
		}
		e.Claims = []config.Claim{{Name: "MF1", Metric: "throughput", Of: "cost", Below: &below}}
	}
	in := s.input()
	in.LeftOut = []finding.LeftOut{{Variant: "inspectit", Reason: "its artefacts cannot be had"}}
	doc := analyse(t, in)
	if p := doc.Experiment.Published; len(p) != 2 || p[1].Value != 245 || p[1].Note != "raw" {
		t.Errorf("%+v", p)
	}
	if c := doc.Experiment.Claims; len(c) != 1 || c[0].Name != "MF1" || *c[0].Below != 0 {
		t.Errorf("%+v", c)
	}
	if l := doc.Experiment.LeftOut; len(l) != 1 || !warned(doc, "variant-left-out") {
		t.Errorf("%+v %+v", l, doc.Warnings)
	}
}
