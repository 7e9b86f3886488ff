// The correction for several claims, and how many blocks a claim needs.

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestBonferroni(t *testing.T) {
	for _, c := range []struct {
		claims int
		want   float64
	}{{-1, 0.95}, {0, 0.95}, {1, 0.95}, {2, 0.975}, {10, 0.995}} {
		if got := Bonferroni(0.95, c.claims); !near(got, c.want, 1e-14) {
			t.Errorf("%d claims: %g, want %g", c.claims, got, c.want)
		}
	}
}

func TestBlocksToExclude(t *testing.T) {
	d := []float64{1, 2, 3, 4, 5, 6, 7, 8} // centre 4.5, interval 2 to 7 at 95 %
	nan := math.NaN()
	cases := []struct {
		name       string
		d          []float64
		limit      float64
		confidence float64
		max, want  int
	}{
		{"excluded, above", d, 1.9, 0.95, 100, 0},
		{"excluded, below", d, 7.1, 0.95, 100, 0},
		{"half as wide: four times as many", d, 4.5 - 1.25, 0.95, 100, 32},
		{"the same upwards", d, 4.5 + 1.25, 0.95, 100, 32},
		{"downwards the skewed one is short", []float64{1, 2, 3, 4, 5, 6, 7, 40}, 3.5, 0.95, 1000, 50}, // 8 × (4.5−2)²
		{"upwards it is long", []float64{1, 2, 3, 4, 5, 6, 7, 40}, 6.5, 0.95, 1000, 648},               // 8 × ((22.5−4.5)/2)²
		{"on the edge: one more at least", d, 2, 0.95, 100, 9},
		{"more than may be", d, 4.5 - 1.25, 0.95, 31, -1},
		{"centre on the limit", d, 4.5, 0.95, 100, -1},
		{"no spread, but too few", []float64{1, 1, 1}, 0, 0.95, 100, 6},
		{"too few for the correction", d, -1, Bonferroni(0.95, 20), 100, 10},
		{"one", []float64{1}, 0, 0.95, 100, -1},
		{"none", nil, 0, 0.95, 100, -1},
		{"not a number", []float64{1, nan, 1, 2, 3, 4, 5}, 0, 0.95, 100, -1},
		{"limit not a number", d, nan, 0.95, 100, -1},
		{"no confidence", d, 3, 1, 100, -1},
	}
	for _, c := range cases {
		if got := BlocksToExclude(c.d, c.limit, c.confidence, c.max); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// The rule of thumb is of the right order: where it is needed after eight blocks,
// its median is within a factor of two of what it really takes.
func TestBlocksToExcludeIsAboutRight(t *testing.T) {
	r := seeded(9)
	var said, taken []int
	for len(said) < 300 {
		d := sample(r, 200, func(r *rand.Rand) float64 { return 0.5 + r.NormFloat64() })
		if guess := BlocksToExclude(d[:8], 0, 0.95, 1000); guess > 0 {
			said, taken = append(said, guess), append(taken, blocksTaken(d))
		}
	}
	slices.Sort(said)
	slices.Sort(taken)
	t.Logf("said %d (quartiles %d to %d), taken %d (%d to %d)", said[150], said[75], said[225], taken[150], taken[75], taken[225])
	if ratio := float64(said[150]) / float64(taken[150]); ratio < 0.5 || ratio > 2 {
		t.Errorf("said %d blocks, it took %d", said[150], taken[150])
	}
}

// blocksTaken is the first number of blocks at which d's interval excludes zero.
func blocksTaken(d []float64) int {
	for n := 8; n < len(d); n++ {
		if SignedRank(d[:n], 0.95).Against(0) == Above {
			return n
		}
	}
	return len(d)
}

// How much narrower intervals would be with a rule that knows how claims go
// together: the distribution of the largest of k normal deviates that are half
// correlated, against Bonferroni's bound. docs/statistics.md has the figures.
func TestHalfCorrelatedClaims(t *testing.T) {
	const draws, confidence = 100_000, 0.95
	r := rand.New(rand.NewPCG(1, 2))
	largest := make([]float64, draws)
	for claims, most := range map[int]float64{1: 0.01, 2: 0.02, 4: 0.03, 6: 0.04, 8: 0.04, 16: 0.05} {
		for i := range largest {
			common := r.NormFloat64()
			largest[i] = 0
			for range claims {
				largest[i] = math.Max(largest[i], math.Abs(common+r.NormFloat64())/math.Sqrt2)
			}
		}
		slices.Sort(largest)
		bonferroni := distuv.UnitNormal.Quantile(1 - (1-confidence)/2/float64(claims))
		narrower := 1 - largest[int(confidence*draws)]/bonferroni
		t.Logf("%d claims: %.1f %% narrower", claims, 100*narrower)
		if narrower < -0.01 || narrower > most {
			t.Errorf("%d claims: %.1f %% narrower, want up to %.0f %%", claims, 100*narrower, 100*most)
		}
	}
}
