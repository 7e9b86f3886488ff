// The values that stand beside a difference.

package analysis_test

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// A share of spans is that of all blocks together, as the ledger has it: one large loss in few blocks is not left out.
func TestDeliveredShareOfAllBlocks(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		if p := &r.Phases[0]; r.Block <= 3 { // three blocks of ten lose nine of ten spans
			p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = p.Sink.Spans/10, p.Sink.Roots/10, p.Sink.Traces/10
		}
	})
	f := get(t, analyse(t, s.input()), "json", "otel", metric.DeliveredShare)
	if math.Abs(float64(f.Value)-0.73) > 1e-6 {
		t.Errorf("the delivered share is %v, want 0.73 of all blocks", f.Value)
	}
}

// Where blocks differ by more than variants do, the centres of the values may lie the other way than the difference within blocks: a
// note explains it. Elsewhere there is none.
func TestValuesThatContradictTheDifference(t *testing.T) {
	for name, c := range map[string]struct {
		base, value []float64 // µs of CPU per operation
		noted       bool
	}{
		"blocks differ":  {[]float64{10, 11, 12, 13, 100, 100, 100}, []float64{7.5, 8.25, 9, 9.75, 110, 110, 110}, true},
		"hardly":         {[]float64{10, 11, 12, 13, 100, 100, 100}, []float64{9.9, 10.9, 11.9, 12.9, 101, 101, 101}, false},
		"blocks are one": {[]float64{10, 11, 12, 10, 11, 12, 10}, []float64{9, 10, 11, 9, 10, 11, 9}, false},
	} {
		s := twoVariants()
		s.blocks, s.noise = len(c.base), 0
		s.change = func(r *record.Record) {
			micros := c.base[r.Block-1]
			if r.Variant == "otel" {
				micros = c.value[r.Block-1]
			}
			p := &r.Phases[0]
			p.Usage[0].CPUSeconds = micros*1e-6*float64(p.Load.Completed) + idling*drain
		}
		f := get(t, analyse(t, s.input()), "json", "otel", metric.CPUPerOperation)
		if got := tells(f.Notes, finding.NoteWithin); got != c.noted {
			t.Errorf("%s: %v to %v, %+v, noted %t; want %t", name, f.Baseline, f.Value, f.Relative, got, c.noted)
		}
	}
}
