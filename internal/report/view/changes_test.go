package view

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// Beside a verdict stands the interval that it was read off, or none: a change's own is narrower.
func TestShownChange(t *testing.T) {
	low, high, estimate := 0.01, 0.05, 0.03
	wideLow, wideHigh := -0.01, 0.07
	own := &finding.Interval{Estimate: estimate, Low: &low, High: &high}
	for name, c := range map[string]struct {
		verdict finding.Verdict
		low     *float64
	}{
		"no verdict":         {finding.Verdict{}, &low},
		"a corrected one":    {finding.Verdict{Kind: finding.Costs, Estimate: &estimate, Low: &wideLow, High: &wideHigh}, &wideLow},
		"none that it is of": {finding.Verdict{Kind: finding.CannotTell}, nil},
	} {
		got := shownChange(&finding.Change{Relative: own, Verdict: c.verdict})
		if got == nil || got.Estimate != estimate || (got.Low == nil) != (c.low == nil) || got.Low != nil && *got.Low != *c.low {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
