package selfcheck

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// again is a metric of the same program twice, off by −off to +off.
func again(blocks int, off float64) *finding.Document {
	f := finding.Finding{Operation: "json", Variant: Again, Against: "none", Metric: "cpu_per_operation", Unit: "s"}
	for i := range blocks {
		d := off * (2*float64(i)/float64(blocks-1) - 1)
		f.Samples = append(f.Samples, finding.Sample{Block: i + 1, Baseline: 100e-6, Value: 100e-6 * math.Exp(d)})
	}
	return &finding.Document{Experiment: finding.Experiment{Variants: []finding.Variant{{Name: "none"}}}, Findings: []finding.Finding{f}}
}

func TestFloors(t *testing.T) {
	floors := Floors(again(16, 0.04))
	if len(floors) != 1 {
		t.Fatalf("%d floors, want 1: only one metric was measured", len(floors))
	}
	f := floors[0]
	if f.Blocks != 16 || math.Abs(f.Typical-100e-6) > 3e-6 {
		t.Errorf("%+v", f)
	}
	if !(f.Many < f.Here && f.Here < f.Few) || f.Here < 0.005 || f.Here > 0.03 {
		t.Errorf("16 blocks %v, %d blocks %v, %d blocks %v: more blocks show more", f.Here, FewBlocks, f.Few, ManyBlocks, f.Many)
	}
	if ratio := math.Log1p(f.Few) / math.Log1p(f.Many); ratio < 1.7 || ratio > 2.2 { // √3 and what few blocks cost besides
		t.Errorf("%d blocks show %v times less than %d", FewBlocks, ratio, ManyBlocks)
	}
	if n := len(Floors(again(5, 0.04))); n != 0 {
		t.Errorf("%d floors of 5 blocks, which have no interval", n)
	}
	if n := len(Floors(nil)); n != 0 {
		t.Errorf("%d floors of nothing", n)
	}
}
