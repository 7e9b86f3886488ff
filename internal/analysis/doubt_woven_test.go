// Woven variants are compared by what they use, not how long they take.

package analysis_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// woven is a scene whose variants had their load at the same time.
func woven() scene {
	s := twoVariants()
	s.latencies = true
	s.change = func(r *record.Record) {
		r.Harness.Order = "woven"
	}
	return s
}

func TestWovenVariantsCompareNoLatency(t *testing.T) {
	doc := analyse(t, woven().input())
	for _, metric := range []string{"latency_mean", "latency_p50", "latency_p90", "latency_p99", "startup_time", "first_operation_time"} {
		operation := "json"
		if !strings.HasPrefix(metric, "latency") {
			operation = ""
		}
		f := get(t, doc, operation, "otel", metric)
		if f.Verdict.Kind != finding.CannotTell || f.Verdict.Reason().Code != finding.WhySharedCPU || f.Verdict.MoreBlocks != 0 {
			t.Errorf("%s: %+v", metric, f.Verdict)
		}
		if f.Absolute == nil || f.Absolute.Low != nil || f.Relative.Low != nil || !tells(f.Notes, finding.NoteSharedCPU) {
			t.Errorf("%s: a figure with a note, and no interval: %+v, %q", metric, f.Absolute, f.Note)
		}
	}
	if f := get(t, doc, "json", "otel", "latency_max"); f.Verdict.Kind != finding.None || !tells(f.Notes, finding.NoteSharedCPU) {
		t.Errorf("%+v", f)
	}
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Verdict.Kind != finding.Costs || *f.Absolute.Low > 30e-6 || *f.Absolute.High < 30e-6 {
		t.Errorf("the CPU: %+v", f.Verdict)
	}
	if f := get(t, doc, "", "otel", "memory_peak"); f.Verdict.Kind != finding.NoDifference {
		t.Errorf("the memory: %+v", f.Verdict)
	}
	if !warned(doc, "woven") {
		t.Errorf("%+v", doc.Warnings)
	}
}

// A limit on latency cannot be kept by woven variants, nor broken; it takes nothing from the
// confidence of the others.
func TestBudgetsOfWovenVariants(t *testing.T) {
	for _, blocks := range []int{3, 10} {
		s := woven()
		s.blocks = blocks
		s.budget = []config.Limit{{Metric: "latency_p99", Value: 0.5}, {Metric: "cpu_per_operation", Value: 0.9}}
		doc := analyse(t, s.input())
		v := get(t, doc, "json", "otel", "latency_p99").Verdict
		if v.Kind != finding.CannotTell || v.Budget == nil || v.MoreBlocks != 0 || v.Reason().Code != finding.WhySharedCPU {
			t.Errorf("%d blocks: %+v", blocks, v)
		}
		if v := get(t, doc, "json", "otel", "cpu_per_operation").Verdict; blocks == 10 && (v.Kind != finding.Within || v.Claims != 1) {
			t.Errorf("%+v", v)
		}
	}
}

// Two results of woven variants are compared in their CPU alone.
func TestWovenResultsCompared(t *testing.T) {
	in := compare.Input{Base: woven().result(t, "a"), News: []*finding.Document{woven().result(t, "b")}, Budget: []config.Limit{{Metric: "latency_p99", Value: 0.5}}}
	doc := compared(t, in)
	if v := changeIn(t, doc, 0, "json", "otel", "latency_p99").Verdict; v.Kind != finding.CannotTell || v.Reason().Code != finding.WhySharedCPU {
		t.Errorf("%+v", v)
	}
	if v := changeIn(t, doc, 0, "json", "otel", "latency_p50").Verdict; v.Kind != finding.None && v.Kind != finding.CannotTell {
		t.Errorf("%+v", v)
	}
	if v := changeIn(t, doc, 0, "json", "otel", "cpu_per_operation").Verdict; v.Kind != finding.NoDifference {
		t.Errorf("%+v", v)
	}
}

func TestThroughputOfWovenVariants(t *testing.T) {
	s := connections(0.01, 8, 2, 4)
	s.also(func(r *record.Record) { r.Harness.Order = "woven" })
	n := 0
	for _, f := range analyse(t, s.input()).Findings {
		if f.Metric == metric.Throughput {
			n++
			if f.Verdict.Kind != finding.CannotTell || f.Verdict.Reason().Code != finding.WhySharedCPU {
				t.Errorf("%+v", f.Verdict)
			}
		}
	}
	if n == 0 {
		t.Error("no throughput")
	}
}
