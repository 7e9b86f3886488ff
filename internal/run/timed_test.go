package run

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

// Slices last 10 ms or five operations, less where a window would have under ten of each run, and not under 5 ms.
func TestSlices(t *testing.T) {
	for name, c := range map[string]struct {
		runs   int
		rate   float64
		window time.Duration
		length time.Duration // 0: none
	}{
		"many operations":          {2, 1000, 3 * time.Second, 10 * time.Millisecond},
		"few operations":           {2, 25, 10 * time.Second, 100 * time.Millisecond},
		"a short window":           {5, 1000, 500 * time.Millisecond, 10 * time.Millisecond},
		"a window of few periods":  {2, 5, 10 * time.Second, 500 * time.Millisecond},
		"too short a window":       {5, 1000, 200 * time.Millisecond, 0},
		"a run by itself":          {1, 1000, 3 * time.Second, 0},
		"as fast as programs take": {2, 0, 3 * time.Second, 0},
	} {
		got := turn{newTurns(c.runs), c.runs - 1}.slices(c.rate, c.window)
		if c.length == 0 && got == nil {
			continue
		}
		if want := (load.Slices{Of: c.runs, Place: c.runs - 1, Length: c.length}); got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if got := (turn{}).slices(1000, time.Second); got != nil {
		t.Errorf("a run without a block has slices %+v", *got)
	}
}
