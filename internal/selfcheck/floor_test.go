package selfcheck

import (
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// again is a metric of the same program twice, off by −off to +off.
func again(blocks int, off float64) *finding.Document {
	f := finding.Finding{Operation: "json", Variant: Again, Against: "none", Metric: "cpu_per_operation", Unit: "s"}
	for i := range blocks {
		d := off * (2*float64(i)/float64(max(1, blocks-1)) - 1)
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

// The table of docs/statistics.md: how often a change is found in each order, by the noise that is usual there.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		order  config.Order
		change float64
		found  [2]float64 // %, in 8 and in 12 blocks
	}{
		{config.Windows, 0.02, [2]float64{60, 84}}, {config.Windows, 0.05, [2]float64{100, 100}},
		{config.Paired, 0.02, [2]float64{84, 98}}, {config.Paired, 0.05, [2]float64{100, 100}},
		{config.Apart, 0.02, [2]float64{6, 8}}, {config.Apart, 0.05, [2]float64{19, 29}},
	} {
		n := UsualNoise(c.order)
		for i, blocks := range []int{8, 12} {
			got := 100 * stats.Found(blocks, n.Deviation, math.Log1p(c.change))
			tells, _ := n.Tell(blocks)
			t.Logf("%s, %d blocks that differ by %g %%: a change of %g %% is found in %.0f %% of cases; in 80 %% one of %.1f %%; half-width %.1f %%",
				c.order, blocks, 100*n.Deviation, 100*c.change, got, 100*tells.Findable, 100*tells.HalfWidth)
			if math.Abs(got-c.found[i]) > 1 {
				t.Errorf("%s, %d blocks: %g %% is found in %.1f %% of cases, and docs/statistics.md says %g", c.order, blocks, 100*c.change, got, c.found[i])
			}
		}
	}
}

func TestNoiseOf(t *testing.T) {
	doc := again(12, 0.04)
	doc.Findings[0].Scatter = &finding.Scatter{Blocks: 0.026, Rounds: 0.05, Windows: 8, FromRounds: 0.46}
	n, ok := NoiseOf(doc, config.Windows, 800*time.Millisecond)
	if want := 0.04 * math.Sqrt(52.0/121); !ok || n.Order != config.Windows || n.Seconds != 0.8 || n.Blocks != 12 || math.Abs(n.Deviation-want) > 1e-9 || n.Scatter == nil || len(n.Tells) != 3 {
		t.Fatalf("%+v, want a deviation of %g", n, want)
	}
	for i, one := range n.Tells {
		if one.Blocks != tellBlocks[i] || one.HalfWidth <= 0 || one.Findable <= one.HalfWidth || i > 0 && one.Findable >= n.Tells[i-1].Findable {
			t.Errorf("%+v after %+v: more blocks tell more, and what is found mostly is above the half-width", one, n.Tells[:i])
		}
	}
	if short := UsualNoise(config.Paired).Over(usualSeconds / 4.0); math.Abs(short.Deviation-0.03) > 1e-9 || short.Seconds != usualSeconds/4.0 {
		t.Errorf("a quarter of the load: %+v, want twice the deviation", short)
	}
	for _, same := range []Noise{UsualNoise(config.Paired).Over(100), UsualNoise(config.Windows).Over(0.1)} {
		if same.Deviation != UsualNoise(same.Order).Deviation {
			t.Errorf("%+v: longer load and windows are as noisy as usual", same)
		}
	}
	if _, ok := NoiseOf(again(1, 0), config.Apart, time.Second); ok {
		t.Error("one block has a noise")
	}
	if _, ok := UsualNoise(config.Windows).Tell(5); ok {
		t.Error("five blocks tell something")
	}
}
