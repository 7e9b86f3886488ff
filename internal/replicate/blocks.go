// This file reckons with logarithms by block: within a result blocks are pairs, across
// results they are independent.

package replicate

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// band is a figure that lies between two ends: equal where it is exact.
type band struct{ low, mid, high float64 }

// byBlock is a figure of each block of one result.
type byBlock map[int]band

// over is the difference in the blocks that both have: of logarithms, the ratio.
func (a byBlock) over(b byBlock) byBlock {
	out := byBlock{}
	for block, x := range a {
		if y, has := b[block]; has {
			out[block] = band{x.low - y.high, x.mid - y.mid, x.high - y.low}
		}
	}
	return out
}

// meanWithin is the mean over figures of one result, in the blocks that all have.
func meanWithin(parts []byBlock) byBlock {
	out := byBlock{}
	if len(parts) == 0 {
		return out
	}
	for block := range parts[0] {
		all := make([]band, 0, len(parts))
		for _, p := range parts {
			if x, has := p[block]; has {
				all = append(all, x)
			}
		}
		if len(all) == len(parts) {
			out[block] = weighted(all, nil)
		}
	}
	return out
}

// meanAcross is the mean over results, each with its weight: the first block of each,
// then the second, as far as all have one. The blocks of different results are independent,
// so that it does not matter which are put together, and the means are as independent of
// each other as the blocks are.
func meanAcross(parts []byBlock, weights []float64) byBlock {
	out := byBlock{}
	least := math.MaxInt
	rows := make([][]int, len(parts))
	for i, p := range parts {
		rows[i] = slices.Sorted(maps.Keys(p))
		least = min(least, len(rows[i]))
	}
	for n := range least {
		if len(parts) == 0 {
			break
		}
		all := make([]band, 0, len(parts))
		for i, p := range parts {
			all = append(all, p[rows[i][n]])
		}
		out[n+1] = weighted(all, weights)
	}
	return out
}

// weighted is a mean; nil weights are equal ones.
func weighted(all []band, weights []float64) band {
	var sum band
	total := 0.0
	for i, x := range all {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		sum.low, sum.mid, sum.high, total = sum.low+w*x.low, sum.mid+w*x.mid, sum.high+w*x.high, total+w
	}
	return band{sum.low / total, sum.mid / total, sum.high / total}
}

// columns are the figures in the order of the blocks.
func (a byBlock) columns() (low, mid, high []float64, exact bool) {
	exact = true
	for _, block := range slices.Sorted(maps.Keys(a)) {
		x := a[block]
		low, mid, high = append(low, x.low), append(mid, x.mid), append(high, x.high)
		exact = exact && x.low == x.mid && x.mid == x.high
	}
	return low, mid, high, exact
}

// estimate is the centre over blocks with its signed-rank interval; it covers what lies
// between the ends of each block.
func (a byBlock) estimate(confidence float64) stats.Estimate {
	low, mid, high, exact := a.columns()
	e := stats.SignedRank(mid, confidence)
	if exact {
		return e
	}
	return outermost(e, stats.SignedRank(low, confidence), stats.SignedRank(high, confidence))
}

// shift is by how much one result's figures lie above another's, with the rank-sum interval:
// their blocks are independent.
func shift(under, over byBlock, confidence float64) stats.Estimate {
	underLow, underMid, underHigh, exact := under.columns()
	overLow, overMid, overHigh, exactToo := over.columns()
	e := stats.RankSum(underMid, overMid, confidence)
	if exact && exactToo {
		return e
	}
	return outermost(e, stats.RankSum(underHigh, overLow, confidence), stats.RankSum(underLow, overHigh, confidence))
}

// outermost is an estimate with the ends of others; without them where one of those
// has none.
func outermost(e, low, high stats.Estimate) stats.Estimate {
	if !low.Bounded || !high.Bounded {
		return stats.Estimate{Center: e.Center, N: e.N}
	}
	e.Low, e.High = low.Low, high.High
	return e
}

// relative is an estimate of a logarithm as a change: 0.05 is 5 % more. It is nil where
// there is nothing to estimate from.
func relative(e stats.Estimate) *finding.Interval {
	if math.IsNaN(e.Center) {
		return nil
	}
	return interval(stats.Ratio(e))
}

func interval(e stats.Estimate) *finding.Interval {
	i := &finding.Interval{Estimate: e.Center}
	if e.Bounded {
		low, high := e.Low, e.High
		i.Low, i.High = &low, &high
	}
	return i
}
