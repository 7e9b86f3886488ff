package finding

import (
	"math"
	"slices"
	"testing"
)

func TestFormatAlike(t *testing.T) {
	within := func(v, half float64) Interval {
		low, high := v-half, v+half
		return Interval{Estimate: v, Low: &low, High: &high}
	}
	alone := func(v float64) Interval { return Interval{Estimate: v} }
	for name, test := range map[string]struct {
		in         []Interval
		unit       string
		relative   bool
		difference bool
		want       []string
	}{
		"a step of the unit": {[]Interval{within(400e-6, 120e-6), within(438e-6, 9e-6), within(1.4e-3, 120e-6)}, "s", false, true, []string{"+0.40 ms", "+0.44 ms", "+1.40 ms"}},
		"decimals":           {[]Interval{within(434.5, 1), within(434, 0.1)}, "bytes", false, true, []string{"+434.5 B", "+434.0 B"}},
		"ratios":             {[]Interval{within(0.62, 0.02), within(-0.757, 0.002)}, "s", true, true, []string{"+62.0 %", "−75.7 %"}},
		"shares":             {[]Interval{alone(0.64), alone(0.031)}, "1", false, false, []string{"64.0 %", "3.1 %"}},
		"points":             {[]Interval{alone(0.64), alone(-0.031)}, "1", false, true, []string{"+64.0 points", "−3.1 points"}},
		"values":             {[]Interval{alone(999e-6), alone(1.02e-3)}, "s", false, false, []string{"1.00 ms", "1.02 ms"}},
		"none in one":        {[]Interval{alone(0), alone(61.13)}, "bytes", false, true, []string{"0.0 B", "+61.1 B"}},
		"nothing":            {[]Interval{alone(0), alone(0)}, "s", false, true, []string{"0 s", "0 s"}},
		"no number":          {[]Interval{alone(math.NaN()), alone(1)}, "s", false, false, []string{"–", "1.00 s"}},
	} {
		if got := FormatAlike(test.in, test.unit, test.relative, test.difference); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
