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

var none = math.NaN()

func TestJointSigns(t *testing.T) {
	for name, test := range map[string]struct {
		claims [][]float64
		want   []float64
	}{
		// One claim over six blocks: of 32 patterns only the one seen is as extreme.
		"one way": {[][]float64{{1, 2, 3, 2, 1, 2}}, []float64{1.0 / 32}},
		// Five blocks are too few: 1 of 16.
		"five blocks": {[][]float64{{1, 2, 3, 2, 1}}, []float64{1.0 / 16}},
		// |t| as turned: 15 15; 3: t of (1,1,1,−1) and of each other pattern with one sign turned.
		"all alike": {[][]float64{{1, 1, 1, 1}}, []float64{1.0 / 8}},
		// The surest decides first; without it the second is as sure as alone.
		"stepping down": {[][]float64{{5, 6, 5, 6, 5, 6}, {1, 2, 3, 2, 1, 2}}, []float64{1.0 / 32, 1.0 / 32}},
		"a block less":  {[][]float64{{1, 2, 3, 2, 1, none}, {1, 2, 3, 2, 1, 2}}, []float64{1.0 / 16, 1.0 / 32}},
		"nothing":       {[][]float64{{0, 0, 0, 0, 0, 0}, {none, none, 1, none, none, none}, {1, 2, math.Inf(1), 1, 1, 1}}, []float64{1, 1, 1}},
		"none":          {nil, nil},
		"too many":      {[][]float64{{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1}}, []float64{1}},
	} {
		got := JointSigns(test.claims)
		if len(got) != len(test.want) {
			t.Fatalf("%s: %v, want %v", name, got, test.want)
		}
		for j := range got {
			if math.Abs(got[j]-test.want[j]) > 1e-12 {
				t.Errorf("%s: %v, want %v", name, got, test.want)
				break
			}
		}
	}
}

// The p-values of a row of claims by all patterns, counted one by one.
func TestJointSignsByHand(t *testing.T) {
	claims := [][]float64{{3, 4, 5, 3.5, 4, 4.5}, {1, -1, 2, 1, 3, -0.5}, {-1, -2, -1.5, -1, -3, -2}}
	got := JointSigns(claims)
	// By definition: the surest against all three, the next against the two left, the last alone.
	order := []int{0, 2, 1}
	least := 0.0
	for k, j := range order {
		count := 0
		for signs := range 64 {
			largest := 0.0
			for _, other := range order[k:] {
				largest = max(largest, signedT(claims[other], signs))
			}
			if largest >= signedT(claims[j], 0)-1e-9 {
				count++
			}
		}
		least = max(least, float64(count)/64)
		if math.Abs(got[j]-least) > 1e-12 {
			t.Errorf("claim %d: %g, want %g", j, got[j], least)
		}
	}
}

// Experiments in which no variant costs anything, or only the first of them does: how
// often any of the others is said to cost something. They share a baseline, blocks
// that are slow as a whole, and outliers.
func TestJointSignsAlarms(t *testing.T) {
	const experiments = 1500
	noise := map[string]func(*rand.Rand) float64{
		"normal":     func(r *rand.Rand) float64 { return 0.02 * r.NormFloat64() },
		"log-normal": func(r *rand.Rand) float64 { return math.Log(1 + 0.1*math.Exp(r.NormFloat64())) },
		"outliers": func(r *rand.Rand) float64 {
			if r.Float64() < 0.1 {
				return 0.2 * r.Float64()
			}
			return 0.02 * r.NormFloat64()
		},
	}
	for name, one := range noise {
		for _, shape := range []struct{ blocks, variants, costly int }{{6, 2, 0}, {6, 8, 0}, {6, 35, 0}, {6, 35, 1}, {8, 35, 10}} {
			r := rand.New(rand.NewPCG(uint64(shape.variants), uint64(shape.blocks)))
			alarms, found := 0, 0
			for range experiments {
				claims := make([][]float64, shape.variants)
				for range shape.blocks {
					slow, base := 0.05*r.NormFloat64(), one(r)
					for j := range claims {
						d := one(r) + slow - base - slow
						if j < shape.costly {
							d += 0.5
						}
						claims[j] = append(claims[j], d)
					}
				}
				wrong := false
				for j, p := range JointSigns(claims) {
					if p <= 0.05 && j < shape.costly {
						found++
					}
					wrong = wrong || p <= 0.05 && j >= shape.costly
				}
				if wrong {
					alarms++
				}
			}
			rate := float64(alarms) / experiments
			t.Logf("%s, %d blocks, %d variants, of which %d cost 50 %%: an alarm in %.1f %%", name, shape.blocks, shape.variants, shape.costly, 100*rate)
			if rate > 0.05+3*math.Sqrt(0.05*0.95/experiments) {
				t.Errorf("%s, %+v: alarms in %.1f %% of experiments", name, shape, 100*rate)
			}
			if name == "normal" && shape.costly > 0 {
				power := float64(found) / float64(experiments*shape.costly)
				t.Logf("the cost was found in %.1f %%", 100*power)
				if power < 0.8 {
					t.Errorf("%+v: a cost of 50 %% beside noise of 2 %% found in %.1f %%", shape, 100*power)
				}
			}
		}
	}
}
