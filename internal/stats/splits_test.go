package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// halves are scores of which every other one is 1.
func halves(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(1 - i%2)
	}
	return out
}

// One split of n blocks in halves that are wholly apart has the probability 2 ÷ (n over n ÷ 2).
func TestSplitsByHand(t *testing.T) {
	for n, want := range map[int]float64{8: 2.0 / 70, 10: 2.0 / 252, 12: 2.0 / 924} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i%2)*100 + float64(i)
		}
		got := Splits([]Split{{Values: values, Scores: halves(n)}})[0]
		if math.Abs(got-want) > 4*math.Sqrt(want/permutations) && want < 0.02 || want >= 0.02 && got < 0.015 {
			t.Errorf("%d blocks: %.4f, want %.4f", n, got, want)
		}
	}
	equal := []Split{{Values: make([]float64, 10), Scores: halves(10)}, {Values: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Scores: make([]float64, 10)}}
	for i, p := range Splits(equal) {
		if p != 1 {
			t.Errorf("split %d, of equal values or of no second group: %g", i, p)
		}
	}
}

// A split that means something is found beside others that mean nothing, and a missing value is
// left out.
func TestSplitsFindOneOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var splits []Split
	for range 6 {
		s := Split{Scores: halves(20)}
		for range 20 {
			s.Values = append(s.Values, r.NormFloat64())
		}
		splits = append(splits, s)
	}
	for i := range splits[4].Values {
		splits[4].Values[i] += 4 * splits[4].Scores[i]
	}
	splits[4].Values[7] = math.NaN()
	for i, p := range Splits(splits) {
		if (p <= 0.01) != (i == 4) {
			t.Errorf("split %d: %g", i, p)
		}
	}
}

// Where no split means anything, one of several that depend on each other is said to in at most
// 1 % of cases.
func TestSplitsAlarm(t *testing.T) {
	const experiments = 2000
	for _, n := range []int{10, 12, 20} {
		r := rand.New(rand.NewPCG(uint64(n), 9))
		alarms := 0
		for range experiments {
			var splits []Split
			common := make([]float64, n)
			for i := range common {
				common[i] = r.ExpFloat64()
			}
			for k := range 4 {
				s := Split{Scores: halves(n)}
				if k > 1 {
					for i := range s.Scores {
						s.Scores[i] = float64(r.IntN(3) - 1)
					}
				}
				for i := range n {
					s.Values = append(s.Values, common[i]+r.NormFloat64())
				}
				splits = append(splits, s)
			}
			for _, p := range Splits(splits) {
				if p <= 0.01 {
					alarms++
					break
				}
			}
		}
		t.Logf("%d blocks: an alarm in %.2f %%", n, 100*float64(alarms)/experiments)
		if float64(alarms)/experiments > 0.01+3.1*math.Sqrt(0.01*0.99/experiments) {
			t.Errorf("%d blocks: %d alarms of %d", n, alarms, experiments)
		}
	}
}
