// Blocks that are apart in time: from six sittings on each counts as one block.

package analysis_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// sit divides the blocks of a scene into sittings, half an hour apart, in each of which otel takes more or less CPU than in others:
// deviation is that of its log. Without told all blocks follow each other.
func (s *scene) sit(sittings int, deviation float64, told bool) {
	r := rand.New(rand.NewPCG(s.seed, 9))
	by := make([]float64, sittings)
	for i := range by {
		by[i] = math.Exp(deviation * r.NormFloat64())
	}
	blocks := s.blocks
	s.also(func(one *record.Record) {
		sitting := (one.Block - 1) * sittings / blocks
		one.Started = time.Date(2026, 3, 14, 8, one.Block, 0, 0, time.UTC)
		if told {
			one.Started = one.Started.Add(time.Duration(sitting) * 30 * time.Minute)
		}
		one.Ended = one.Started.Add(50 * time.Second)
		if one.Variant == "otel" {
			one.Phases[0].Usage[0].CPUSeconds *= by[sitting]
		}
	})
}

func TestSittings(t *testing.T) {
	for _, c := range []struct {
		sittings, blocks int // the blocks of the headline
		deviation        float64
		differ           bool
	}{{6, 6, 0.05, false}, {3, 12, 0.05, true}, {3, 12, 0, false}, {1, 12, 0.05, false}} {
		s := twoVariants()
		s.blocks = 12
		s.sit(c.sittings, c.deviation, true)
		doc := analyse(t, s.input())
		for _, f := range doc.Findings {
			if f.Headline && (f.Blocks != c.blocks || len(f.Samples) != c.blocks || f.Relative == nil || f.Relative.Low == nil) {
				t.Errorf("%d sittings: %d blocks, %d samples, interval %+v; want %d", c.sittings, f.Blocks, len(f.Samples), f.Relative, c.blocks)
			}
		}
		if got := warned(doc, "sittings-differ"); got != c.differ {
			t.Errorf("%d sittings that differ by %g: warned %t, want %t", c.sittings, c.deviation, got, c.differ)
		}
	}
}

// A tracer that costs nothing is found to cost something in one of twenty experiments, however much sittings differ; where all blocks
// are taken for one sitting it is far more often.
func TestAlarmOfSittings(t *testing.T) {
	n := max(experiments()/10, 100)
	share := func(told bool) float64 {
		alarms := 0
		for i := range n {
			s := twoVariants()
			s.seed, s.blocks, s.variants[1].adds = uint64(i), 12, 0
			s.sit(6, 0.02, told)
			for _, f := range analyse(t, s.input()).Findings {
				if f.Headline && (f.Verdict.Kind == finding.Costs || f.Verdict.Kind == finding.Saves) {
					alarms++
				}
			}
		}
		return float64(alarms) / float64(n)
	}
	apart, together := share(true), share(false)
	t.Logf("of %d experiments in 6 sittings that differ by 2 %%, twice the blocks' scatter: %.1f %% alarm, and %.1f %% where each block counts",
		n, 100*apart, 100*together)
	if apart > alarmAllowed(n) || together < 2*apart {
		t.Errorf("%.3f alarm, and %.3f where each block counts", apart, together)
	}
}
