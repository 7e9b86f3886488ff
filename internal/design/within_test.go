package design

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// lasting has a calibration of 30 s, and blocks of two runs, made together, of 60 s; the second begins a day later.
func lasting(blocks int) []record.Record {
	at := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	out := []record.Record{{Kind: record.Calibration, Started: at, Ended: at.Add(30 * time.Second)}}
	for b := range blocks {
		at = at.Add(time.Minute)
		if b == 1 {
			at = at.Add(24 * time.Hour)
		}
		for _, one := range []time.Duration{60, 58} {
			out = append(out, record.Record{Kind: record.Measured, Block: b + 1, Started: at, Ended: at.Add(one * time.Second)})
		}
	}
	return out
}

// One more block is too late where it would end after the time; what lies between two sessions does not count.
func TestLate(t *testing.T) {
	for blocks, want := range map[int]bool{0: false, 1: false, 3: false, 4: true, 5: true} {
		if got := Late(lasting(blocks), 270*time.Second, 1); got != want { // 30 s and four blocks
			t.Errorf("after %d blocks: late %t", blocks, got)
		}
	}
	for several, want := range map[int]bool{0: false, 1: false, 2: false, 3: true} {
		if got := Late(lasting(2), 270*time.Second, several); got != want {
			t.Errorf("%d at the same time: late %t", several, got)
		}
	}
}

// By the first block it is known what all take: within a time as few as are needed, or as many as fit, and never more than all.
func TestTakes(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		made, few, all     int
		within, want, each time.Duration
	}{
		"none is made":          {0, 7, 8, 0, 0, 0},
		"without a time":        {1, 7, 8, 0, 510 * s, 60 * s},
		"all fit":               {1, 7, 8, 600 * s, 510 * s, 60 * s},
		"fewer fit":             {2, 6, 8, 460 * s, 450 * s, 60 * s},
		"as few as can be":      {2, 6, 8, 60 * s, 390 * s, 60 * s},
		"more are made already": {5, 3, 8, 60 * s, 330 * s, 60 * s},
	} {
		if whole, each := Takes(lasting(c.made), c.few, c.all, c.within); whole != c.want || each != c.each {
			t.Errorf("%s: %v, each %v; want %v, %v", name, whole, each, c.want, c.each)
		}
	}
}

// As many blocks as verdicts on all comparisons need, and never more than are asked for.
func TestFew(t *testing.T) {
	for comparisons, want := range map[int]int{0: 6, 1: 6, 3: 7, 5: 8} {
		if got := Few(10, comparisons); got != want {
			t.Errorf("%d comparisons: %d blocks, want %d", comparisons, got, want)
		}
		if got := Few(4, comparisons); got != 4 {
			t.Errorf("of 4 blocks %d are made", got)
		}
	}
}
