// This file compares capacities that are only known to lie between two rates: the
// change reaches from the least that it can be to the most.

package compare

import (
	"math"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// values are those of the blocks of one result; apart is nil where they are exact.
type values struct {
	mid   []float64
	apart *estimate.Extent
}

func (v values) low() []float64 {
	if v.apart == nil {
		return v.mid
	}
	return v.apart.Low
}

func (v values) high() []float64 {
	if v.apart == nil {
		return v.mid
	}
	return v.apart.High
}

// rankSum is the shift from one result to another. Both ends of its interval rise with
// every value after and fall with every value before, as those of signedRank do.
func rankSum(before, after values, confidence float64) stats.Estimate {
	e := stats.RankSum(before.mid, after.mid, confidence)
	if before.apart == nil && after.apart == nil {
		return e
	}
	return estimate.Outermost(e, stats.RankSum(before.high(), after.low(), confidence), stats.RankSum(before.low(), after.high(), confidence))
}

// bracketed reports whether the change is of capacities that are not exact.
func (c *change) bracketed() bool { return c.apartBefore != nil || c.apartAfter != nil }

// toExclude says how many blocks a result would have to have in all until the
// interval excludes the limit; bracket is true where no number is enough.
func (c *change) toExclude(limit, confidence float64) (all int, bracket bool) {
	if c.paired {
		return c.apartAfter.BlocksToExclude(c.after, limit, confidence)
	}
	before, after := values{c.before, c.apartBefore}, values{c.after, c.apartAfter}
	if !c.bracketed() {
		return stats.ValuesToExclude(c.before, c.after, limit, confidence, estimate.Patience), false
	}
	switch {
	case stats.RankSum(before.high(), after.low(), confidence).Center > limit:
		return stats.ValuesToExclude(before.high(), after.low(), limit, confidence, estimate.Patience), false
	case stats.RankSum(before.low(), after.high(), confidence).Center < limit:
		return stats.ValuesToExclude(before.low(), after.high(), limit, confidence, estimate.Patience), false
	}
	return 0, true
}

// onlyBaseline is the baseline's side of samples, as values.
func onlyBaseline(samples []finding.Sample) []finding.Sample {
	var out []finding.Sample
	for _, s := range samples {
		out = append(out, finding.Sample{
			Block: s.Block, Baseline: s.Baseline, BaselineWithin: s.BaselineWithin, Value: s.Baseline, ValueWithin: s.BaselineWithin,
		})
	}
	return out
}

// itself and logOf are for the extent of the values alone.
func itself(value, _ float64) float64 { return value }

func logOf(value, _ float64) float64 { return math.Log(value) }
