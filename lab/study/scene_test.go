// Results whose truth is known.

package study

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// scene is a result of one workload.
type scene struct {
	workload string
	blocks   int
	noise    float64
	metric   string // cpu_per_operation where it is ""
	better   string
	base     map[string]float64            // of the baseline, by operation
	ratio    map[string]map[string]float64 // over the baseline, by variant and operation
	order    []string                      // of the variants
	seed     uint64
	change   func(*finding.Document)
}

// two operations and two tracers.
func shop(workload string) scene {
	return scene{
		workload: workload, blocks: 8, noise: 0.01, seed: 1, order: []string{"otel", "elastic"},
		base:  map[string]float64{"db": 200e-6, "json": 50e-6},
		ratio: map[string]map[string]float64{"otel": {"db": 1.5, "json": 2}, "elastic": {"db": 1.8, "json": 2.4}},
	}
}

func (s scene) document() *finding.Document {
	doc := &finding.Document{
		Schema: finding.Schema, Tool: "test", Results: "results/" + s.workload, Summary: "It costs something.",
		Experiment: finding.Experiment{Name: "shops", Workload: s.workload, Variants: []finding.Variant{{Name: "none", Tracer: "none"}}, Blocks: s.blocks, Load: "as fast as it goes"},
		Runs:       finding.Runs{Blocks: s.blocks},
	}
	for _, v := range s.order {
		doc.Experiment.Variants = append(doc.Experiment.Variants, finding.Variant{Name: v, Tracer: v})
	}
	hash := fnv.New64a()
	hash.Write([]byte(s.workload))
	r := rand.New(rand.NewPCG(s.seed, hash.Sum64()))
	for _, operation := range sorted(s.base) {
		doc.Experiment.Operations = append(doc.Experiment.Operations, operation)
		values := map[string][]float64{}
		for range s.blocks {
			weather := math.Exp(0.05 * r.NormFloat64())
			for _, v := range append([]string{"none"}, s.order...) {
				truth := s.base[operation]
				if v != "none" {
					truth *= s.ratio[v][operation]
				}
				values[v] = append(values[v], truth*weather*math.Exp(s.noise*r.NormFloat64()))
			}
		}
		for _, v := range s.order {
			doc.Findings = append(doc.Findings, s.finding(operation, v, values["none"], values[v]))
		}
	}
	if s.change != nil {
		s.change(doc)
	}
	return doc
}

func (s scene) finding(operation, variant string, base, value []float64) finding.Finding {
	f := finding.Finding{
		Operation: operation, Variant: variant, Against: "none", Metric: "cpu_per_operation", Unit: "s", Better: "lower", Headline: true,
		Baseline: finding.Number(stats.Center(base)), Value: finding.Number(stats.Center(value)), Blocks: len(base),
	}
	if s.metric != "" {
		f.Metric, f.Better = s.metric, s.better
	}
	for i := range base {
		f.Samples = append(f.Samples, finding.Sample{Block: i + 1, Baseline: base[i], Value: value[i]})
	}
	of, with := claim.Sides(f.Samples)
	logs, ok := claim.Ratios(of, with)
	if !ok {
		panic("no ratio")
	}
	f.Relative = claim.Paired(logs, true, claim.Given).Interval(claim.Confidence)
	f.Absolute = claim.Paired(with.Minus(of), false, claim.Given).Interval(claim.Confidence)
	return f
}

// publish adds a published figure.
func publish(doc *finding.Document, operation, variant string, value float64, note string) {
	doc.Experiment.Published = append(doc.Experiment.Published, finding.Published{
		Source: "A. Author, A study, 2025", Operation: operation, Variant: variant, Metric: doc.Findings[0].Metric, Value: value, Note: note,
	})
}

func makeReplication(t *testing.T, claims []finding.Claim, docs ...*finding.Document) *Replication {
	t.Helper()
	s, err := Make(Input{Results: docs, Claims: claims, Tool: "test", Now: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func number(v float64) *float64 { return &v }
