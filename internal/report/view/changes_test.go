package view

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

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
