// Ratios, by way of their logarithms: in logs a cost of so many percent is a
// difference, and twice as much is as far away as half as much.

package stats

import (
	"errors"
	"fmt"
	"math"
)

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
