// Pilots that watch a warm-up.

package run

import (
	"testing"
	"time"
)

func TestSliceAt(t *testing.T) {
	for rate, want := range map[float64]time.Duration{
		0: slice, 1000: slice, 10: slice, 9.9: 2 * slice, 5: 2 * slice, 4: 3 * slice, 1: 10 * slice, 0.1: 100 * slice,
	} {
		if got := sliceAt(rate); got != want {
			t.Errorf("at %g/s a slice is %s, want %s", rate, got, want)
		}
	}
}
