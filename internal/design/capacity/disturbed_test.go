package capacity

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// Others on the CPUs are blamed only for what lost CPU explains.
func TestDisturbed(t *testing.T) {
	in := func(lag time.Duration) record.Histogram {
		h := record.NewHistogram()
		for range 100 {
			if err := h.RecordValue(int64(lag)); err != nil {
				t.Fatal(err)
			}
		}
		encoded, err := record.EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	for _, c := range []struct {
		name         string
		others, used float64
		failed       uint64
		held         bool
		lag          time.Duration
		want         bool
	}{
		{"nobody else", 0.05, 0.1, 0, false, time.Microsecond, false},
		{"starved", 0.6, 0.3, 0, false, time.Microsecond, true},
		{"hangs, and uses nothing", 0.83, 0, 0, false, time.Microsecond, false},
		{"a pool that waits", 0.5, 0.004, 0, false, time.Microsecond, false},
		{"wrong answers", 0.4, 0.5, 21, false, time.Microsecond, false},
		{"the generator starved", 0.5, 0.1, 0, false, 50 * time.Millisecond, true},
		{"held, but off the target", 0.4, 0.1, 0, true, time.Microsecond, true},
	} {
		p := record.Probe{Others: c.others, Utilisation: c.used, Held: c.held, Load: record.Load{Intended: 100, Failed: c.failed, Lag: in(c.lag)}}
		if _, got := disturbed(&p); got != c.want {
			t.Errorf("%s: disturbed %v, want %v", c.name, got, c.want)
		}
	}
}
