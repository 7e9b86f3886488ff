package jitter

import (
	"testing"
	"time"
)

// Waits are spread over their whole range, and are of the length asked for on average.
func TestAround(t *testing.T) {
	const n, d = 20000, 25 * time.Millisecond
	var sum time.Duration
	tenths := make([]int, 10)
	for range n {
		one := Around(d)
		if one < d/2 || one >= d/2+d {
			t.Fatalf("%v, want %v to %v", one, d/2, d/2+d)
		}
		sum += one
		tenths[10*(one-d/2)/d]++
	}
	if mean := sum / n; mean < 24500*time.Microsecond || mean > 25500*time.Microsecond {
		t.Errorf("%v on average, want %v", mean, d)
	}
	for i, many := range tenths {
		if many < n/10*8/10 || many > n/10*12/10 { // nine standard deviations
			t.Errorf("%d of %d waits in tenth %d of the range, want about %d", many, n, i, n/10)
		}
	}
	if Around(0) != 0 {
		t.Error("a wait of nothing takes time")
	}
}

func TestTicker(t *testing.T) {
	ticker := NewTicker(time.Millisecond)
	defer ticker.Stop()
	before := time.Time{}
	for range 3 {
		at := <-ticker.C
		if !at.After(before) {
			t.Fatalf("a tick at %v after one at %v", at, before)
		}
		before = at
		ticker.Next()
	}
}
