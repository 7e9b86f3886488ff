package analysis_test

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// idle is what the app used idle, as a record has it.
func idle(rate float64) []record.Usage {
	const seconds = 1
	return []record.Usage{{Process: "app", Role: "app", Seconds: seconds, CPUSeconds: rate * seconds}}
}

// What a program did to start, or never stopped doing, is not taken for what it uses idle: not taken off, and not of one
// side of a comparison alone. Where both readings agree, both count.
func TestIdleIsTakenOffOnlyWhereItIsKnown(t *testing.T) {
	const adds, operations = 30e-6, window * 500
	no := false
	for name, c := range map[string]struct {
		change func(*record.Record)
		code   finding.Code
		off    float64 // CPU seconds per operation that are taken off of both
	}{
		"only one reading": {func(*record.Record) {}, "", idling},
		"the same twice":   {func(r *record.Record) { r.Stop.Idle = idle(idling) }, "", idling},
		"the mean of both": {func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(idling), idle(2*idling) }, "", 1.5 * idling},
		"it still started": {onlyRuns("otel", func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(0.3), idle(idling) }), "idle-differs", 0},
		"it goes on":       {onlyRuns("otel", func(r *record.Record) { r.Stop.Idle = idle(0.3) }), "idle-differs", 0},
		"once of many": {onlyRuns("otel", func(r *record.Record) {
			r.Stop.Idle = idle(idling)
			if r.Block == 3 {
				r.Stop.Idle = idle(0.3)
			}
		}), "", math.NaN()},
		"never calm": {onlyRuns("otel", func(r *record.Record) { r.Start.IdleSteady = &no }), "idle-unknown", 0},
		"not read":   {onlyRuns("otel", func(r *record.Record) { r.Start.Idle, r.Start.IdleSeconds = nil, 0 }), "idle-unknown", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := twoVariants()
			s.noise = 0
			s.blocks, s.change = 8, c.change
			doc := analyse(t, s.input())
			for _, code := range []finding.Code{"idle-differs", "idle-unknown"} {
				if got := warned(doc, string(code)); got != (code == c.code) {
					t.Errorf("warning %s: %t", code, got)
				}
			}
			f := get(t, doc, "json", "otel", "cpu_per_operation")
			if math.IsNaN(c.off) {
				return
			}
			want := 50e-6 + (idling-c.off)*drain/operations // of the baseline, in which the weather of each block is
			if got := f.Value - f.Baseline; math.Abs(got/adds-1) > 0.1 || math.Abs(f.Baseline/want-1) > 0.1 {
				t.Errorf("%g are added to %g, want %g to %g", got, f.Baseline, adds, want)
			}
		})
	}
}

// While others had the load a program used what it uses idle, for longer than it had the load itself: nothing is no answer
// there, even where the two readings differ, or the first is none.
func TestIdleInTurns(t *testing.T) {
	const rate, paused = 0.06, 3 * window // of both, whatever was read
	no := false
	for name, c := range map[string]struct {
		read    func(*record.Record)
		code    finding.Code
		unknown bool // what its operations cost
	}{
		"the same twice":   {func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(rate), idle(rate) }, "", false},
		"they differ":      {func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(rate+0.005), idle(rate-0.005) }, "idle-differs", false},
		"it still started": {func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(rate+0.3), idle(rate) }, "idle-differs", true},
		"never calm before": {func(r *record.Record) {
			r.Start.Idle, r.Start.IdleSteady, r.Stop.Idle = idle(0.9), &no, idle(rate)
		}, "idle-unknown", false},
	} {
		s := twoVariants()
		s.noise, s.blocks = 0, 8
		s.change = func(r *record.Record) {
			r.Harness.Order = "windows"
			p := &r.Phases[0]
			for i := range p.Usage {
				if u := &p.Usage[i]; u.Role == "app" {
					u.CPUSeconds += rate*(paused+drain) - idling*drain
				}
				p.Usage[i].Seconds += paused
			}
			p.PausedSeconds = paused
			r.Start.Idle, r.Stop.Idle = idle(rate), idle(rate)
			if r.Variant == "otel" {
				c.read(r)
			}
		}
		doc := analyse(t, s.input())
		for _, code := range []finding.Code{"idle-differs", "idle-unknown"} {
			if got := warned(doc, string(code)); got != (code == c.code) {
				t.Errorf("%s: warning %s: %t", name, code, got)
			}
		}
		f := get(t, doc, "json", "otel", "cpu_per_operation")
		if c.unknown {
			if f.Relative != nil || f.Absolute != nil || f.Blocks > 0 || f.Verdict.Kind != finding.CannotTell || f.Verdict.Reason().Code != finding.WhyRestless {
				t.Errorf("%s: %+v is told of what is unknown", name, f)
			}
			continue
		}
		if math.Abs(f.Baseline/50e-6-1) > 0.1 || math.Abs((f.Value-f.Baseline)/30e-6-1) > 0.1 {
			t.Errorf("%s: %g are added to %g, want 30e-6 to 50e-6", name, f.Value-f.Baseline, f.Baseline)
		}
	}
}
