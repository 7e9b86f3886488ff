package view

import (
	"strings"
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

// The figures of a row are in one unit, with as many decimals.
func TestCostsAlike(t *testing.T) {
	within := func(v, half float64) *finding.Interval {
		low, high := v-half, v+half
		return &finding.Interval{Estimate: v, Low: &low, High: &high}
	}
	change := func(before, after *finding.Interval) *finding.Change {
		return &finding.Change{Of: finding.OfCost, Unit: "s", Before: finding.Cost{Absolute: before, Blocks: 8}, After: finding.Cost{Absolute: after, Blocks: 8}}
	}
	one := change(within(400e-6, 120e-6), within(438e-6, 9e-6))
	other := change(one.Before.Absolute, within(1.4e-3, 120e-6))
	before, after := changeRow{first: one, change: []*finding.Change{one, nil, other}}.costs()
	if got := strings.Join(append([]string{before}, after...), " | "); got != "+0.40 ms | +0.44 ms | – | +1.40 ms" {
		t.Errorf("got %s", got)
	}
}

// What has no verdict shows its own interval, and that is said once under the table.
func TestOwnIntervalIsSaid(t *testing.T) {
	low, high := 0.01, 0.05
	own := &finding.Interval{Estimate: 0.03, Low: &low, High: &high}
	for name, c := range map[string]struct {
		change finding.Change
		said   bool
	}{
		"judged":       {finding.Change{Of: finding.OfCost, Relative: own, Verdict: finding.Verdict{Kind: finding.CannotTell}}, false},
		"not judged":   {finding.Change{Of: finding.OfCost, Relative: own}, true},
		"the baseline": {finding.Change{Of: finding.OfBaseline, Relative: own}, false},
		"no interval":  {finding.Change{Of: finding.OfCost, Relative: &finding.Interval{Estimate: 0.03}}, false},
	} {
		g := &changeGroup{changes: []*finding.Change{&c.change, &c.change}}
		if got := g.notes(); (len(got) == 1) != c.said || len(got) > 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
