// Values of R, written by testdata/fixtures.R.

package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

type fixtures struct {
	Source    string
	Estimates []struct {
		Name                                           string
		D                                              []float64
		Asked, Center, Low, High, Achieved, V, Greater float64
	}
	Null []struct {
		N        int
		K, Below []float64
	}
	Bands []struct{ N, P, Confidence, Low, High float64 }
}

func readFixtures(t *testing.T) fixtures {
	t.Helper()
	content, err := os.ReadFile("testdata/fixtures.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixtures
	if err := json.Unmarshal(content, &f); err != nil {
		t.Fatal(err)
	}
	t.Log(f.Source)
	return f
}

func TestEstimatesOfR(t *testing.T) {
	for _, f := range readFixtures(t).Estimates {
		e := SignedRank(f.D, f.Asked)
		if !e.Bounded || e.N != len(f.D) {
			t.Errorf("%s at %g: %+v", f.Name, f.Asked, e)
			continue
		}
		for what, pair := range map[string][2]float64{
			"centre": {e.Center, f.Center}, "low": {e.Low, f.Low},
			"high": {e.High, f.High}, "confidence": {e.Confidence, f.Achieved},
		} {
			if !near(pair[0], pair[1], 1e-12) {
				t.Errorf("%s at %g: %s %.17g, R says %.17g", f.Name, f.Asked, what, pair[0], pair[1])
			}
		}
	}
}

// The statistic V and its one-sided p-value are not in the package's words, but
// they follow from the same null distribution.
func TestPValuesOfR(t *testing.T) {
	for _, f := range readFixtures(t).Estimates {
		most := len(f.D) * (len(f.D) + 1) / 2
		if p := below(len(f.D), most-int(f.V)); !near(p, f.Greater, 1e-11) { // P(T ≥ V) = P(T ≤ most − V)
			t.Errorf("%s: P(T ≥ %g) = %.15g, R says %.15g", f.Name, f.V, p, f.Greater)
		}
	}
}

// below is P(T ≤ k), on either side of the middle.
func below(n, k int) float64 {
	null, most := signedRankNull(n), n*(n+1)/2
	if k < len(null) {
		return total(null[:k+1])
	}
	return 1 - total(null[:most-k])
}

func TestNullDistributionOfR(t *testing.T) {
	for _, f := range readFixtures(t).Null {
		for i, k := range f.K {
			if p := below(f.N, int(k)); !near(p, f.Below[i], 1e-11) {
				t.Errorf("n = %d: P(T ≤ %g) = %.15g, R says %.15g", f.N, k, p, f.Below[i])
			}
		}
	}
}

func TestBandsOfR(t *testing.T) {
	for _, f := range readFixtures(t).Bands {
		low, high := BinomialBand(uint64(f.N), f.P, f.Confidence)
		if float64(low) != f.Low || float64(high) != f.High {
			t.Errorf("BinomialBand(%.0f, %g, %g) = %d, %d; R says %.0f, %.0f", f.N, f.P, f.Confidence, low, high, f.Low, f.High)
		}
	}
}

func near(a, b, relative float64) bool {
	return math.Abs(a-b) <= relative*math.Max(1e-3, math.Max(math.Abs(a), math.Abs(b)))
}

func total(p []float64) (sum float64) {
	for _, v := range p {
		sum += v
	}
	return sum
}

// What runs look like in the simulations: one value a run, all positive, around 1.

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
