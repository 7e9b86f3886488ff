// This file is a change on its way to a verdict, and the numbers it is estimated from.

package compare

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// change is a finding of a comparison on its way to a verdict. Before
// and after are the values on the scale that is compared, one a block.
type change struct {
	finding.Change
	before, after []float64
	apartBefore   *estimate.Extent // of before and after, where they are not exact
	apartAfter    *estimate.Extent
	shifts        *stats.Shifts // of after over before, made when first asked for
	valuesBefore  []float64     // the variant's own values
	valuesAfter   []float64
	logsBefore    blockLogs // where ratios to the baseline are compared
	logsAfter     blockLogs
	ratio         bool // logarithms of ratios, or of amounts where there is no ratio
	unjudged      bool // no claim is made on it
	figure        bool // none can be made
	paired        bool // within blocks: after holds the differences, before zeros
	doubt         *finding.Reason
	looksCheaper  *finding.Reason                       // why it says nothing that the newer side costs no more
	looksDearer   *finding.Reason                       // likewise that it costs more
	unseen        func(allowed float64) *finding.Reason // why a limit on what is lost more is not kept for sure; nil where chance has no part
	overloaded    *finding.Reason
	budget        *config.Limit
	ask           func(float64) float64 // widens a confidence where a result stopped by its precision
}

// bare takes the intervals away; of enough blocks this is not for want of them.
func (c *change) bare() {
	for _, i := range []*finding.Interval{c.Absolute, c.Relative} {
		if i != nil {
			i.Low, i.High = nil, nil
		}
	}
	c.figure = min(len(c.before), len(c.after)) >= stats.MinBlocks(estimate.Confidence)
}

// estimate is the shift on the scale that is compared.
func (c *change) estimate(confidence float64) stats.Estimate {
	if c.paired {
		return c.apartAfter.SignedRank(c.after, c.ask(confidence))
	}
	if c.bracketed() {
		return rankSum(values{c.before, c.apartBefore}, values{c.after, c.apartAfter}, c.ask(confidence))
	}
	if c.shifts == nil {
		c.shifts = stats.NewShifts(c.before, c.after)
	}
	return c.shifts.At(c.ask(confidence))
}

// pointOnly reports whether a finding has estimates without intervals.
func pointOnly(f *finding.Finding) bool {
	return f.Absolute != nil && f.Absolute.Low == nil && (f.Relative == nil || f.Relative.Low == nil)
}

func costOf(f *finding.Finding) finding.Cost {
	return finding.Cost{Value: f.Value, Absolute: f.Absolute, Relative: f.Relative, Amount: f.Amount, Blocks: f.Blocks}
}

// addedBy is what each block of a finding adds to the baseline.
func addedBy(f *finding.Finding) []float64 {
	base, value := estimate.Columns(f.Samples)
	return estimate.Minus(value, base)
}

func logarithms(x []float64) (logs []float64, ok bool) {
	for _, v := range x {
		if !(v > 0) || !estimate.Sane(v) {
			return nil, false
		}
		logs = append(logs, math.Log(v))
	}
	return logs, true
}

func sortedInts[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

func exponentials(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, v := range logs {
		out[i] = math.Exp(v)
	}
	return out
}

// shift is an estimate as a change has it; nil where there is none.
func shift(e stats.Estimate) *finding.Interval {
	if math.IsNaN(e.Center) || math.IsInf(e.Center, 0) {
		return nil
	}
	return estimate.Interval(e, false)
}
