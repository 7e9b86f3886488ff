package run

import (
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
)

// A program that works while it is idle needs that once, and not as often as there are variants whose windows it waits for.
func TestNeeded(t *testing.T) {
	used := []record.Usage{{Process: "app", Role: "app", Seconds: 5, CPUSeconds: 0.45}, {Process: "load", Role: "load", Seconds: 5, CPUSeconds: 0.1}}
	busy := stage{idlePace: &pace{cpu: 0.05, seconds: 1}}
	if got := busy.needed(used, time.Second, 3); math.Abs(got.App-0.25) > 1e-9 || math.Abs(got.Harness-0.07) > 1e-9 {
		t.Errorf("%+v, want 0.25 without the idle work of 4 s, and 0.07 without the cost of three stretches", got)
	}
	unknown := stage{}
	if got := unknown.needed(used, time.Second, 20); math.Abs(got.App-0.45) > 1e-9 || got.Harness != 0 {
		t.Errorf("%+v, want all of it where what is used idle is not known", got)
	}
}

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
