// Pilots that watch a warm-up.
package run

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
)

func TestSliceAt(t *testing.T) {
	for rate, want := range map[float64]time.Duration{
		0: slice, 1000: slice, 10: slice, 9.9: 2 * slice, 5: 2 * slice, 4: 3 * slice, 1: 10 * slice, 0.1: 100 * slice,
	} {
		if got := sliceAt(rate); got != want {
			t.Errorf("at %g/s a slice is %s, want %s", rate, got, want)
		}
	}
}

// What operations take tells nothing at a rate, unless the workload times them itself.
func TestTimeOf(t *testing.T) {
	open, closed := job{task: load.Task{Rate: 10, Connections: 8}}, job{task: load.Task{Connections: 4, Streams: 2}}
	driven := func(call float64) record.Load {
		return record.Load{WallSeconds: 3, Driven: &record.Driven{CallSeconds: call, Threads: 2}}
	}
	asked := record.Load{WallSeconds: 3}
	for name, test := range map[string]struct {
		j    job
		did  record.Load
		want float64
	}{
		"open":                              {open, asked, 0},
		"closed":                            {closed, asked, 24},
		"driven":                            {job{}, driven(2.5), 2.5},
		"driven at a rate":                  {open, driven(0.5), 0.5},
		"driven, without a sum":             {job{}, driven(0), 6},
		"driven at a rate, without a sum":   {open, driven(0), 0},
		"nobody says over how many threads": {job{}, asked, 3},
	} {
		if got := timeOf(test.j, test.did); got != test.want {
			t.Errorf("%s: %g s, want %g", name, got, test.want)
		}
	}
}
