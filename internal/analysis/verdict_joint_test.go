package analysis_test

import (
	"fmt"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// manyClaims are two tracers on four operations in so many blocks: eight claims a
// metric, for which corrected intervals exist from nine blocks on. One of the tracers
// costs something, the other nothing.
func manyClaims(blocks int, noise float64) scene {
	s := twoVariants()
	s.blocks, s.noise = blocks, noise
	s.order, s.operations = nil, map[string]float64{}
	for i := range 4 {
		name := fmt.Sprintf("op%d", i)
		s.order, s.operations[name] = append(s.order, name), 50e-6
	}
	s.variants = append(s.variants, actor{name: "free", tracer: "otel-go", spans: 3})
	return s
}

func TestFewBlocksManyClaims(t *testing.T) {
	for _, blocks := range []int{6, 8, 9} {
		doc := analyse(t, manyClaims(blocks, 0.01).input())
		corrected := blocks >= stats.MinBlocks(stats.Bonferroni(estimate.Confidence, 8))
		seen, none := 0, false
		for _, f := range doc.Findings {
			if f.Metric != "cpu_per_operation" || f.Role != "" {
				continue
			}
			seen++
			v := f.Verdict
			none = none || v.Kind == finding.NoDifference
			if v.Claims != 8 {
				t.Fatalf("%d blocks: %d claims, want 8", blocks, v.Claims)
			}
			switch f.Variant {
			case "otel":
				if v.Kind != finding.Costs || v.Joint == corrected {
					t.Errorf("%d blocks, %s of otel: %+v", blocks, f.Operation, v)
				}
				if !corrected && (*v.Low != *f.Relative.Low || *v.High != *f.Relative.High || v.Confidence != estimate.Confidence) {
					t.Errorf("%d blocks, %s: the verdict's interval is %g to %g (%g), the finding's %g to %g", blocks, f.Operation, *v.Low, *v.High, v.Confidence, *f.Relative.Low, *f.Relative.High)
				}
			case "free":
				if v.Kind == finding.Costs || v.Kind == finding.Saves || v.Joint {
					t.Errorf("%d blocks, %s of a tracer that costs nothing: %+v", blocks, f.Operation, v)
				}
			}
		}
		if seen != 8 {
			t.Errorf("%d findings of CPU per operation, want 8", seen)
		}
		if none != corrected {
			t.Errorf("%d blocks: that there is no difference is said: %t; no verdict says so below 9 blocks", blocks, none)
		}
	}
}

// Budgets need intervals, and so does a number of blocks that was not fixed.
func TestNotJointly(t *testing.T) {
	budget := manyClaims(6, 0.01)
	budget.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.03}}
	stopping := manyClaims(6, 0.01)
	stopping.design = func(e *config.Experiment) {
		e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = 6, 12, 0.02, "cpu_per_operation"
	}
	for name, s := range map[string]scene{"budget": budget, "stopping": stopping} {
		for _, f := range analyse(t, s.input()).Findings {
			if f.Metric == "cpu_per_operation" && f.Role == "" && (f.Verdict.Joint || f.Verdict.Kind == finding.Costs) {
				t.Errorf("%s: %s of %s: %+v", name, f.Operation, f.Variant, f.Verdict)
			}
		}
	}
}

// Experiments in which no tracer costs anything: how often any of the claims on six blocks
// says that one does. The headline is one family, the CPU by role and the memory are of another.
func TestJointAlarms(t *testing.T) {
	const experiments = 400
	alarms := map[string]int{}
	for seed := range uint64(experiments) {
		s := manyClaims(6, 0.02)
		s.seed = seed
		s.variants[1].adds, s.variants[1].delays = 0, 0
		alarmed := map[string]bool{}
		for _, f := range analyse(t, s.input()).Findings {
			switch {
			case !f.Verdict.Joint:
			case f.Headline:
				alarmed["headline"] = true
			case f.Metric == "cpu_per_operation" || f.Metric == "memory_mean" || f.Metric == "memory_peak":
				alarmed["other"] = true
			}
		}
		for family := range alarmed {
			alarms[family]++
		}
	}
	for family, n := range alarms {
		t.Logf("%s: %.1f %%", family, 100*float64(n)/experiments)
		if n > experiments*9/100 { // 5 %, and three standard errors
			t.Errorf("%s: an alarm in %d of %d experiments in which nothing costs anything", family, n, experiments)
		}
	}
}
