// The straight line through points, by least squares.

package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Line is a straight line through points, y = Base + Slope·x, and how well it fits.
type Line struct {
	Slope float64 // unit of y per unit of x
	Base  float64 // y where x is 0, in the unit of y
	R2    float64 // share of the variance of y that the line explains, 0 to 1
}

// FitLine returns the line through the points (x[i], y[i]) with the least sum of
// squared vertical distances. It is false where there is none: the numbers of x and y
// differ, fewer than two x differ, or a value is not finite. R2 is 1 where all y are
// the same, because nothing is left to explain.
//
// It has no interval on purpose. Points that one run gives are no independent values: their common
// error is the run's. A line is fitted in each block, and the interval of its slope
// is SignedRank's, over the slopes of the blocks.
func FitLine(x, y []float64) (Line, bool) {
	if len(x) != len(y) || len(x) < 2 || !allFinite(x) || !allFinite(y) {
		return Line{}, false
	}
	// About the means: sums of squares about zero would lose digits.
	midX, midY := meanOf(x), meanOf(y)
	var xx, xy, yy float64
	for i := range x {
		dx, dy := x[i]-midX, y[i]-midY
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	if xx == 0 || math.IsInf(xx, 0) || math.IsInf(yy, 0) {
		return Line{}, false
	}
	l := Line{Slope: xy / xx, R2: 1}
	l.Base = midY - l.Slope*midX
	if yy > 0 {
		left := 0.0
		for i := range x {
			left += square(y[i] - midY - l.Slope*(x[i]-midX))
		}
		l.R2 = math.Max(0, 1-left/yy)
	}
	return l, true
}

// meanOf is the arithmetic mean, by steps, so it does not overflow.
func meanOf(x []float64) float64 {
	mean := 0.0
	for i, v := range x {
		mean += (v - mean) / float64(i+1)
	}
	return mean
}

// How far two orders of the same things agree.

// KendallTau is Kendall's rank correlation τ-b of x and y: 1 where they put the same
// things in the same order, −1 where in the opposite one. Ties are allowed for. It is false
// where there is none: the numbers of values differ or are under two, all values
// of one side are the same, or a value is not finite.
//
// Source: Kendall, The treatment of ties in ranking problems, Biometrika 33 (1945).
func KendallTau(x, y []float64) (float64, bool) {
	if len(x) != len(y) || len(x) < 2 || !allFinite(x) || !allFinite(y) {
		return 0, false
	}
	var agree, pairsX, pairsY float64 // pairs that are no ties
	for i := range x {
		for j := range i {
			a, b := sign(x[i], x[j]), sign(y[i], y[j])
			agree += a * b
			pairsX += a * a
			pairsY += b * b
		}
	}
	if pairsX == 0 || pairsY == 0 {
		return 0, false
	}
	return agree / math.Sqrt(pairsX*pairsY), true
}

// sign is 1, 0 or −1 as a is above, at or below b.
func sign(a, b float64) float64 {
	switch {
	case a > b:
		return 1
	case a < b:
		return -1
	}
	return 0
}

// Plain moments, where a normal spread is good enough.

// spread returns the mean of x and the sum of the squared distances from it.
func spread(x []float64) (mean, squares float64) {
	for i, v := range x {
		delta := v - mean
		mean += delta / float64(i+1)
		squares += delta * (v - mean)
	}
	return mean, squares
}

// Deviation is the sample standard deviation of at least two values.
func Deviation(x []float64) float64 { return deviation(x) }

// deviation is the sample standard deviation of at least two values.
func deviation(x []float64) float64 {
	_, squares := spread(x)
	return math.Sqrt(squares / float64(len(x)-1))
}

func square(x float64) float64 { return x * x }

// Whether a sample is large enough to speak of a quantile.

// above is the number of values that must lie above a quantile for it to be shown.
const above = 20

// QuantileSupported says whether n values are enough to show a percentile (0 to
// 100): at least 20 of them must lie above it. The maximum never is.
func QuantileSupported(n uint64, percentile float64) bool {
	if !(percentile >= 0 && percentile < 100) {
		return false
	}
	// 100 − 99.9 is not quite 0.1 in binary; the sliver makes 20,000 values enough.
	return float64(n)*(100-percentile)/100 >= above*(1-1e-9)
}

// QuantileTakes returns the number of values that a percentile needs to be shown.
func QuantileTakes(percentile float64) float64 { return math.Ceil(above*100/(100-percentile) - 1e-6) }

// Ratios, by way of their logarithms: in logs a cost of so many percent is a
// difference, and twice as much is as far away as half as much.

// ErrNoRatio says that values have no ratio: one is zero, negative or not
// finite. Absolute differences may still make sense.
var ErrNoRatio = errors.New("no ratio")

// LogRatios returns ln(value/baseline) of each pair. The error wraps ErrNoRatio
// if one of the values is not a positive, finite number.
func LogRatios(baseline, value []float64) ([]float64, error) {
	if len(baseline) != len(value) {
		return nil, fmt.Errorf("pairing %d baseline values with %d: a ratio needs both of every block", len(baseline), len(value))
	}
	logs := make([]float64, len(value))
	for i := range value {
		if !isPositive(baseline[i]) || !isPositive(value[i]) {
			return nil, fmt.Errorf("pair %d, %g against %g: %w: both must be above zero", i+1, value[i], baseline[i], ErrNoRatio)
		}
		logs[i] = math.Log(value[i]) - math.Log(baseline[i])
	}
	return logs, nil
}

// Differences returns value − baseline of each pair.
func Differences(baseline, value []float64) ([]float64, error) {
	if len(baseline) != len(value) {
		return nil, fmt.Errorf("pairing %d baseline values with %d: a difference needs both of every block", len(baseline), len(value))
	}
	d := make([]float64, len(value))
	for i := range value {
		d[i] = value[i] - baseline[i]
	}
	return d, nil
}

// Ratio turns an estimate of log-ratios into one of relative change: 0.05 is
// 5 % more. The confidence stays, because exp is monotone.
func Ratio(e Estimate) Estimate {
	e.Center = math.Expm1(e.Center)
	if e.Bounded {
		e.Low, e.High = math.Expm1(e.Low), math.Expm1(e.High)
	}
	return e
}

// LogLimit is a limit on relative change, 0.05 for 5 % more, on the scale of
// LogRatios. A limit of −1 (nothing left) or below has none: −Inf.
func LogLimit(relative float64) float64 {
	if relative <= -1 {
		return math.Inf(-1)
	}
	return math.Log1p(relative)
}

func isPositive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Median is the middle of values, or the mean of the two in the middle; there has to be one at least.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
