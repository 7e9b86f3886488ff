package analysis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// warmingUp is the pilot of a variant whose operation costs a third less from a slice on,
// of so many.
func warmingUp(variant string, at, slices int) record.Record {
	r := record.Record{Kind: record.Pilot, Purpose: record.ForWarmup, Variant: variant, Phases: []record.Phase{{Operation: "json"}}}
	for i := range slices {
		cpu := 0.100 + 0.001*float64(i*7919%13-6)
		if i < at {
			cpu *= 1.5
		}
		r.Phases[0].Progress = append(r.Phases[0].Progress, record.Slice{AskedSeconds: 0.5, WallSeconds: 0.5, Operations: 250, CPUSeconds: cpu})
	}
	return r
}

func TestWarmupText(t *testing.T) {
	for want, pilots := range map[string][]record.Record{
		"9.00 s, found in a pilot: the longest, of otel on json":                        {warmingUp("none", 2, 80), warmingUp("otel", 18, 80)},
		"1.00 s, as pilots found every variant steady by then":                          {warmingUp("none", 0, 80), warmingUp("otel", 1, 80)},
		"30.0 s, the most that was allowed: in a pilot none did not get steady on json": {warmingUp("none", 70, 80), warmingUp("otel", 18, 80)},
		"": nil,
	} {
		s := twoVariants()
		s.extra, s.design = pilots, func(e *config.Experiment) { e.Load.WarmupMost = 30 * time.Second }
		doc := analyse(t, s.input())
		if doc.Experiment.Warmup != want {
			t.Errorf("%q, want %q", doc.Experiment.Warmup, want)
		}
		if warned(doc, "never-steady") != strings.Contains(want, "did not get") {
			t.Errorf("%q: warnings %+v", want, doc.Warnings)
		}
	}
}

// A pilot says nothing where the warm-up was given.
func TestWarmupGiven(t *testing.T) {
	s := twoVariants()
	s.extra = []record.Record{warmingUp("otel", 70, 80)}
	if doc := analyse(t, s.input()); doc.Experiment.Warmup != "" || warned(doc, "never-steady") || warned(doc, "pilot") {
		t.Errorf("%q, %+v", doc.Experiment.Warmup, doc.Warnings)
	}
}
