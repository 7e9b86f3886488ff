package words

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// Rounding never makes a range narrower, on whichever side of zero its ends lie.
func TestRangesAreRoundedOutwards(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.0301, 0.7701, "−3.1 % to +78 %"}, {0.0309, 0.7701, "+3.0 % to +78 %"}, {-0.7701, -0.0309, "−78 % to −3.0 %"},
	} {
		f := finding.Finding{Unit: "s", Relative: &finding.Interval{Estimate: (c.low + c.high) / 2, Low: &c.low, High: &c.high}}
		if got := rangeText(f); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
