package machine

// What is read from /proc/stat of what the host takes.

import (
	"testing"
	"time"
)

func TestSteal(t *testing.T) {
	if taken, err := Steal(); err != nil || taken < 0 {
		t.Errorf("the host took %v (%v) of this machine", taken, err)
	}
	for line, want := range map[string]time.Duration{
		"cpu  4000 1 600 17400 500 2 3 250 7 8": 2500 * time.Millisecond,
		"cpu 4000 1 600 17400 500 2 3 0":        0,
	} {
		if got, err := stealOf(line); err != nil || got != want {
			t.Errorf("%q: the host took %v (%v), want %v", line, got, err, want)
		}
	}
	for _, line := range []string{"", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7 many"} {
		if got, err := stealOf(line); err == nil {
			t.Errorf("%q: the host took %v", line, got)
		}
	}
}
