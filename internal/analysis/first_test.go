package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// What came first once may have met a pause of the machine: it has to cost twice as much before the warm-up is blamed.
func TestWhatCameFirstOnceIsTwiceAsDear(t *testing.T) {
	for _, c := range []struct {
		first  int // the blocks up to this one had db first
		factor float64
		want   bool
	}{{1, 1.6, false}, {1, 2.6, true}, {2, 1.6, true}, {2, 1.1, false}, {0, 2.6, false}} {
		s := twoVariants()
		s.order = []string{"json", "db"}
		only("otel", func(r *record.Record) {
			if r.Block <= c.first {
				r.Phases[0].Position, r.Phases[1].Position = 1, 0
				r.Phases[1].Usage[0].CPUSeconds *= c.factor
			}
		})(&s)
		if doc := analyse(t, s.input()); warned(doc, "first-dearer") != c.want {
			t.Errorf("first in %d blocks, %g times as dear: warned %t", c.first, c.factor, !c.want)
		}
	}
}
