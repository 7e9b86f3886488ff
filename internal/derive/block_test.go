package derive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/stats"
)

// outsider is a program outside the block. It wants a part of each window in which it works, or all that it can get.
type outsider struct {
	name  string
	works float64 // the share of the windows
	wants float64 // of the CPU time; 1: whatever is left
}

// block simulates a block of two variants, one of which collects garbage now and then: a window of it may take four
// fifths more. It returns what was seen of others, and by variant the cost of each window as it would have been, and as it was.
func (p outsider) block(random *rand.Rand, rounds int, collects float64) (seen []Outside, alone, found [2][]float64) {
	var later [2]float64
	for range rounds {
		for v := range 2 {
			work := 0.3 * (1 + 0.03*random.NormFloat64())
			if v == 1 && random.Float64() < collects {
				work *= 1.8
			}
			others := 0.0
			if random.Float64() < p.works {
				others = math.Min(p.wants, 1-work)
			}
			clock := 0.02 * (random.Float64() - 0.5) // the kernel's is coarse
			seen = append(seen, Outside{Besides{Taken{others + clock, work, 1}, Taken{clock, 0.2, 1}}, v})
			cost := work + later[v]
			if v == 1 { // which does three tenths of its work in its next window, or in the last drain
				later[v] = 0.3 * work
				cost -= later[v]
			}
			alone[v], found[v] = append(alone[v], cost), append(found[v], cost*(1+others))
		}
	}
	alone[1][rounds-1], found[1][rounds-1] = alone[1][rounds-1]+later[1], found[1][rounds-1]+later[1]
	return seen, alone, found
}

// ratio is the log-ratio of two sums, without some rounds.
func ratio(of [2][]float64, without []bool) float64 {
	var sums [2]float64
	for v := range of {
		for i, x := range of[v] {
			if !without[i] {
				sums[v] += x
			}
		}
	}
	return math.Log(sums[1] / sums[0])
}

// byOne is the rule that looks only at one of the two shares.
func byOne(windows []Outside, share func(Taken) float64) []bool {
	out := make([]bool, len(windows)/2)
	for run := range 2 {
		var all []float64
		for i := run; i < len(windows); i += 2 {
			all = append(all, share(windows[i].App))
		}
		for i, s := range all {
			out[i] = out[i] || s-stats.Median(all) > disturbing
		}
	}
	return out
}

// spread is the mean and the standard deviation.
func spread(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}

func TestLeavingWindowsOut(t *testing.T) {
	const blocks, rounds = 4000, 10
	for _, p := range []outsider{
		{"nothing", 0, 0}, {"always what it can get", 1, 1}, {"always a half", 1, 0.5}, {"always a tenth", 1, 0.1},
		{"now and then what it can get", 0.06, 1}, {"now and then a half", 0.06, 0.5}, {"in many windows what it can get", 0.3, 1},
	} {
		for _, collects := range []float64{0.25, 0.75} {
			t.Run(fmt.Sprintf("%s/%g", p.name, collects), func(t *testing.T) {
				random := rand.New(rand.NewPCG(4, 5))
				var alone, all, kept, wrong []float64
				left, again := 0, 0
				for range blocks {
					seen, would, found := p.block(random, rounds, collects)
					none := make([]bool, rounds)
					alone, all = append(alone, ratio(would, none)), append(all, ratio(found, none))
					one := byOne(seen, Taken.share)
					if p.wants < 1 {
						one = byOne(seen, Taken.left)
					}
					if slices.Contains(one, false) {
						wrong = append(wrong, ratio(found, one))
					}
					bad := disturbed(seen, 2)
					n := len(slices.DeleteFunc(slices.Clone(bad), func(b bool) bool { return !b }))
					if left += n; n > rounds/leavable {
						again++
						continue
					}
					kept = append(kept, ratio(found, bad))
				}
				truth, own := spread(alone)
				whole, wide := spread(all)
				mean, deviation := spread(kept)
				off, _ := spread(wrong)
				t.Logf("%.1f %% of rounds disturbed, %.1f %% of blocks made again; log-ratio alone %.4f, of all windows %.4f ± %.4f, without the disturbed %.4f ± %.4f, by one share only %.4f",
					100*float64(left)/blocks/rounds, 100*float64(again)/blocks, truth, whole, wide, mean, deviation, off)
				switch {
				case p.works == 0 || p.works == 1: // others are all alike: what varies is the block's own work
					if left > 0 {
						t.Errorf("%d rounds are disturbed, want none", left)
					}
				case p.works < 0.1:
					if most := 4*deviation/math.Sqrt(float64(len(kept))) + 0.002; math.Abs(mean-truth) > most {
						t.Errorf("%.4f on average, want %.4f within %.4f", mean, truth, most)
					}
					if more := deviation*deviation - own*own; more > 0.7*(wide*wide-own*own) { // fewer windows scatter more
						t.Errorf("blocks scatter by %.4f, by %.4f with all windows, by %.4f undisturbed: leaving out is of no use", deviation, wide, own)
					}
					if left == 0 || again == 0 || again > blocks/5 {
						t.Errorf("%d rounds are disturbed, %d of %d blocks are made again", left, again, blocks)
					}
				default:
					if again < blocks/2 {
						t.Errorf("%d of %d blocks are made again, want many", again, blocks)
					}
				}
				if known := p.works == 1 && p.wants == 1 && collects > 0.5 || p.wants == 0.5 && p.works == 1 && collects < 0.5; known && math.Abs(off-whole) < 0.02 {
					t.Errorf("the rule by one share alone would be right, %.4f beside %.4f: the simulation cannot tell", off, whole)
				}
			})
		}
	}
}

// Two rounds have no middle one, and what can't be read disturbs nothing.
func TestDisturbedNeedsRounds(t *testing.T) {
	type seen = Taken
	busy, calm := seen{Others: 0.9, Ours: 0.1, All: 1}, seen{Ours: 0.1, All: 1}
	for name, c := range map[string]struct {
		app, harness []seen
		want         []bool
	}{
		"two":                    {[]seen{busy, calm}, []seen{calm, calm}, []bool{false, false}},
		"three":                  {[]seen{busy, calm, calm}, []seen{calm, calm, calm}, []bool{true, false, false}},
		"on the harness's CPUs":  {[]seen{calm, calm, calm}, []seen{calm, busy, calm}, []bool{false, true, false}},
		"nothing was read":       {make([]seen, 3), make([]seen, 3), []bool{false, false, false}},
		"mostly":                 {[]seen{busy, busy, busy, calm}, make([]seen, 4), []bool{false, false, false, false}},
		"a tenth more":           {[]seen{calm, calm, {0.1, 0.1, 1}}, []seen{calm, calm, calm}, []bool{false, false, false}},
		"the block took the CPU": {[]seen{calm, calm, {0.01, 0.99, 1}}, []seen{calm, calm, calm}, []bool{false, false, false}},
	} {
		var windows []Outside
		for i := range c.app {
			windows = append(windows, Outside{Besides{c.app[i], c.harness[i]}, 1}, Outside{Run: 0})
		}
		if got := disturbed(windows, 2); !slices.Equal(got, c.want) {
			t.Errorf("%s: the rounds %v are disturbed, want %v", name, got, c.want)
		}
	}
}
