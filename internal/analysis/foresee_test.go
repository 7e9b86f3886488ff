package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// What is foreseen is what the verdicts are corrected for afterwards, and with as many blocks as
// are needed there are corrected intervals, with one less there are none.
func TestForesee(t *testing.T) {
	budgeted := func(s scene, metrics ...string) scene {
		for _, m := range metrics {
			s.budget = append(s.budget, config.Limit{Metric: m, Value: 0.5})
		}
		return s
	}
	against := manyClaims(12, 0.01)
	against.variants[2].against = "otel"
	stopping := manyClaims(12, 0.01)
	stopping.design = func(e *config.Experiment) {
		e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = 8, 30, 0.0001, metric.CPUPerOperation
	}
	levels := connections(0.005, 8, 1, 2, 8)
	if len(levels.variants) != 2 {
		t.Fatal("the scene has other variants")
	}
	for name, c := range map[string]struct {
		scene             scene
		headline, budgets int
	}{
		"one variant":                   {twoVariants(), 1, 0},
		"two variants, four operations": {manyClaims(12, 0.01), 8, 0},
		"compared with each other":      {against, 12, 0},
		"budgets":                       {budgeted(manyClaims(12, 0.01), metric.CPUPerOperation, "memory_peak", "startup_time", metric.LostShare), 0, 12},
		"a precision to stop at":        {stopping, 8, 0},
		"a search":                      {capacities(map[string]float64{"none": 2450, "otel": 1520}), 1, 0},
		"levels":                        {levels, 3, 0},
		"a line over depth":             {calls(map[string]call{"kieker": {perSpan: 300e-9}, "otel": {perSpan: 200e-9}}, 2, 4, 8, 16), 2, 0},
		"a line, and a budget":          {budgeted(calls(map[string]call{"kieker": {perSpan: 300e-9}}, 2, 4, 8, 16), metric.TimePerCall), 1, 4},
	} {
		t.Run(name, func(t *testing.T) {
			headline, budgets := analysis.Foresee(c.scene.input().Experiment)
			if headline.Claims != c.headline || budgets.Claims != c.budgets {
				t.Fatalf("foreseen are %d claims of the headline and %d on budgets, want %d and %d", headline.Claims, budgets.Claims, c.headline, c.budgets)
			}
			for _, o := range []analysis.Outlook{headline, budgets} {
				if o.Claims == 0 {
					continue
				}
				for _, blocks := range []int{o.Needs, o.Needs - 1} {
					s := c.scene
					s.blocks = blocks
					in := s.input()
					seen := 0
					for _, f := range analyse(t, in).Findings {
						v := f.Verdict
						of := v.Budget != nil
						if of != (o == budgets) || !of && f.Metric != o.Metric || f.Role != "" || f.Metric == metric.DeliveredShare || v.Kind == "" && v.Claims == 0 {
							continue
						}
						seen++
						enough := v.Low != nil && !v.Joint
						if blocks >= stats.MinBlocks(0.95) && v.Claims != o.Claims || enough != (blocks == o.Needs) {
							t.Errorf("%d blocks, %s of %s on %s: %+v; foreseen %+v", blocks, f.Metric, f.Variant, f.Operation, v, o)
						}
					}
					if seen != o.Claims && blocks >= stats.MinBlocks(0.95) {
						t.Errorf("%d blocks: %d verdicts, want %d", blocks, seen, o.Claims)
					}
				}
			}
		})
	}
}

func TestForeseeShort(t *testing.T) {
	for name, c := range map[string]struct {
		blocks, most    int
		short, hopeless bool
		joint           bool
	}{
		"enough":                    {9, 0, false, false, true},
		"one less":                  {8, 0, true, true, true},
		"too few for any interval":  {5, 0, true, true, false},
		"may stop before there are": {8, 30, true, false, false},
		"cannot reach them":         {8, 9, true, true, false}, // a precision needs more for the same estimate.Confidence
	} {
		s := manyClaims(c.blocks, 0.01)
		s.design = func(e *config.Experiment) {
			if c.most > 0 {
				e.Design.Most, e.Design.Precision = c.most, 0.02
			}
		}
		headline, budgets := analysis.Foresee(s.input().Experiment)
		if headline.Short() != c.short || headline.Hopeless() != c.hopeless || headline.Joint != c.joint || budgets.Short() {
			t.Errorf("%s: %+v, budgets %+v", name, headline, budgets)
		}
	}
	if f := get(t, analyse(t, manyClaims(8, 0.01).input()), "op0", "free", metric.CPUPerOperation); f.Verdict.Kind != finding.CannotTell {
		t.Errorf("with one block less: %+v", f.Verdict)
	}
}
