package view

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// The less tracing adds in a second, the longer a profile has to be for as many samples of it; at last nobody waits so long.
func TestProfilesAreLongEnoughForCauses(t *testing.T) {
	for _, c := range []struct {
		added  float64
		found  bool
		longer string
	}{
		{0.3, true, ""}, {0.0186, true, " --set profile.cpu=23s"}, {0.001, false, ""}, {-0.01, true, ""},
	} {
		d := &finding.Decision{Whole: "all", Ways: []finding.Way{{Variant: "all", CPU: &finding.Interval{Estimate: c.added}}}}
		if found, longer := profiling(d); found != c.found || longer != c.longer {
			t.Errorf("%g: %v %q", c.added, found, longer)
		}
	}
}
