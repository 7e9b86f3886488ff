package analysis_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// answering gives every run answers of which such a share has status 500, by chance.
func answering(s *scene, share func(r *record.Record, chance *rand.Rand) float64) {
	chance := rand.New(rand.NewPCG(s.seed, 11))
	s.change = func(r *record.Record) {
		of, n := share(r, chance), uint64(0)
		for range r.Phases[0].Load.Completed {
			if chance.Float64() < of {
				n++
			}
		}
		r.Phases[0].Load.Answers = map[int]uint64{200: r.Phases[0].Load.Completed - n, 500: n}
	}
}

// bodied gives every run bodies of such a mean size.
func bodied(s *scene, size func(r *record.Record, chance *rand.Rand) float64) {
	chance := rand.New(rand.NewPCG(s.seed, 12))
	s.change = func(r *record.Record) {
		r.Phases[0].Load.BodyBytes = uint64(size(r, chance) * float64(r.Phases[0].Load.Completed))
	}
}

func either(otel, none float64) func(*record.Record, *rand.Rand) float64 {
	return func(r *record.Record, _ *rand.Rand) float64 {
		if r.Variant == "otel" {
			return otel
		}
		return none
	}
}

// A variant that answers otherwise does other work: there is no verdict on what it costs.
func TestNoVerdictOnOtherWork(t *testing.T) {
	tests := map[string]struct {
		by   func(*scene)
		code finding.Code
	}{
		"quick errors":          {func(s *scene) { answering(s, either(0.6, 0)) }, finding.WhyAnswers},
		"a little more":         {func(s *scene) { answering(s, either(0.11, 0.1)) }, finding.WhyAnswers},
		"the same by chance":    {func(s *scene) { answering(s, either(0.1, 0.1)) }, ""},
		"too little to matter":  {func(s *scene) { answering(s, either(0.0008, 0)) }, ""},
		"larger bodies":         {func(s *scene) { bodied(s, either(1020, 1000)) }, finding.WhyBodies},
		"hardly larger bodies":  {func(s *scene) { bodied(s, either(1005, 1000)) }, ""},
		"no bodies on one side": {func(s *scene) { bodied(s, either(0, 1000)) }, finding.WhyBodies},
		"bodies that vary alike": {func(s *scene) {
			bodied(s, func(_ *record.Record, r *rand.Rand) float64 { return 1000 + 300*r.Float64() })
		}, ""},
	}
	for name, test := range tests {
		s := twoVariants()
		s.noise, s.budget = 0.003, []config.Limit{{Metric: metric.MemoryPeak, Value: 0.5}}
		test.by(&s)
		doc := analyse(t, s.input())
		if warned(doc, "answers-differ") != (test.code != "") {
			t.Errorf("%s: warnings %+v", name, doc.Warnings)
		}
		seen := 0
		for _, f := range doc.Findings {
			if f.Variant != "otel" || f.Metric != metric.CPUPerOperation && f.Metric != metric.MemoryPeak || f.Role != "" {
				continue
			}
			seen++
			if (f.Verdict.Kind == finding.CannotTell) != (test.code != "") || test.code != "" && f.Verdict.Reason().Code != test.code {
				t.Errorf("%s: %s: verdict %+v", name, f.Metric, f.Verdict)
			}
		}
		if seen != 2 {
			t.Errorf("%s: %d findings", name, seen)
		}
	}
}

// Figures without a verdict have it beside them.
func TestOtherWorkBesideFigures(t *testing.T) {
	s := twoVariants()
	s.blocks, s.quick = 2, true
	answering(&s, either(0.6, 0))
	doc := analyse(t, s.input())
	if !warned(doc, "answers-differ") {
		t.Errorf("warnings %+v", doc.Warnings)
	}
	for _, f := range doc.Findings {
		if f.Metric == metric.CPUPerOperation && f.Variant == "otel" && f.Role == "" && (len(f.Notes) == 0 || f.Notes[0].Code != finding.WhyAnswers) {
			t.Errorf("notes %+v", f.Notes)
		}
	}
}

// Where every run has a share of its own, as of a program that fails in bursts, two variants of the same kind are seldom
// told apart, and never by the counts alone.
func TestBurstsAreNoOtherWork(t *testing.T) {
	const experiments = 150
	for name, most := range map[string]int{"none": experiments * 5 / 100, "bursts": experiments * 10 / 100} {
		alarms := 0
		for seed := range uint64(experiments) {
			s := twoVariants()
			s.seed, s.rate = seed+1, 100
			answering(&s, func(_ *record.Record, r *rand.Rand) float64 {
				if name == "none" {
					return 0.2
				}
				return 0.4 * r.Float64()
			})
			if warned(analyse(t, s.input()), "answers-differ") {
				alarms++
			}
		}
		t.Logf("%s: %d alarms of %d", name, alarms, experiments)
		if alarms > most {
			t.Errorf("%s: %d alarms of %d, want %d at most", name, alarms, experiments, most)
		}
	}
}
