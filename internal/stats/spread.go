// Plain moments, where a normal spread is good enough.

package stats

import "math"

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
