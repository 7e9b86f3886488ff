package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
