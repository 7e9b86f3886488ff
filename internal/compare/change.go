// This file is a change on its way to a verdict, and the numbers it is estimated from.

package compare

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/words"
)

// change is a finding of a comparison on its way to a verdict. Before
// and after are the values on the scale that is compared, one a block.
type change struct {
	finding.Change
	before, after []float64
	in            []int         // the blocks of after, where paired
	endsBefore    *claim.Extent // of before and after, where they are not exact
	endsAfter     *claim.Extent
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
	broken        *finding.Reason // the newer variant could not hold the rate, and the older one did
	budget        *config.Limit
	noRatio       finding.Reason        // why there is no ratio to the baseline
	unanswered    bool                  // nothing was measured that the budget could be held against
	byAmount      func()                // changes the scale to what is added, for a limit of it
	ask           func(float64) float64 // widens a confidence where a result stopped by its precision
}

// bare takes the intervals away; of enough blocks this is not for want of them.
func (c *change) bare() {
	for _, i := range []*finding.Interval{c.Absolute, c.Relative} {
		if i != nil {
			i.Low, i.High = nil, nil
		}
	}
	c.figure = min(len(c.before), len(c.after)) >= stats.MinBlocks(claim.Confidence)
}

// estimate is the shift on the scale that is compared.
func (c *change) estimate(confidence float64) stats.Estimate {
	if c.paired {
		return c.endsAfter.SignedRank(c.after, c.ask(confidence))
	}
	if c.bracketed() {
		return rankSum(values{c.before, c.endsBefore}, values{c.after, c.endsAfter}, c.ask(confidence))
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
	base, value := claim.Columns(f.Samples)
	return claim.Minus(value, base)
}

func logarithms(x []float64) (logs []float64, ok bool) {
	for _, v := range x {
		if !(v > 0) || !claim.Sane(v) {
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
	return claim.Interval(e, false)
}

// This file matches the findings of two results and estimates what changed.

// pair compares the base with one other result.
func (c *comparison) pair(index int, doc *finding.Document) {
	after := map[key]*finding.Finding{}
	for _, f := range overBaseline(doc) {
		after[keyOf(f)] = f
	}
	ask := c.asked(doc)
	var made []*change
	for _, f := range overBaseline(c.in.Base) {
		g := after[keyOf(f)]
		if g == nil || !c.in.Filter.matches(f) {
			continue
		}
		if len(f.Samples) == 0 && len(g.Samples) == 0 {
			made = append(made, c.untold(index, f, g)...)
			continue
		}
		made = append(made, c.changeOf(index, f, g, ask))
	}
	c.changes = append(c.changes, made...)
	c.changes = append(c.changes, means(index, made)...)
	c.baselines = append(c.baselines, c.baselineChanges(index, after, ask)...)
}

// untold is what a comparison says of a headline that one side cannot tell: silence would read as no change.
func (c *comparison) untold(index int, f, g *finding.Finding) []*change {
	if !f.Headline && !g.Headline {
		return nil
	}
	one := &change{Change: finding.Change{
		Of: finding.OfCost, New: index, Operation: g.Operation, Variant: g.Variant, Against: g.Against, Parameter: g.Parameter,
		Metric: g.Metric, Unit: g.Unit, Better: g.Better, Headline: true, Before: costOf(f), After: costOf(g),
	}, ask: func(confidence float64) float64 { return confidence }}
	if c.mode == finding.ByVariants {
		one.Against, one.paired = f.Variant, true
	}
	one.doubts(c, index, f, g)
	if one.doubt == nil && one.overloaded == nil {
		one.doubt = &finding.Reason{Code: finding.WhyNotInBoth}
	}
	return []*change{one}
}

// asked widens a confidence where one of the results stopped when its own interval
// was narrow enough.
func (c *comparison) asked(doc *finding.Document) func(float64) float64 {
	return func(confidence float64) float64 {
		for _, e := range []finding.Experiment{c.in.Base.Experiment, doc.Experiment} {
			if stops(e) {
				return stats.SequentialConfidence(e.Blocks, e.Most, confidence)
			}
		}
		return confidence
	}
}

// stops reports whether what was seen decided how many blocks there are.
func stops(e finding.Experiment) bool { return e.Precision > 0 && e.Most > e.Blocks }

// changeOf compares one finding with its successor.
func (c *comparison) changeOf(index int, f, g *finding.Finding, ask func(float64) float64) *change {
	one := &change{Change: finding.Change{
		Of: finding.OfCost, New: index, Operation: f.Operation, Variant: f.Variant, Against: f.Against, Parameter: f.Parameter,
		Metric: f.Metric, Role: f.Role, Service: f.Service, Unit: f.Unit, Better: f.Better, Headline: f.Headline,
		Before: costOf(f), After: costOf(g),
	}, ask: ask}
	_, one.valuesBefore = claim.Columns(f.Samples)
	_, one.valuesAfter = claim.Columns(g.Samples)
	one.scale(f, g)
	if one.before != nil && one.Before.Absolute != nil && one.After.Absolute != nil {
		one.Absolute = shift(rankSum(values{addedBy(f), claim.ExtentOf(f.Samples, claim.Difference)}, values{addedBy(g), claim.ExtentOf(g.Samples, claim.Difference)}, ask(claim.Confidence)))
	}
	if one.ratio {
		one.Relative = shift(stats.Ratio(one.estimate(claim.Confidence)))
	}
	one.byAmount = func() { one.amounts(f, g) }
	one.figure = one.figure || silent(f) || silent(g)
	one.unjudged = !c.claims(f)
	if pointOnly(f) || pointOnly(g) {
		one.bare()
	}
	one.doubts(c, index, f, g)
	one.looksCheaper, one.looksDearer = c.flattered(index, f, g)
	one.unseen = func(allowed float64) *finding.Reason { return unseenLoss(c.in.Base, f, c.in.News[index], g, allowed) }
	if one.doubt == nil && one.ratio {
		one.doubt = modesBetween(c.names[0], c.names[index+1], one.before, one.after, 2*math.Max(claim.Resolution(f.Samples), claim.Resolution(g.Samples)))
	}
	return one
}

// claims reports whether a claim is made on a finding's change: by default on what
// people decide by, over all roles; and on whatever metric or role a filter names.
func (c *comparison) claims(f *finding.Finding) bool {
	row, _ := metric.Of(f.Metric) // each claim more makes all intervals wider
	return (row.Claimed || c.in.Filter.names("metric", f)) && (f.Role == "" || c.in.Filter.names("role", f) || c.in.Filter.names("service", f))
}

// scale chooses what is compared: the logarithms of the ratios to the baseline;
// where that is zero the amount that is added, as a ratio of what it was, if
// there was any. A machine's drift is in an amount, so times have no verdict.
func (c *change) scale(f, g *finding.Finding) {
	before, errBefore := stats.LogRatios(claim.Columns(f.Samples))
	after, errAfter := stats.LogRatios(claim.Columns(g.Samples))
	if errBefore == nil && errAfter == nil && claim.Sane(math.Exp(claim.Largest(before))) && claim.Sane(math.Exp(claim.Largest(after))) {
		c.before, c.after, c.ratio = before, after, true
		c.endsBefore, c.endsAfter = claim.ExtentOf(f.Samples, claim.LogRatio), claim.ExtentOf(g.Samples, claim.LogRatio)
		c.logsBefore, c.logsAfter = byBlock(f.Samples, before, c.endsBefore), byBlock(g.Samples, after, c.endsAfter)
		return
	}
	c.before, c.after = addedBy(f), addedBy(g)
	c.noRatio = claim.NoRatio(f.Samples, f.Against, f.Variant)
	if c.noRatio.Code == finding.WhyNoRatio {
		c.noRatio = claim.NoRatio(g.Samples, g.Against, g.Variant)
	}
	c.Note = words.Reason(c.noRatio) + ": what is added is compared"
	if c.Unit != "bytes" && c.Unit != "count" {
		c.figure = true
		c.Note += ", and the machine's drift is in it"
	}
	logsBefore, okBefore := logarithms(c.before)
	logsAfter, okAfter := logarithms(c.after)
	if okBefore && okAfter {
		c.before, c.after, c.ratio = logsBefore, logsAfter, true
	}
}

// amounts compares what is added to the baseline, in its unit. Between two results the machine's drift is in it, and
// times have no verdict.
func (c *change) amounts(f, g *finding.Finding) {
	c.before, c.after, c.ratio, c.shifts = addedBy(f), addedBy(g), false, nil
	c.endsBefore, c.endsAfter = claim.ExtentOf(f.Samples, claim.Difference), claim.ExtentOf(g.Samples, claim.Difference)
	c.Relative = nil
	if c.Unit == "s" && c.doubt == nil {
		c.doubt = &finding.Reason{Code: finding.WhyFigureOnly}
	}
}

// This file compares capacities that are only known to lie between two rates: the
// change reaches from the least that it can be to the most.

// values are those of the blocks of one result; apart is nil where they are exact.
type values struct {
	mid  []float64
	ends *claim.Extent
}

func (v values) low() []float64 {
	if v.ends == nil {
		return v.mid
	}
	return v.ends.Low
}

func (v values) high() []float64 {
	if v.ends == nil {
		return v.mid
	}
	return v.ends.High
}

// rankSum is the shift from one result to another. Both ends of its interval rise with
// every value after and fall with every value before, as those of signedRank do.
func rankSum(before, after values, confidence float64) stats.Estimate {
	e := stats.RankSum(before.mid, after.mid, confidence)
	if before.ends == nil && after.ends == nil {
		return e
	}
	return claim.Outermost(e, stats.RankSum(before.high(), after.low(), confidence), stats.RankSum(before.low(), after.high(), confidence))
}

// bracketed reports whether the change is of capacities that are not exact.
func (c *change) bracketed() bool { return c.endsBefore != nil || c.endsAfter != nil }

// toExclude says how many blocks a result would have to have in all until the
// interval excludes the limit; bracket is true where no number is enough.
func (c *change) toExclude(limit, confidence float64) (all int, bracket bool) {
	if c.paired {
		return c.endsAfter.BlocksToExclude(c.after, limit, confidence)
	}
	before, after := values{c.before, c.endsBefore}, values{c.after, c.endsAfter}
	if !c.bracketed() {
		return stats.ValuesToExclude(c.before, c.after, limit, confidence, claim.Patience), false
	}
	switch {
	case stats.RankSum(before.high(), after.low(), confidence).Center > limit:
		return stats.ValuesToExclude(before.high(), after.low(), limit, confidence, claim.Patience), false
	case stats.RankSum(before.low(), after.high(), confidence).Center < limit:
		return stats.ValuesToExclude(before.low(), after.high(), limit, confidence, claim.Patience), false
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

// This file compares the baselines of two results themselves.

// baselineChanges compares the baselines themselves.
func (c *comparison) baselineChanges(index int, after map[key]*finding.Finding, ask func(float64) float64) []finding.Change {
	var out []finding.Change
	seen := map[key]bool{}
	for _, f := range overBaseline(c.in.Base) {
		g, k := after[keyOf(f)], keyOf(f)
		k.variant = ""
		if g == nil || seen[k] || f.Role != "" || !c.in.Filter.matches(f) {
			continue
		}
		base, _ := claim.Columns(f.Samples)
		now, _ := claim.Columns(g.Samples)
		logsBase, okBase := logarithms(base)
		logsNow, okNow := logarithms(now)
		if len(base) == 0 || len(now) == 0 || !okBase || !okNow {
			continue
		}
		seen[k] = true
		before, later := onlyBaseline(f.Samples), onlyBaseline(g.Samples)
		out = append(out, finding.Change{
			Of: finding.OfBaseline, New: index, Operation: f.Operation, Variant: f.Against, Parameter: f.Parameter,
			Metric: f.Metric, Unit: f.Unit, Better: f.Better, Headline: f.Headline,
			Before:   finding.Cost{Value: finding.Number(stats.Center(base)), Blocks: len(base)},
			After:    finding.Cost{Value: finding.Number(stats.Center(now)), Blocks: len(now)},
			Absolute: shift(rankSum(values{base, claim.ExtentOf(before, itself)}, values{now, claim.ExtentOf(later, itself)}, ask(claim.Confidence))),
			Relative: shift(stats.Ratio(rankSum(values{logsBase, claim.ExtentOf(before, logOf)}, values{logsNow, claim.ExtentOf(later, logOf)}, ask(claim.Confidence)))),
			Note:     "the program without tracing, and the machine: both may have changed",
		})
	}
	return out
}
