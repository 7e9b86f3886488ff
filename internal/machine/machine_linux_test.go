package machine

// What is read from /proc of what the host takes, and of what memory there is.

import (
	"testing"
	"time"
)

func TestCPUTimes(t *testing.T) {
	if worked, taken, err := CPUTimes(); err != nil || taken < 0 || worked <= 0 {
		t.Errorf("the CPUs worked %v and the host took %v (%v) of this machine", worked, taken, err)
	}
	for line, want := range map[string][2]time.Duration{
		"cpu  4000 1 600 17400 500 2 3 250 7 8": {46060 * time.Millisecond, 2500 * time.Millisecond},
		"cpu 4000 1 600 17400 500 2 3 0":        {46060 * time.Millisecond, 0},
	} {
		if worked, taken, err := timesOf(line); err != nil || worked != want[0] || taken != want[1] {
			t.Errorf("%q: they worked %v and the host took %v (%v), want %v", line, worked, taken, err, want)
		}
	}
	for _, line := range []string{"", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7 many", "cpu 1 no 3 4 5 6 7 8"} {
		if worked, taken, err := timesOf(line); err == nil {
			t.Errorf("%q: they worked %v and the host took %v", line, worked, taken)
		}
	}
}

func TestFreeMemory(t *testing.T) {
	if free := FreeMemory(); free == 0 || free > 1<<50 {
		t.Errorf("%d bytes of this machine are free", free)
	}
	for text, want := range map[string]uint64{"MemTotal: 5 kB\nMemAvailable:      17 kB\n": 17 << 10, "": 0, "MemAvailable: x kB": 0} {
		if got := parseMeminfo(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
