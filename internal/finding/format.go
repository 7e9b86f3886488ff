// This file turns figures into text: the same figure reads the same in a
// sentence, in a table and on a page.

package finding

import (
	"math"
	"strconv"
	"strings"
)

// Missing stands where there is no figure.
const Missing = "–"

// scale is a unit as it is shown: the figure is divided by per.
type scale struct {
	per  float64
	name string
}

// scales lists the steps of each unit of a finding, smallest first.
var scales = map[string][]scale{
	"s":     {{1e-9, " ns"}, {1e-6, " µs"}, {1e-3, " ms"}, {1, " s"}},
	"bytes": {{1, " B"}, {1e3, " kB"}, {1e6, " MB"}, {1e9, " GB"}},
	"1":     {{1e-2, " %"}},
	"1/s":   {{1, "/s"}},
	"count": {{1, ""}},
	points:  {{1e-2, " points"}},
}

// points is the unit of what two shares differ by: from 12.1 % to 15.2 % are 3.1 points. It is the unit of no finding.
const points = "points"

// differenceUnit is the unit in which a difference is shown.
func differenceUnit(unit string, relative bool) string {
	switch {
	case relative:
		return "1"
	case unit == "1":
		return points
	}
	return unit
}

// scaleFor returns the largest step of unit that leaves v at or above 1.
func scaleFor(v float64, unit string) scale {
	steps, ok := scales[unit]
	if !ok {
		return scale{1, " " + unit}
	}
	if v == 0 && unit == "s" {
		return scale{1, " s"}
	}
	best := steps[0]
	for _, s := range steps[1:] {
		// Half a permille is the rounding to three digits: 999.6 µs reads 1.00 ms.
		if math.Abs(v) >= s.per*0.9995 {
			best = s
		}
	}
	return best
}

// FormatValue gives v, in a finding's unit, to three significant digits in the
// step of the unit that suits it: "31.2 µs", "1.20 kB", "12.1 %", "498/s".
// Whole numbers are given whole, with commas: "1,204".
func FormatValue(v float64, unit string) string {
	if !finite(v) {
		return Missing
	}
	s := scaleFor(v, unit)
	shown := v / s.per
	return number(shown, significant(shown, 3)) + s.name
}

// FormatInterval gives a difference with its sign and its interval:
// "+31.2 µs (30.9 to 31.6)", or with relative "+12.1 % (10.9 to 13.4)"; of a share "+3.1 points (2.0 to 4.2)".
// It is rounded to two digits of the interval's half-width, or to three in all, the ends outwards,
// so rounding never makes an interval narrower. Without ends it is the
// estimate alone, to three digits.
func FormatInterval(i Interval, unit string, relative bool) string {
	text, ends := FormatParts(i, unit, relative)
	return joined(signed(i, text), ends)
}

// FormatEstimate is FormatInterval without the ends, but with no more digits than they support.
func FormatEstimate(i Interval, unit string, relative bool) string {
	text, _ := FormatParts(i, unit, relative)
	return signed(i, text)
}

// signed is what a difference is shown as, with a plus sign where it is one.
func signed(i Interval, text string) string {
	if i.Estimate > 0 && text != Missing {
		return "+" + text
	}
	return text
}

func joined(size, ends string) string {
	if ends == "" {
		return size
	}
	return size + " " + ends
}

// FormatSize is FormatInterval without the plus sign, for sentences that name
// the direction: "12.1 % (10.9 to 13.4)".
func FormatSize(i Interval, unit string, relative bool) string {
	return joined(FormatParts(i, unit, relative))
}

// FormatParts is FormatSize in two: "12.1 %" and "(10.9 to 13.4)", which is empty where there are no ends.
func FormatParts(i Interval, unit string, relative bool) (size, ends string) {
	return FormatMeasured(i, differenceUnit(unit, relative))
}

// FormatEnds is the interval with its unit: "10.9 to 13.4 %".
func FormatEnds(i Interval, unit string, relative bool) string {
	_, ends, name := measured(i, differenceUnit(unit, relative))
	return ends + name
}

// FormatMeasured is FormatParts of what is no difference: a value in its own unit, with its interval.
func FormatMeasured(i Interval, unit string) (size, ends string) {
	if !finite(i.Estimate) {
		return Missing, ""
	}
	if i.Low == nil || i.High == nil || !finite(*i.Low) || !finite(*i.High) {
		return FormatValue(i.Estimate, unit), ""
	}
	size, ends, name := measured(i, unit)
	return size + name, "(" + ends + ")"
}

// measured is a value and its interval without the unit, and the unit.
func measured(i Interval, unit string) (size, ends, name string) {
	low, high := *i.Low, *i.High
	s := scaleFor(math.Max(math.Abs(i.Estimate), math.Max(math.Abs(low), math.Abs(high))), unit)
	shown := i.Estimate / s.per
	decimals := i.decimals(s)
	return number(shown, decimals), number(outwards(low/s.per, decimals, math.Floor), decimals) + " to " + number(outwards(high/s.per, decimals, math.Ceil), decimals), s.name
}

// FormatBound gives a bound on a size, to two digits and rounded up, so no
// more is claimed than is known: "1.8 %".
func FormatBound(v float64, unit string, relative bool) string {
	return rounded(v, unit, relative, math.Ceil)
}

// FormatFloor is FormatBound rounded down: of the end of an interval that is nearer to zero.
func FormatFloor(v float64, unit string, relative bool) string {
	return rounded(v, unit, relative, math.Floor)
}

func rounded(v float64, unit string, relative bool, round func(float64) float64) string {
	unit = differenceUnit(unit, relative)
	if !finite(v) {
		return Missing
	}
	v = math.Abs(v)
	s := scaleFor(v, unit)
	decimals := significant(v/s.per, 2)
	return number(outwards(v/s.per, decimals, round), decimals) + s.name
}

// FormatCount gives a whole number with commas: "1,204".
func FormatCount(n int64) string { return number(float64(n), 0) }

// significant returns the decimals that show v to so many significant digits;
// 0 where the digits before the point are enough, at most 6.
func significant(v float64, digits int) int {
	// The exponent is taken after rounding: 0.9997 to three digits is 1.00.
	text := strconv.FormatFloat(math.Abs(v), 'e', digits-1, 64)
	_, exponent, _ := strings.Cut(text, "e")
	power, err := strconv.Atoi(exponent)
	if v == 0 || err != nil {
		return 0
	}
	return max(0, min(6, digits-1-power))
}

// outwards rounds v with floor or ceil. The slack keeps what is a rounded
// figure already, but for the binary fraction, where it is.
func outwards(v float64, decimals int, round func(float64) float64) float64 {
	p := math.Pow10(decimals)
	if near := math.Round(v * p); math.Abs(v*p-near) < 1e-6 {
		return near / p
	}
	return round(v*p) / p
}

// number writes v with so many decimals, commas between thousands and a true
// minus sign. A whole number loses its decimals only where it has none to show.
func number(v float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	var b strings.Builder
	if v < 0 && strings.Trim(text, "0.") != "" {
		b.WriteString("−")
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// This file writes figures that stand beside each other alike, so they can be
// compared at a glance.

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
	largest := max(math.Abs(i.Estimate), math.Abs(*i.Low), math.Abs(*i.High)) / s.per
	return min(significant((*i.High-*i.Low)/2/s.per, 2), significant(largest, 3))
}
