package tools

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
)

func TestLoadTime(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 ns", 1e-9: "1 ns", 1.234e-6: "1.23 µs", 99.96e-6: "100 µs", 0.9996e-3: "1.00 ms",
		0.0123: "12.3 ms", 0.99951: "1.00 s", 123.4: "123 s",
	} {
		if got := loadTime(seconds); got != want {
			t.Errorf("%v s is written %q, want %q", seconds, got, want)
		}
	}
}

// A server that lets a handshake wait is no server whose connections are busy.
func TestNeverSentText(t *testing.T) {
	for want, l := range map[string]record.Load{
		"no connection could be opened":      {TimedOut: 2},
		"got through its handshake":          {TimedOut: 2, Connected: 2},
		"no connection came free":            {TimedOut: 2, Connected: 1, Started: 1},
		"came free within their time-out":    {TimedOut: 2, Started: 1},
		"that was opened got through its ha": {TimedOut: 1, Connected: 1},
	} {
		if got := neverSentText(l); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", l, got, want)
		}
	}
}

// CPU time is divided by what was due: an operation that was never sent has its part.
func TestCPUText(t *testing.T) {
	for want, l := range map[string]record.Load{"–": {}, "1.00 ms": {Intended: 100, Started: 2}} {
		sum := load.Summary{}
		if l.Intended > 0 {
			sum.CPUPerRequest = 0.001
		}
		if got := cpuText(l, sum); got != want {
			t.Errorf("%+v: %s, want %s", l, got, want)
		}
	}
}
