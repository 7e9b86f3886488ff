package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The expectation must agree with what simulated experiments give.
func TestHalfWidth(t *testing.T) {
	const deviation, repetitions = 0.02, 4000
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 8, 10, 15, 20, 30} {
		sum := 0.0
		for range repetitions {
			d := make([]float64, n)
			for i := range d {
				d[i] = deviation * (random.NormFloat64() - random.NormFloat64())
			}
			e := SignedRank(d, 0.95)
			sum += (e.High - e.Low) / 2
		}
		mean, expected := sum/repetitions, HalfWidth(n, deviation)
		if math.Abs(mean/expected-1) > 0.12 {
			t.Errorf("n=%d: simulated %.4f, expected %.4f", n, mean, expected)
		}
	}
	if !math.IsInf(HalfWidth(5, deviation), 1) {
		t.Error("5 differences have no interval, so its width is infinite")
	}
}
