package derive

import (
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
)

func TestOthers(t *testing.T) {
	used := []record.Usage{{Role: "app", CPUSeconds: 5}, {Role: "load", CPUSeconds: 2}, {Role: "sink", CPUSeconds: 1}}
	zero := time.Unix(0, 0)
	after := func(app, harness float64) readings.Busy {
		return readings.Busy{At: zero.Add(10 * time.Second), App: time.Duration(app * 1e9), Harness: time.Duration(harness * 1e9), Known: true}
	}
	apart := CPUs{App: 1, Harness: 1}
	shared := CPUs{App: 1, Harness: 1, Shared: true}
	for name, test := range map[string]struct {
		cpus CPUs
		to   readings.Busy
		want float64
	}{
		"nobody":                {apart, after(5, 4), 0},
		"on the app's CPU":      {apart, after(8, 4), 0.3},
		"on the harness's":      {apart, after(5, 6), 0.2},
		"on a shared one":       {shared, after(10, 10), 0.1},
		"less than was used":    {apart, after(4, 3), 0},
		"where nothing is read": {apart, readings.Busy{At: zero.Add(time.Second)}, 0},
	} {
		if got := test.cpus.Besides(readings.Busy{At: zero, Known: true}, test.to, UsedOf(used), time.Second).Share(); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}
