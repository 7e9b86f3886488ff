// This file writes figures that stand beside each other alike, so that they can be
// compared at a glance.

package finding

import (
	"math"
	"strings"
)

// FormatAlike gives the estimates of intervals in one step of the unit and with one
// number of decimals: the step suits the largest, and the decimals are those of the
// figure that has the fewest by its own interval (or, without one, by its three
// digits). Differences have a sign.
func FormatAlike(all []Interval, unit string, relative, difference bool) []string {
	if relative || difference {
		unit = differenceUnit(unit, relative)
	}
	largest := 0.0
	for _, i := range all {
		if finite(i.Estimate) {
			largest = math.Max(largest, math.Abs(i.Estimate))
		}
	}
	s := scaleFor(largest, unit)
	decimals := -1
	for _, i := range all {
		if own := i.decimals(s); finite(i.Estimate) && i.Estimate != 0 && (decimals < 0 || own < decimals) {
			decimals = own
		}
	}
	out := make([]string, len(all))
	for n, i := range all {
		if !finite(i.Estimate) {
			out[n] = Missing
			continue
		}
		out[n] = number(i.Estimate/s.per, max(0, decimals)) + s.name
		if difference && i.Estimate > 0 && strings.Trim(out[n][:len(out[n])-len(s.name)], "0.") != "" {
			out[n] = "+" + out[n]
		}
	}
	return out
}

// decimals are those that FormatInterval would give the estimate in that step.
func (i Interval) decimals(s scale) int {
	if i.Low == nil || i.High == nil || !finite(*i.Low) || !finite(*i.High) || *i.High == *i.Low {
		return significant(i.Estimate/s.per, 3)
	}
	return significant((*i.High-*i.Low)/2/s.per, 2)
}
