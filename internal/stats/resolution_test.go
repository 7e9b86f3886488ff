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

// Found and Findable are what other simulated experiments come to.
func TestFound(t *testing.T) {
	random := seeded(77)
	for _, n := range []int{6, 8, 12} {
		const deviation = 0.03
		change, found := Findable(n, deviation), 0
		for range repetitions {
			found += count(SignedRank(sample(random, n, func(r *rand.Rand) float64 { return change + deviation*r.NormFloat64() }), 0.95).Low > 0)
		}
		if share := float64(found) / repetitions; math.Abs(share-0.8) > noise(0.8)+0.01 || math.Abs(Found(n, deviation, change)-0.8) > 0.01 {
			t.Errorf("%d blocks: %.3f is found in %.1f %% of cases, and %.1f are foretold; want 80", n, change, 100*share, 100*Found(n, deviation, change))
		}
	}
	if Found(5, 0.01, 1) != 0 || !math.IsInf(Findable(5, 0.01), 1) {
		t.Error("5 blocks have no interval, and find nothing")
	}
}

// What scatters is told apart: the windows, and the processes that they are of.
func TestNest(t *testing.T) {
	random := seeded(78)
	for name, c := range map[string]struct{ own, window, fromRounds float64 }{
		"windows": {0, 0.06, 1}, "processes": {0.05, 0.01, 0.004}, "both": {0.02, 0.0632, 0.5},
	} {
		var blocks []float64
		var rounds [][]float64
		for range 2000 {
			own := c.own * random.NormFloat64()
			of := sample(random, 10, func(r *rand.Rand) float64 { return own + c.window*r.NormFloat64() })
			mean, _ := spread(of)
			blocks, rounds = append(blocks, mean), append(rounds, of)
		}
		n, ok := Nest(blocks, rounds)
		if !ok || math.Abs(n.Rounds/c.window-1) > 0.05 || n.Windows != 10 || math.Abs(n.FromRounds()-c.fromRounds) > 0.05 {
			t.Errorf("%s: %+v, of which %.2f from rounds, want %.2f", name, n, n.FromRounds(), c.fromRounds)
		}
	}
	for name, rounds := range map[string][][]float64{"one window each": {{1}, {2}}, "no windows": {nil, nil}, "of another block": {{1, 2}}} {
		if n, ok := Nest([]float64{1, 2}, rounds); ok {
			t.Errorf("%s: %+v", name, n)
		}
	}
}
