// Blocks on several nodes of a cluster.

package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// scatter divides the blocks of a scene among nodes, on each of which otel takes more or less CPU than on others: deviation is that of
// its log.
func (s *scene) scatter(nodes int, deviation float64) {
	r := rand.New(rand.NewPCG(s.seed, 11))
	by := make([]float64, nodes)
	for i := range by {
		by[i] = math.Exp(deviation * r.NormFloat64())
	}
	s.also(func(one *record.Record) {
		at := one.Block % nodes
		one.Harness.Node = fmt.Sprintf("worker-%d", at)
		if one.Variant == "otel" {
			one.Phases[0].Usage[0].CPUSeconds *= by[at]
		}
	})
}

// How far nodes differ stands beside the headline, with how far the blocks of one do, where two nodes have two blocks each.
func TestNodes(t *testing.T) {
	for name, row := range map[string]struct {
		nodes, blocks int
		most          int // where it stops at a precision
		deviation     float64
		between       [2]float64 // standard deviation, from and to
		known, differ bool
	}{
		"alike":              {5, 40, 0, 0, [2]float64{0, 0.006}, true, false},
		"different":          {5, 40, 0, 0.05, [2]float64{0.02, 0.10}, true, true},
		"a block each":       {10, 10, 0, 0.05, [2]float64{}, false, false},
		"one node":           {1, 10, 0, 0, [2]float64{}, false, false},
		"two with two":       {2, 4, 0, 0.3, [2]float64{0.01, 1}, true, true},
		"one with two":       {2, 3, 0, 0.3, [2]float64{}, false, false},
		"enough to count":    {8, 40, 0, 0.05, [2]float64{0.02, 0.10}, true, false},
		"enough, but a stop": {8, 40, 60, 0.05, [2]float64{0.02, 0.10}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := twoVariants()
			s.blocks = row.blocks
			s.scatter(row.nodes, row.deviation)
			if row.most > 0 {
				s.design = func(e *config.Experiment) {
					e.Design.Most, e.Design.Precision, e.Design.Metric = row.most, 0.01, metric.CPUPerOperation
				}
			}
			doc := analyse(t, s.input())
			figures := row.blocks // from six nodes on each counts as one block
			if row.nodes >= 6 && row.most == 0 {
				figures = row.nodes
			}
			var found *finding.Reason
			for _, f := range doc.Findings {
				if f.Headline && (f.Blocks != figures || len(f.Samples) != figures) {
					t.Errorf("%s has %d figures, want %d", f.Metric, f.Blocks, figures)
				}
				for i := range f.Notes {
					if f.Notes[i].Code != finding.NoteNodes {
						continue
					}
					if !f.Headline {
						t.Errorf("%s has it, and is no headline", f.Metric)
					}
					found = &f.Notes[i]
				}
			}
			if (found != nil) != row.known || warned(doc, "nodes-differ") != row.differ {
				t.Fatalf("told %+v; warned: %t", found, warned(doc, "nodes-differ"))
			}
			if want := row.nodes; (want > 1) != (doc.Runs.Nodes == want) {
				t.Errorf("%d nodes are counted", doc.Runs.Nodes)
			}
			if found == nil {
				return
			}
			between, within := found.Figure("between"), found.Figure("within")
			if between < row.between[0] || between > row.between[1] || within < 0.003 || within > 0.03 ||
				found.Figure("nodes") != float64(row.nodes) {
				t.Errorf("%s", found.Text)
			}
			if !strings.HasPrefix(found.Text, fmt.Sprintf("%d nodes differ by ", row.nodes)) {
				t.Errorf("%q", found.Text)
			}
		})
	}
}

// A tracer that costs nothing is found to cost something in one of twenty experiments, however much eight nodes differ in what it
// costs there; where all blocks are taken for those of one machine it is far more often.
func TestAlarmOfNodes(t *testing.T) {
	n := max(experiments()/10, 100)
	share := func(told bool) float64 {
		alarms := 0
		for i := range n {
			s := twoVariants()
			s.seed, s.blocks, s.variants[1].adds = uint64(i), 24, 0
			s.scatter(8, 0.02)
			if !told {
				s.also(func(one *record.Record) { one.Harness.Node = "" })
			}
			for _, f := range analyse(t, s.input()).Findings {
				if f.Headline && (f.Verdict.Kind == finding.Costs || f.Verdict.Kind == finding.Saves) {
					alarms++
				}
			}
		}
		return float64(alarms) / float64(n)
	}
	apart, together := share(true), share(false)
	t.Logf("of %d experiments on 8 nodes that differ by 2 %%, twice the blocks' scatter: %.1f %% alarm, and %.1f %% where each block counts",
		n, 100*apart, 100*together)
	if apart > alarmAllowed(n) || together < 2*apart {
		t.Errorf("%.3f alarm, and %.3f where each block counts", apart, together)
	}
}

// Load generators in pods of their own are counted, and are not said to share the app's CPUs.
func TestGenerators(t *testing.T) {
	for generators, shared := range map[int]string{0: "load generator, sink and app shared their CPUs", 3: "sink and app shared their CPUs"} {
		s := twoVariants()
		s.also(func(r *record.Record) { r.Harness.Generators, r.Harness.Placement = generators, "none" })
		doc := analyse(t, s.input())
		if doc.Runs.Generators != generators {
			t.Errorf("of %d generators %d are counted", generators, doc.Runs.Generators)
		}
		for _, w := range doc.Warnings {
			if w.Code == "harness-shared-cpu" && w.Text != shared {
				t.Errorf("%d generators: %q", generators, w.Text)
			}
		}
		if !warned(doc, "harness-shared-cpu") {
			t.Errorf("%d generators: nothing is said of shared CPUs", generators)
		}
	}
}
