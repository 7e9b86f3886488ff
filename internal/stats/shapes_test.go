// What runs look like in the simulations: one value a run, all positive, around 1.

package stats

import (
	"math"
	"math/rand/v2"
)

// shape draws the value of one run.
type shape struct {
	name string
	draw func(r *rand.Rand) float64
}

// exchangeable are the shapes for which the interval is promised: both variants
// have the same one, but for the cost.
var exchangeable = []shape{
	{"normal", func(r *rand.Rand) float64 { return 1 + 0.05*r.NormFloat64() }},
	{"log-normal", func(r *rand.Rand) float64 { return math.Exp(0.3 * r.NormFloat64()) }},
	{"outliers", func(r *rand.Rand) float64 {
		if r.Float64() < 0.1 {
			return math.Exp(0.3 * r.NormFloat64())
		}
		return math.Exp(0.03 * r.NormFloat64())
	}},
	{"Laplace", func(r *rand.Rand) float64 { return math.Exp(0.05 * laplace(r)) }},
	{"shared modes", func(r *rand.Rand) float64 { return modal(r, 0.3) }},
}

func laplace(r *rand.Rand) float64 {
	if r.Float64() < 0.5 {
		return -r.ExpFloat64()
	}
	return r.ExpFloat64()
}

// modal draws from two modes 20 % apart with 3 % noise; share is the upper one's.
func modal(r *rand.Rand, share float64) float64 {
	x := math.Exp(0.03 * r.NormFloat64())
	if r.Float64() < share {
		x *= 1.2
	}
	return x
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x7261636574617863)) }

// sample draws n values.
func sample(r *rand.Rand, n int, draw func(*rand.Rand) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = draw(r)
	}
	return x
}
