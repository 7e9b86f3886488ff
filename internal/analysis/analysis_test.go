// The document as a whole.

package analysis_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

var update = flag.Bool("update", false, "write the golden files again")

// Whatever the records hold, the document is JSON: no NaN, no infinity.
func FuzzDocumentIsJSON(f *testing.F) {
	f.Add(uint64(1), 0.0, 0.0, uint64(0), uint64(0), 0.0)
	f.Add(uint64(2), 20.0, -1.0, uint64(10000), uint64(5), 1e300)
	f.Add(uint64(3), 1e-300, 1e300, uint64(1), uint64(5), -1e308)
	f.Add(uint64(4), 20.0, 5e-324, uint64(1), uint64(1)<<63, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, wall, cpu float64, started, spans uint64, idle float64) {
		for _, v := range []float64{wall, cpu, idle} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Skip("a record is JSON too")
			}
		}
		s := twoVariants()
		s.seed, s.blocks = seed, 7
		s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.05}, {Metric: "lost_share"}, {Metric: "latency_p99", Value: 1}}
		s.change = func(r *record.Record) {
			if r.Block%2 == 0 {
				p := &r.Phases[0]
				p.Load.WallSeconds, p.Load.Started, p.Sink.Spans = wall, started, spans
				p.Usage[0].CPUSeconds = cpu
				r.Start.Idle[0].CPUSeconds, r.Start.IdleSeconds = idle, wall
			}
		}
		doc, err := analysis.Analyse(s.input())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(doc); err != nil {
			t.Error(err)
		}
	})
}

func TestNothingToCompare(t *testing.T) {
	in := twoVariants().input()
	in.Records = nil
	if doc := analyse(t, in); doc.FullSummary != "There is no run yet: nothing can be compared." {
		t.Error(doc.FullSummary)
	}
	in.Experiment.Variants = nil
	if _, err := analysis.Analyse(in); err == nil {
		t.Error("an experiment without variants is analysed")
	}
}

func golden() analysis.Input {
	s := twoVariants()
	s.order = []string{"json", "work", "chain"}
	s.operations = map[string]float64{"json": 50e-6, "work": 250e-6, "chain": 120e-6}
	s.latencies = true
	s.variants = append(s.variants, actor{name: "simple", tracer: "otel-go", against: "otel", adds: 80e-6, delays: 90e-6, spans: 3})
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.2, Text: "20%"}, {Metric: "lost_share", Value: 0, Text: "0"}}
	dropped := uint64(1204)
	none := uint64(0)
	s.change = func(r *record.Record) {
		if r.Variant == "none" {
			return
		}
		r.Tracer = record.Reported{Dropped: &none, Source: "log"}
		r.Start.FirstOperation, r.Start.Probes = "json", 2
		r.Start.Sink = record.Counts{Spans: 5, Roots: 3, Traces: 3, Checking: true}
		if r.Variant == "simple" && r.Block == 4 {
			r.Tracer.Dropped = &dropped
			r.Phases[0].Sink.Spans -= dropped
		}
	}
	in := s.input()
	in.Environment = map[string]any{"os": "linux", "kernel": "6.8.0", "cpu_model": "a processor", "cpus": 2.0}
	return in
}

func TestGolden(t *testing.T) {
	got, err := json.MarshalIndent(analyse(t, golden()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "findings.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got)+"\n" {
		t.Errorf("%s differs; look at it with: go test ./internal/analysis -run Golden -update && git diff", path)
	}
}
