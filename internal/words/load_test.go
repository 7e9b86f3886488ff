package words

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
)

// Where operations have rates of their own, the load's is not what they were asked at.
func TestLoadOfOwnRates(t *testing.T) {
	e := &config.Experiment{
		Load:       config.Load{Rate: 60, Duration: 2 * time.Second},
		Operations: []config.Operation{{Name: "json", Rate: 1500}, {Name: "home"}},
	}
	if got := Load(e); got != "1500 (json) and 60 (home) operations/s for 2s, open loop" {
		t.Error(got)
	}
	e.Operations[0].Rate = 0
	if got := Load(e); got != "60 operations/s for 2s, open loop" {
		t.Error(got)
	}
}

func TestLoadInWords(t *testing.T) {
	for want, l := range map[string]config.Load{
		"2,000,000 operations at depth 10 on 1 thread, unthrottled":                 {Calls: 2e6, Depth: 10, Threads: 1},
		"operations for 10s at depth 2, 4 and 8, unthrottled":                       {Duration: 10 * time.Second, Depths: []int{2, 4, 8}},
		"1,000 operations or 10s on 1 and 2 threads each busy for 1µs, unthrottled": {Calls: 1000, Duration: 10 * time.Second, Crowds: []int{1, 2}, Busy: time.Microsecond},
		"operations for 30s, at a fixed rate of 10000 and 20000 operations/s":       {Duration: 30 * time.Second, Rates: []float64{10000, 20000}},
	} {
		if got := loadText(l, true); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
