// Simulations: whether an interval still holds what it promises where its own
// width decides how many blocks there are. The tables of docs/statistics.md are
// printed by
//
//	go test ./internal/stats -run Stopping -v

package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// stop is where one way of looking stopped.
type stop struct {
	blocks int
	holds  bool
}

// looks is one experiment, seen after every block from least to most: the ends of
// the interval at each look, for each of several ways of asking.
type looks struct {
	least int
	ends  [][]ends
}

type ends struct{ low, high float64 }

func (e ends) half() float64 { return (e.high - e.low) / 2 }
func (e ends) holds() bool   { return e.low <= 0 && 0 <= e.high }

// look draws the log-ratios of an experiment, whose truth is zero. Each block adds
// its averages with those before it to the ones that are there.
func look(r *rand.Rand, s shape, least, most int, ways ...[]int) looks {
	l := looks{least: least, ends: make([][]ends, len(ways))}
	d := make([]float64, 0, most)
	sorted, spare := make([]float64, 0, most*(most+1)/2), make([]float64, 0, most*(most+1)/2)
	for n := 1; n <= most; n++ {
		d = append(d, math.Log(s.draw(r))-math.Log(s.draw(r)))
		added := make([]float64, n)
		for i, v := range d {
			added[i] = (v + d[n-1]) / 2
		}
		slices.Sort(added)
		sorted, spare = merge(spare[:0], sorted, added), sorted
		for way, cuts := range ways {
			if n >= least {
				l.ends[way] = append(l.ends[way], endsOf(sorted, cuts[n-least]))
			}
		}
	}
	return l
}

// merge puts two sorted lists into one.
func merge(into, a, b []float64) []float64 {
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			into, a = append(into, a[0]), a[1:]
		} else {
			into, b = append(into, b[0]), b[1:]
		}
	}
	return append(append(into, a...), b...)
}

func endsOf(walsh []float64, cut int) ends {
	if cut < 0 {
		return ends{math.Inf(-1), math.Inf(1)}
	}
	return ends{walsh[cut], walsh[len(walsh)-1-cut]}
}

// cuts are those of every look at one confidence; -1 where there is no interval.
func cuts(least, most int, confidence float64) []int {
	var out []int
	for n := least; n <= most; n++ {
		cut, _, ok := signedRankCut(n, confidence)
		if !ok {
			cut = -1
		}
		out = append(out, cut)
	}
	return out
}

// until stops at the first look at which the interval of the watched way reaches
// no further than the precision, and says whether that of the told way holds zero.
func (l looks) until(precision float64, watched, told int) stop {
	last := len(l.ends[watched]) - 1
	for i, e := range l.ends[watched] {
		if e.half() <= precision || i == last {
			return stop{l.least + i, l.ends[told][i].holds()}
		}
	}
	return stop{}
}

// precisions go from one that is met at once to one that is never met.
func precisions(all []looks, way int) []float64 {
	width := func(i int) float64 {
		var widths []float64
		for _, l := range all[:200] {
			widths = append(widths, l.ends[way][i].half())
		}
		slices.Sort(widths)
		return widths[len(widths)/2]
	}
	first, end := width(0), width(len(all[0].ends[way])-1)
	out := []float64{3 * first}
	for _, share := range []float64{0, 0.2, 0.4, 0.6, 0.8, 1} {
		out = append(out, first*math.Pow(end/first, share))
	}
	return append(out, end/3)
}

// tally is what came of many experiments.
type tally struct{ holds, blocks float64 }

func tallied(all []looks, of func(looks) stop) tally {
	var t tally
	for _, l := range all {
		s := of(l)
		t.holds += float64(count(s.holds)) / float64(len(all))
		t.blocks += float64(s.blocks) / float64(len(all))
	}
	return t
}

// many draws so many experiments.
func many(r *rand.Rand, n int, s shape, least, most int, ways ...[]int) []looks {
	all := make([]looks, n)
	for i := range all {
		all[i] = look(r, s, least, most, ways...)
	}
	return all
}

func TestStoppingOnTheWidth(t *testing.T) {
	const plain, widened = 0, 1
	harmed := false
	for s, shape := range exchangeable {
		for _, span := range [][2]int{{8, 15}, {8, 30}, {10, 60}} {
			least, most := span[0], span[1]
			all := many(seeded(uint64(1000*s+most)), repetitions, shape, least, most,
				cuts(least, most, 0.95), cuts(least, most, SequentialConfidence(least, most, 0.95)))
			for _, precision := range precisions(all, plain) {
				without := tallied(all, func(l looks) stop { return l.until(precision, plain, plain) })
				with := tallied(all, func(l looks) stop { return l.until(precision, widened, widened) })
				name := fmt.Sprintf("%s, %d..%d, ±%.2g %%", shape.name, least, most, 100*precision)
				t.Logf("%-30s as it is: %.1f %% with %.1f blocks; widened: %.1f %% with %.1f",
					name, 100*without.holds, without.blocks, 100*with.holds, with.blocks)
				harmed = harmed || without.holds < 0.95-noise(0.95)
				if with.holds < 0.95-0.5*noise(0.95) {
					t.Errorf("%s: holds in %.2f %% of cases", name, 100*with.holds)
				}
				if with.blocks > 1.35*without.blocks {
					t.Errorf("%s: %.1f blocks where %.1f would do without: too wide", name, with.blocks, without.blocks)
				}
			}
		}
	}
	if !harmed {
		t.Error("stopping never harms: this test is not testing it")
	}
}

// The same with so many experiments that half a percent would show, and over a
// wider range.
func TestStoppingOnTheWidthLong(t *testing.T) {
	if os.Getenv("TRACETAX_E2E") != "all" {
		t.Skip("takes a minute; TRACETAX_E2E=all runs it, and TestStoppingOnTheWidth asks the same of fewer experiments")
	}
	const experiments = 10000
	for s, shape := range exchangeable {
		for _, span := range [][2]int{{8, 30}, {8, 100}} {
			least, most := span[0], span[1]
			all := many(seeded(uint64(9000+100*s+most)), experiments, shape, least, most, cuts(least, most, SequentialConfidence(least, most, 0.95)))
			worst := tally{holds: 1}
			for _, precision := range precisions(all, 0) {
				if with := tallied(all, func(l looks) stop { return l.until(precision, 0, 0) }); with.holds < worst.holds {
					worst = with
				}
			}
			t.Logf("%s, %d..%d: at the worst of the precisions %.2f %%, with %.1f blocks", shape.name, least, most, 100*worst.holds, worst.blocks)
			if limit := 2.5 * math.Sqrt(0.95*0.05/float64(experiments)); worst.holds < 0.95-limit {
				t.Errorf("%s, %d..%d: holds in %.2f %% of cases", shape.name, least, most, 100*worst.holds)
			}
		}
	}
}

// Where several claims are made at the end, one stops on the width of one claim's
// interval, and tells intervals of a higher confidence.
func TestStoppingWithSeveralClaims(t *testing.T) {
	const claims, least, most, experiments = 10, 8, 30, 4 * repetitions
	const watched, plain, widened = 0, 1, 2
	told := Bonferroni(0.95, claims)
	for _, shape := range exchangeable[:3] {
		all := many(seeded(77), experiments, shape, least, most,
			cuts(least, most, SequentialConfidence(least, most, 0.95)),
			cuts(least, most, told), cuts(least, most, SequentialConfidence(least, most, told)))
		for _, precision := range precisions(all, watched) {
			without := tallied(all, func(l looks) stop { return l.until(precision, watched, plain) })
			with := tallied(all, func(l looks) stop { return l.until(precision, watched, widened) })
			t.Logf("%s, ±%.2g %%, asked for %.2f %%: %.2f %% as it is, %.2f %% widened, %.1f blocks",
				shape.name, 100*precision, 100*told, 100*without.holds, 100*with.holds, with.blocks)
			if limit := 3 * math.Sqrt(told*(1-told)/experiments); with.holds < told-limit {
				t.Errorf("%s, ±%.2g %%: holds in %.2f %% of cases, want %.2f", shape.name, 100*precision, 100*with.holds, 100*told)
			}
		}
	}
}

// Several variants and operations end together, when the widest interval of them
// is narrow enough: each of them then holds as it does alone, or better.
func TestStoppingTogether(t *testing.T) {
	const cells, least, most = 4, 8, 30
	asked := cuts(least, most, SequentialConfidence(least, most, 0.95))
	all := many(seeded(78), cells*repetitions, exchangeable[0], least, most, asked)
	for _, precision := range []float64{0.1, 0.06, 0.045, 0.035, 0.03} {
		held, blocks := 0, 0
		for together := range slices.Chunk(all, cells) {
			last := untilAll(together, precision)
			blocks += least + last
			for _, l := range together {
				held += count(l.ends[0][last].holds())
			}
		}
		share := float64(held) / (cells * repetitions)
		t.Logf("±%.2g %%: holds in %.1f %% of cases, %.1f blocks", 100*precision, 100*share, float64(blocks)/repetitions)
		if share < 0.95-0.5*noise(0.95) {
			t.Errorf("±%.2g %%: holds in %.2f %% of cases", 100*precision, 100*share)
		}
	}
}

// untilAll is the first look at which all are narrow enough.
func untilAll(together []looks, precision float64) int {
	last := len(together[0].ends[0]) - 1
	for i := range last {
		if !slices.ContainsFunc(together, func(l looks) bool { return l.ends[0][i].half() > precision }) {
			return i
		}
	}
	return last
}

func TestSequentialConfidence(t *testing.T) {
	for _, c := range []struct {
		least, most      int
		confidence, want float64
	}{
		{8, 30, 0.95, 0.97}, {8, 8, 0.95, 0.95}, {8, 0, 0.95, 0.95}, {8, 9, 0.99, 0.994},
		{8, 30, 1, 1}, {8, 30, 0, 0}, {8, 30, 2, 2},
	} {
		if got := SequentialConfidence(c.least, c.most, c.confidence); !near(got, c.want, 1e-12) {
			t.Errorf("SequentialConfidence(%d, %d, %g) = %g, want %g", c.least, c.most, c.confidence, got, c.want)
		}
	}
	if got := SequentialConfidence(8, 30, math.NaN()); !math.IsNaN(got) {
		t.Errorf("of NaN: %g", got)
	}
}

// halfWidthOf is half the width of the interval that SignedRank gives d, in the
// unit of d: +Inf where there is none.
func halfWidthOf(d []float64, confidence float64) float64 {
	e := SignedRank(d, confidence)
	if !e.Bounded {
		return math.Inf(1)
	}
	return (e.High - e.Low) / 2
}

func TestHalfWidthOf(t *testing.T) {
	if got := halfWidthOf([]float64{6, 1, 2, 5, 3, 4}, 0.95); got != 2.5 {
		t.Errorf("half the width is %g, want 2.5", got)
	}
	for _, d := range [][]float64{{1, 2, 3}, {1, 2, 3, 4, 5, math.NaN(), 7}, nil} {
		if got := halfWidthOf(d, 0.95); !math.IsInf(got, 1) {
			t.Errorf("of %v: %g, want none", d, got)
		}
	}
}

// Two results that both stopped at their own precision, compared with each other.
func TestStoppingBothOfTwo(t *testing.T) {
	const least, most = 8, 30
	asked := SequentialConfidence(least, most, 0.95)
	for _, shape := range exchangeable[:3] {
		for _, precision := range []float64{0.6, 0.9, 1.2} { // of the median width of 12 blocks
			r := seeded(79)
			var widths []float64
			for range 200 {
				widths = append(widths, halfWidthOf(ratios(r, shape, 12), asked))
			}
			slices.Sort(widths)
			held, blocks := 0, 0
			for range repetitions {
				base, value := untilPrecise(r, shape, least, most, precision*widths[100]), untilPrecise(r, shape, least, most, precision*widths[100])
				held += count(RankSum(base, value, asked).Against(0) == Straddles)
				blocks += len(base)
			}
			share := float64(held) / repetitions
			t.Logf("%s, %g of the width at 12 blocks: holds in %.1f %% of cases, %.1f blocks each", shape.name, precision, 100*share, float64(blocks)/repetitions)
			if share < 0.95-0.5*noise(0.95) {
				t.Errorf("%s, %g: holds in %.2f %% of cases", shape.name, precision, 100*share)
			}
		}
	}
}

// untilPrecise draws log-ratios until their interval is narrow enough.
func untilPrecise(r *rand.Rand, s shape, least, most int, precision float64) []float64 {
	d := ratios(r, s, least)
	for len(d) < most && halfWidthOf(d, SequentialConfidence(least, most, 0.95)) > precision {
		d = append(d, ratios(r, s, 1)...)
	}
	return d
}
