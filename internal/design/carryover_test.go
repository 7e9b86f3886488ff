// Simulations: what a run leaves to the next one, and what comes of it in the estimate. The figures
// of docs/statistics.md are printed by
//
//	go test ./internal/design -run CarryOver -v

package design

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/stats"
)

// leftBehind is what a run does to the logarithm of the next one's figure.
type leftBehind func(before, now int) float64

// simulated are experiments of one kind: the mean error of the estimate in points, and the share of
// intervals that hold the truth.
func simulated(seed uint64, variants, blocks int, order func(seed uint64) [][]int, left leftBehind, drift float64) (bias, coverage float64) {
	const experiments, cost, noise = 2000, 0.10, 0.02
	held, sum := 0, 0.0
	r := rand.New(rand.NewPCG(seed, uint64(variants*1000+blocks)))
	for i := range experiments {
		differences := []float64{}
		before, run := -1, 0
		for _, one := range order(uint64(i)) {
			values := make([]float64, variants)
			for _, v := range one {
				values[v] = noise*r.NormFloat64() + drift*float64(run)
				if before >= 0 {
					values[v] += left(before, v)
				}
				if v > 0 {
					values[v] += math.Log1p(cost)
				}
				before, run = v, run+1
			}
			differences = append(differences, values[1]-values[0])
		}
		e := stats.SignedRank(differences, 0.95)
		sum += math.Expm1(e.Center) - cost
		held += map[bool]int{true: 1}[e.Low <= math.Log1p(cost) && math.Log1p(cost) <= e.High]
	}
	return 100 * sum / experiments, float64(held) / experiments
}

// drawnOrders are those of the plan; randomOrders shuffle each block by itself, as is usual.
func drawnOrders(variants, blocks int) func(uint64) [][]int {
	return func(seed uint64) [][]int {
		s := newSequence(variants)
		p := Plan{Seed: seed}
		var out [][]int
		for block := 1; block <= blocks; block++ {
			out = append(out, s.next(p.source(block, "variants")))
		}
		return out
	}
}

func randomOrders(variants, blocks int) func(uint64) [][]int {
	return func(seed uint64) [][]int {
		r := rand.New(rand.NewPCG(seed, 1))
		var out [][]int
		for range blocks {
			out = append(out, r.Perm(variants))
		}
		return out
	}
}

// A run slows down the next one by 4 %, whichever comes next, if it is one of the variant; or
// every run does, by more the more it costs; or only where the next is of another kind. The
// machine may get slower by 1 % a run beside that.
func TestCarryOverIsBalanced(t *testing.T) {
	const effect = 0.04
	models := []struct {
		name  string
		left  leftBehind
		drift float64
	}{
		{"the variant slows the next run", func(before, _ int) float64 { return effect * map[bool]float64{true: 1}[before == 1] }, 0},
		{"every variant slows it by its own", func(before, _ int) float64 { return effect * float64(before) / 2 }, 0},
		{"another one before slows a run", func(before, now int) float64 { return effect * map[bool]float64{true: 1}[before != now] }, 0},
		{"a drift of 1 % a run as well", func(before, _ int) float64 { return effect * map[bool]float64{true: 1}[before == 1] }, 0.01},
	}
	for _, variants := range []int{2, 3, 5} {
		for _, blocks := range []int{8, 10, 20} {
			for i, m := range models {
				random, held := simulated(uint64(i), variants, blocks, randomOrders(variants, blocks), m.left, m.drift)
				bias, coverage := simulated(uint64(i), variants, blocks, drawnOrders(variants, blocks), m.left, m.drift)
				t.Logf("%d variants, %2d blocks, %-34s blocks by chance: %+.2f points, holds in %.1f %%; balanced: %+.2f points, holds in %.1f %%",
					variants, blocks, m.name+":", random, 100*held, bias, 100*coverage)
				if math.Abs(bias) > 0.5 || coverage < 0.93 {
					t.Errorf("bias %.2f points, coverage %.1f %%", bias, 100*coverage)
				}
				if i == 0 && variants == 2 && math.Abs(random) < 1 {
					t.Errorf("blocks by chance are bent by %.2f points only: the simulation shows nothing", random)
				}
			}
		}
	}
}

// The orders that are simulated are those of a plan.
func TestSimulatedOrdersAreThoseOfPlans(t *testing.T) {
	want := ordersOf(Plan{Variants: []string{"0", "1", "2"}}, 5, 7)
	got := drawnOrders(3, 7)(5)
	if !slices.EqualFunc(got, want, func(a []int, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("%v, want %v", got, want)
	}
}
