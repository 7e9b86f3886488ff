// Reasons why an interval, however narrow, does not answer the question.

package effect

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

// How late the generator may be for a verdict on latency.
const (
	lagShare = 0.1   // of the effect, by which its lag may differ
	lateLag  = 0.001 // seconds on average: where this is over a tenth of the latency too, a ratio of latencies is in part one of lags
)

// doubts are the reasons against a verdict.
type doubts struct {
	overloaded *finding.Reason // a variant could not hold the rate
	broken     *finding.Reason // the same, where the other side did: no budget allows that
	first      *finding.Reason // the figure is none, whatever its interval
	reason     *finding.Reason // against any verdict
	gap        float64         // between modes, on the scale of the verdict
}

// doubtsOf looks for reasons against a verdict on the claim.
func (s *Estimator) doubtsOf(c *draft) doubts {
	d := doubts{first: s.unseenOf(c)}
	overload := s.OverloadOfWork
	if c.metric.Nature == metric.Latency {
		overload = s.OverloadOf
	}
	for _, at := range s.placesOf(c) {
		if d.overloaded == nil {
			d.overloaded = overload(c.pair, at)
		}
		if own := s.Overloaded(c.Variant, at); d.broken == nil && own != nil && s.Overloaded(c.Against, at) == nil {
			d.broken = atLeast(own, c)
		}
		if d.first == nil && ofCPU(c.Metric) {
			d.first = s.noCPU(c.metric, c.pair, at)
		}
	}
	if d.reason = c.bent; d.reason != nil {
		return d
	}
	for _, at := range s.placesOf(c) {
		if d.reason = s.OtherWork(c.pair, at); d.reason != nil {
			return d
		}
		if ofCPU(c.Metric) && s.InTurnAt(at) || c.metric.Nature == metric.Latency {
			if d.reason = s.restedOf(c.pair, at); d.reason != nil {
				return d
			}
		}
	}
	if d.reason = s.putOffOf(c); d.reason != nil {
		return d
	}
	if d.reason = s.lagOf(c); d.reason != nil {
		return d
	}
	if d.reason = s.tailsOf(c); d.reason != nil {
		return d
	}
	d.reason, d.gap = c.modes()
	return d
}

// unseenOf returns the reason that the use in a claim may be that of another program than the one that answered; or nil.
func (s *Estimator) unseenOf(c *draft) *finding.Reason {
	if c.metric.Nature != metric.Cost {
		return nil
	}
	for _, variant := range []string{c.Variant, c.Against} {
		if slices.ContainsFunc(s.RunsOf(variant), func(r *dataset.Run) bool { return len(r.Start.Unseen) > 0 }) {
			return &finding.Reason{Code: finding.WhyUnseen, Variant: variant}
		}
	}
	return nil
}

// atLeast returns the reason why a variant is over any budget: it could not hold the rate. What it cost at the rate that it reached is the
// least that it costs.
func atLeast(overloaded *finding.Reason, c *draft) *finding.Reason {
	out := *overloaded
	out.Figures = slices.Clone(out.Figures)
	if c.Relative != nil && ofCPU(c.Metric) && c.Relative.Estimate > 0 {
		out.Figures = append(out.Figures, finding.Figure{Name: "least", Value: c.Relative.Estimate, Unit: "1"})
	}
	return &out
}

// leastCPU is the CPU seconds that any program takes to answer a request: a system call to read and one to write it take more.
const leastCPU = 1e-6

// noCPU returns the reason that a side of a pair used less CPU than any program that answers requests: another one answered
// them. It is nil if neither did, and if operations are not requests.
func (s *Estimator) noCPU(m measure.Measure, p dataset.Pair, at cell.At) *finding.Reason {
	if m.Payer != (role.Charge{}) || m.Name != metric.CPUPerOperation || metric.Driven.Has(s.RegimeOf(at)) {
		return nil
	}
	for _, variant := range []string{p.Variant, p.Against} {
		var used []float64
		for _, phase := range s.PhasesOf(variant, at) {
			if one, ok := dataset.Over(phase.CPU(role.Charge{}), float64(phase.Load.Completed)); ok && !phase.Restless {
				used = append(used, one)
			}
		}
		if of := stats.Center(used); len(used) > 0 && of < leastCPU {
			return &finding.Reason{Code: finding.WhyNoCPU, Variant: variant, Figures: []finding.Figure{{Name: "cpu", Value: max(0, of), Unit: "s"}}}
		}
	}
	return nil
}

// placesOf returns the cells of a claim: its own, or all of them if it is about the load of the
// whole run.
func (s *Estimator) placesOf(c *draft) []cell.At {
	switch {
	case finding.IsOfLoad(c.Metric):
		return s.Cells()
	case c.metric.WholeRun:
		return nil
	}
	return []cell.At{c.at}
}

// noteDoubts keeps the doubts for the warnings.
func (s *Estimator) noteDoubts(c *draft) {
	if r := c.doubts.reason; r != nil && r.Code == finding.WhyModes {
		s.Modes = append(s.Modes, c.doubt(*r))
	} else if r != nil && r.Code == finding.WhyLag {
		s.Lags = append(s.Lags, c.doubt(*r))
	}
	if r := c.doubts.reason; r != nil && (r.Code == finding.WhyAnswers || r.Code == finding.WhyBodies) && c.Verdict.Reason().Code != r.Code {
		c.remark(*r) // of figures without a verdict
	}
	if c.doubts.overloaded != nil && c.metric.Nature != metric.Latency {
		note := *c.doubts.overloaded
		note.Code = finding.NoteOtherRate
		c.remark(note)
	}
	if c.Role == "" && (c.Metric == metric.CPUPerOperation || c.Metric == metric.TimePerCall) {
		if note := s.lossNote(c.Variant, c.at); note != nil {
			c.remark(*note)
		}
	}
	if c.Metric == metric.CPUPerOperation && !role.Role(c.Role).Harness() {
		for _, sample := range c.Samples {
			if sample.Baseline < 0 || sample.Value < 0 {
				s.Below = append(s.Below, c.doubt(finding.Reason{Code: finding.DoubtBelow, Figures: []finding.Figure{{Name: "block", Value: float64(sample.Block), Unit: "count"}}}))
				break
			}
		}
	}
}

// isDark reports whether no span came of a variant on a cell though some should have.
func (s *Estimator) isDark(variant string, at cell.At) bool {
	none, _ := s.Untraced(variant)
	return slices.ContainsFunc(none, func(l finding.Ledger) bool { return l.Operation == at.Operation })
}

// lossNote returns the loss of a variant, or the possible loss, in the measured part of a cell; nil if that is too small to
// matter.
func (s *Estimator) lossNote(variant string, at cell.At) *finding.Reason {
	if lost := 1 - s.Of(variant, at).Share; finding.Matters(lost) {
		return &finding.Reason{Code: finding.NoteLossy, Variant: variant, Figures: []finding.Figure{{Name: "share", Value: lost, Unit: "1"}}}
	}
	if unknown := s.Of(variant, at).Unknown; unknown != nil {
		return &finding.Reason{Code: finding.NoteMayBeLossy, Variant: variant, Because: unknown.Why, Figures: []finding.Figure{{Name: "share", Value: unknown.LostMost, Unit: "1"}}}
	}
	return nil
}

// lagOf returns a reason if the generator's lag differs between the variants by over a tenth of the effect: the effect may be
// the generator's. Or if the lag with both is a part of their latency. Else nil.
func (s *Estimator) lagOf(c *draft) *finding.Reason {
	if c.metric.Nature != metric.Latency || c.Absolute == nil || c.Absolute.Low == nil {
		return nil
	}
	var lags, means []float64
	for _, sample := range c.Samples {
		against, run := s.Both(c.pair, sample.Block)
		base, ok := against.ByCell[c.at].LagAt(c.metric.Percentile)
		value, okValue := run.ByCell[c.at].LagAt(c.metric.Percentile)
		for _, one := range []*dataset.Run{against, run} {
			if mean, ok := one.ByCell[c.at].LagAt(0); ok {
				means = append(means, mean)
			}
		}
		if ok && okValue {
			lags = append(lags, value-base)
		}
	}
	if late, latency := stats.Center(means), c.latency(); late > lateLag && late > lagShare*latency {
		return &finding.Reason{Code: finding.WhyLate, Figures: []finding.Figure{{Name: "lag", Value: late, Unit: "s"}, {Name: "latency", Value: latency, Unit: "s"}}}
	}
	if len(lags) < len(c.Samples) {
		return nil
	}
	effect := math.Abs(c.Absolute.Estimate)
	if *c.Absolute.Low <= 0 && *c.Absolute.High >= 0 {
		effect = math.Max(-*c.Absolute.Low, *c.Absolute.High)
	}
	lag := stats.Center(lags)
	if math.Abs(lag) <= lagShare*effect {
		return nil
	}
	return &finding.Reason{Code: finding.WhyLag, Figures: []finding.Figure{{Name: "lag", Value: math.Abs(lag), Unit: "s"}, {Name: "effect", Value: effect, Unit: "s"}}}
}

// waiting is the share of answers that wait for a delayed acknowledgement above which latency tells nothing of the program.
const waiting = 0.05

// putOffOf returns the reason that answers of one of a pair waited for a delayed acknowledgement: 40 ms, to the kernel's tick,
// and most of what a program takes besides falls into the wait or is one with it. Nil if neither's did, and for other metrics than latency.
func (s *Estimator) putOffOf(c *draft) *finding.Reason {
	if c.metric.Nature != metric.Latency {
		return nil
	}
	for _, variant := range []string{c.Variant, c.Against} {
		if share := s.PutOff(variant, c.at); share > 0 {
			return &finding.Reason{Code: finding.WhyPutOff, Variant: variant, Figures: []finding.Figure{{Name: "share", Value: share, Unit: "1"}}}
		}
	}
	return nil
}

// PutOff returns the share of a variant's answers that waited for a delayed acknowledgement; 0 if these are few.
func (s *Estimator) PutOff(variant string, at cell.At) float64 {
	var waited, all uint64
	for _, p := range s.PhasesOf(variant, at) {
		did := p.Clocked()
		waited, all = waited+did.PutOff, all+did.Completed
	}
	if share, ok := dataset.Over(float64(waited), float64(all)); ok && share > waiting {
		return share
	}
	return 0
}

// latency returns the latency of the claim on its baseline.
func (c *draft) latency() float64 {
	var of []float64
	for _, sample := range c.Samples {
		of = append(of, sample.Baseline)
	}
	return stats.Center(of)
}

// Verdicts withheld from variants that have their load at the same time: on wall time.

// shareCPU removes the verdict from a claim that woven variants cannot answer. The figures stay, without
// intervals: these would give a wrong figure's precision.
func (c *draft) shareCPU() {
	c.Absolute, c.Relative = claim.Bare(c.Absolute), claim.Bare(c.Relative)
	c.remark(because(finding.NoteSharedCPU))
	if c.metric.NoVerdict {
		return
	}
	if c.budget != nil {
		c.Verdict.Budget, c.Verdict.BudgetUnit = &c.budget.Value, c.budget.Unit
	}
	c.cannotTell(because(finding.WhySharedCPU))
}

// Whether a difference depends on the order of the runs: on the first of the two, or on the runs
// before them.

// Thresholds for an order that matters.
const (
	orderAlarm  = 0.01 // the share of false alarms among experiments
	orderEffect = 0.01 // the least difference that it makes: of the baseline, or of an amount
)

// ordering is one question of order about one claim.
type ordering struct {
	claim *draft
	split stats.Split
	most  finding.Code // what the blocks of the highest score are
	least finding.Code // and, where that is "elsewhere", those of the lowest; "" where both are the same question
}

// orderings are the questions of order about all headlines, over the same list of blocks.
func (s *Estimator) orderings() []ordering {
	at := map[*record.Record]int{}
	for i := range s.Records {
		at[&s.Records[i]] = i
	}
	// before is the variant whose run was made right before; "" where it is not known.
	before := func(r *dataset.Run) string {
		if i := at[r.Record]; i > 0 && s.Records[i-1].Kind == record.Measured {
			return s.Records[i-1].Variant
		}
		return ""
	}
	column := map[int]int{}
	for _, block := range s.BlocksOf(s.Baseline, s.Baseline) {
		column[block] = len(column)
	}
	var out []ordering
	for _, c := range s.headlines {
		if measure.Joined(s.Set) {
			break // sittings and nodes have no order of their own
		}
		if !c.evidence.Ratio && !c.Amount || c.evidence.Blocks() != len(c.Samples) {
			continue
		}
		values, earlier, next := make([]float64, len(column)), make([]float64, len(column)), make([]float64, len(column))
		for i := range values {
			values[i] = math.NaN()
		}
		for i, sample := range c.Samples {
			base, value := s.Both(c.pair, sample.Block)
			j, known := column[sample.Block]
			if base == nil || value == nil || !known {
				continue
			}
			values[j] = c.evidence.Value[i].Mid
			earlier[j] = one(at[value.Record] < at[base.Record])
			next[j] = one(before(base) == c.Variant) - one(before(value) == c.Variant)
		}
		out = append(out,
			ordering{c, stats.Split{Values: values, Scores: earlier}, finding.DoubtRanFirst, ""},
			ordering{c, stats.Split{Values: values, Scores: next}, finding.DoubtRightNext, finding.DoubtRightPrev})
	}
	return out
}

// reason returns the figures of the blocks of the highest score and of the others, and whether they
// are so far apart that it matters.
func (o ordering) reason() (reason finding.Reason, large bool) {
	var scores []float64
	for i, v := range o.split.Values {
		if !math.IsNaN(v) {
			scores = append(scores, o.split.Scores[i])
		}
	}
	if len(scores) == 0 {
		return finding.Reason{}, false
	}
	code, asked := o.most, slices.Max(scores)
	if o.least != "" && asked <= 0 { // no block is of the first kind: those of the second stand against the rest
		code, asked = o.least, slices.Min(scores)
	}
	var first, rest []float64
	for i, v := range o.split.Values {
		switch {
		case math.IsNaN(v):
		case o.split.Scores[i] == asked:
			first = append(first, v)
		default:
			rest = append(rest, v)
		}
	}
	if len(first) == 0 || len(rest) == 0 {
		return finding.Reason{}, false
	}
	least, unit := orderEffect, "1"
	if !o.claim.evidence.Ratio {
		least, unit = least*math.Abs(o.claim.Absolute.Estimate), o.claim.Unit
	}
	gap := math.Abs(stats.NewShifts(first, rest).At(claim.Confidence).Center)
	told := func(name string, values []float64) finding.Figure {
		return finding.Figure{Name: name, Value: o.claim.evidence.Shown(stats.Estimate{Center: stats.Center(values)}).Center, Unit: unit}
	}
	return finding.Reason{Code: code, Metric: o.claim.Metric, Variant: o.claim.Variant, Against: o.claim.Against,
		Figures: []finding.Figure{told("there", first), told("elsewhere", rest)}}, gap >= least
}

// one is 1 for yes, 0 for no.
func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// CarryOver looks at the headlines, which all come from the same runs: whichever order of
// these makes a difference to one of them makes it to those beside it. Of runs that are made together there is no
// order.
func (s *Estimator) CarryOver() []Doubt {
	if s.Experiment.Design.Order.Together() {
		return nil
	}
	asked := s.orderings()
	var splits []stats.Split
	for _, o := range asked {
		splits = append(splits, o.split)
	}
	var out []Doubt
	for i, p := range stats.Splits(splits) {
		if reason, large := asked[i].reason(); p <= orderAlarm && large {
			out = append(out, asked[i].claim.doubt(reason))
		}
	}
	return out
}

// Runs of one side that fall into modes which the other side's do not have: when that leaves a
// cost without a verdict, and when not.

// modes returns the modes that one side has and the other has not, and their distance on the scale of the verdict; nil if
// they do not matter.
func (c *draft) modes() (reason *finding.Reason, gap float64) {
	base, value := claim.Sides(c.Samples)
	if c.metric.Added {
		base = nil // its baseline is nought by definition
	}
	matters, find := 0.0, stats.Modes
	if c.Amount && c.Absolute != nil { // modes of an operation that does nothing may be next to nothing beside what is added
		matters, find = claim.ModeShare*math.Abs(c.Absolute.Estimate), stats.ModesOfDifference
	}
	share := claim.Resolution(c.Samples) // neighbouring brackets may hold the same rate
	modes, ofBase := claim.Divided(find(base.Values(), value.Values()), share, matters)
	if modes == nil {
		return nil, 0
	}
	reason = &finding.Reason{Code: finding.WhyModes, Variant: c.Variant}
	if ofBase {
		reason.Variant = c.Against
	}
	for _, m := range modes {
		reason.Figures = append(reason.Figures, finding.Figure{Name: "share", Value: m.Share, Unit: "1"}, finding.Figure{Name: "at", Value: m.Center, Unit: c.Unit})
	}
	least, most := modes[0].Center, modes[len(modes)-1].Center
	if c.evidence.Ratio {
		return reason, math.Log(most / least)
	}
	return reason, most - least
}
