// Pairs of made-up results to compare: the same machine on two days.

package analysis_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// day is a machine's mood over one result: how much slower it is than on another
// day, how it drifts from block to block, and how often something gets in the way.
type day struct {
	slower   float64 // factor on everything
	drift    float64 // per block, accumulated
	outliers float64 // share of the runs that something else slows down
}

// over makes the mood of a day into a change of records.
func (d day) over(r *rand.Rand) func(*record.Record) {
	return func(one *record.Record) {
		factor := d.slower * math.Exp(d.drift*float64(one.Block))
		if r.Float64() < d.outliers {
			factor *= 1 + 0.15*r.ExpFloat64()
		}
		for i := range one.Phases {
			for j := range one.Phases[i].Usage {
				u := &one.Phases[i].Usage[j]
				u.CPUSeconds *= factor
				u.ContextSwitches = uint64(float64(u.ContextSwitches) * factor)
			}
		}
		one.Start.ReadySeconds *= factor
		one.Start.FirstOperationSeconds *= factor
	}
}

// moody is a day drawn at random.
func moody(r *rand.Rand) day {
	return day{slower: math.Exp(0.1 * r.NormFloat64()), drift: 0.01 * r.NormFloat64(), outliers: 0.05}
}

// shop is an experiment of two operations and two variants.
func shop(seed uint64, blocks int, d day) scene {
	return scene{
		seed: seed, blocks: blocks, order: []string{"json", "work"}, operations: map[string]float64{"json": 50e-6, "work": 400e-6}, rate: 500, noise: 0.02,
		variants: []actor{
			{name: "none", tracer: "none"},
			{name: "otel", tracer: "otel-go", adds: 30e-6, spans: 3},
			{name: "otel-10", tracer: "otel-go", adds: 12e-6, spans: 1},
		},
		change: d.over(rand.New(rand.NewPCG(seed, 99))),
	}
}

// slowed makes tracing with otel cost so many CPU seconds more per operation.
func (s scene) slowed(by float64) scene {
	s.variants = append([]actor(nil), s.variants...)
	for i := range s.variants {
		if s.variants[i].name == "otel" {
			s.variants[i].adds += by
		}
	}
	return s
}

// result analyses a scene, as found in a folder.
func (s scene) result(t testing.TB, folder string) *finding.Document {
	t.Helper()
	in := s.input()
	in.Results = folder
	doc, err := analysis.Analyse(in)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func compared(t testing.TB, in compare.Input) *finding.Comparison {
	t.Helper()
	doc, err := compare.Compare(in)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// changeIn finds a change of a cost over all roles.
func changeIn(t testing.TB, doc *finding.Comparison, index int, operation, variant, metric string) finding.Change {
	t.Helper()
	for _, c := range doc.Changes {
		if c.Of == finding.OfCost && c.New == index && c.Operation == operation && c.Variant == variant && c.Metric == metric && c.Role == "" {
			return c
		}
	}
	t.Fatalf("no change of %s of %s on %s", metric, variant, operation)
	return finding.Change{}
}

func cpuBudget(share float64) []config.Limit {
	return []config.Limit{{Metric: metric.CPUPerOperation, Value: share, Text: "as tested"}}
}
