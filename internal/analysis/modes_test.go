// Runs that fall into modes.

package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

func TestModes(t *testing.T) {
	s := twoVariants()
	s.blocks, s.noise = 12, 0.003
	s.change = func(r *record.Record) {
		if r.Variant == "otel" && r.Block%2 == 0 {
			r.Phases[0].Usage[0].CPUSeconds *= 2
		}
	}
	doc := analyse(t, s.input())
	v := get(t, doc, "json", "otel", "cpu_per_operation").Verdict
	if v.Kind != finding.CannotTell || v.Reason().Code != finding.WhyModes || v.Reason().Figure("share") != 0.5 || !warned(doc, "modes") {
		t.Errorf("%+v", v)
	}
}

// Bytes that differ by a few in a thousand from run to run are no modes, also
// beside a baseline that sends none.
func TestModesThatDoNotMatter(t *testing.T) {
	s := twoVariants()
	s.blocks = 12
	s.change = func(r *record.Record) {
		if r.Variant == "otel" {
			r.Phases[0].Sink.Bytes += uint64(r.Block%2)*10000 + uint64(r.Block)*7
		}
	}
	if v := get(t, analyse(t, s.input()), "json", "otel", "export_bytes_per_operation").Verdict; v.Kind != finding.Costs {
		t.Errorf("%+v", v)
	}
}

// Modes that lie nearer to each other than to no difference are a cost, or a saving, in each
// of them; others are not one. A budget is kept in modes, or broken, where it is in each of them.
func TestModesOfOneSign(t *testing.T) {
	for name, test := range map[string]struct {
		low, high float64 // CPU of the even blocks and of the odd ones, as a factor
		budget    float64 // 0: none
		want      finding.Kind
	}{
		"costs in both":                 {10, 15, 0, finding.Costs},
		"saves in both":                 {0.1, 0.15, 0, finding.Saves},
		"costs nothing or more":         {1, 1.5, 0, finding.CannotTell},
		"costs a little, or twice":      {1.5, 4, 0, finding.CannotTell},
		"over its budget in both":       {10, 15, 0.03, finding.Over},
		"within its budget in both":     {1.1, 1.5, 1.1, finding.Within},
		"saves, so within in both":      {0.1, 0.15, 0.03, finding.Within},
		"over in one, within in one":    {1.01, 1.5, 0.1, finding.CannotTell},
		"costs in both, over in one":    {4, 6, 4, finding.CannotTell},
		"over in both, hardly in one":   {1.1, 1.5, 0.08, finding.CannotTell},
		"within in both, hardly in one": {1.1, 1.5, 0.55, finding.CannotTell},
	} {
		s := twoVariants()
		s.blocks, s.noise = 12, 0.003
		s.variants[1].adds = 0
		if test.budget > 0 {
			s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: test.budget}}
		}
		s.change = func(r *record.Record) {
			if r.Variant == "otel" {
				r.Phases[0].Usage[0].CPUSeconds *= []float64{test.low, test.high}[r.Block%2]
			}
		}
		doc := analyse(t, s.input())
		f := get(t, doc, "json", "otel", "cpu_per_operation")
		if f.Verdict.Kind != test.want || !tells(f.Verdict.Reasons, finding.WhyModes) || !warned(doc, "modes") {
			t.Errorf("%s: %+v, warned of modes: %v", name, f.Verdict, warned(doc, "modes"))
		}
	}
}

// Over few blocks the signs of all claims together tell it.
func TestModesOfOneSignJointly(t *testing.T) {
	for factor, want := range map[float64]finding.Kind{1.5: finding.Costs, 30: finding.CannotTell} {
		s := manyClaims(8, 0.001)
		s.change = func(r *record.Record) {
			if r.Variant == "otel" {
				r.Phases[0].Usage[0].CPUSeconds *= []float64{10, 10 * factor}[r.Block%2]
			}
		}
		doc := analyse(t, s.input())
		v := get(t, doc, "op0", "otel", "cpu_per_operation").Verdict
		if v.Kind != want || v.Joint != (want == finding.Costs) || !warned(doc, "modes") {
			t.Errorf("modes %g times apart: %+v, warned of modes: %v", factor, v, warned(doc, "modes"))
		}
	}
}
