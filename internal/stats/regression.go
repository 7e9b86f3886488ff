// The straight line through points, by least squares.

package stats

import "math"

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

// meanOf is the arithmetic mean, by steps, so that it does not overflow.
func meanOf(x []float64) float64 {
	mean := 0.0
	for i, v := range x {
		mean += (v - mean) / float64(i+1)
	}
	return mean
}
