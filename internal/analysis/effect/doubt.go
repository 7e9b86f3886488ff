// This file finds the reasons for which an interval, however narrow, does not
// answer the question.

package effect

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
)

// How late the generator may be for a verdict on latency.
const (
	lagShare = 0.1   // of the effect, by which its lag may differ
	lateLag  = 0.001 // seconds on average: where this is over a tenth of the latency too, a ratio of latencies is in part one of lags
)

// doubts are what stands against a verdict.
type doubts struct {
	overloaded *finding.Reason // a variant could not hold the rate
	reason     *finding.Reason // why it cannot be told
	gap        float64         // between modes, on the scale of the verdict
}

// doubtsOf looks for reasons against a verdict on the claim.
func (s *Maker) doubtsOf(c *claim) doubts {
	var d doubts
	for _, at := range s.placesOf(c) {
		if d.overloaded == nil {
			d.overloaded = s.OverloadOf(c.pair, at)
		}
	}
	if d.reason = c.bent; d.reason != nil {
		return d
	}
	for _, at := range s.placesOf(c) {
		if d.reason = s.OtherWork(c.pair, at); d.reason != nil {
			return d
		}
	}
	if d.reason = s.lagOf(c); d.reason != nil {
		return d
	}
	if report := modesOf(c); report.Differ {
		d.reason, d.gap = modesReason(report, c), c.gapBetween(report)
	}
	return d
}

// placesOf is where what a claim is about was made: on its own cell, or on all of them where it
// is of the load of the whole run.
func (s *Maker) placesOf(c *claim) []cell.At {
	switch {
	case finding.IsOfLoad(c.Metric):
		return s.Cells()
	case c.metric.WholeRun:
		return nil
	}
	return []cell.At{c.at}
}

// noteDoubts keeps what the warnings are to tell.
func (s *Maker) noteDoubts(c *claim) {
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
func (s *Maker) isDark(variant string, at cell.At) bool {
	none, _ := s.Untraced(variant)
	return slices.ContainsFunc(none, func(l finding.Ledger) bool { return l.Operation == at.Operation })
}

// lossNote says what a variant lost, or may have lost, of the spans of what is measured on a cell; nil where that is too
// little to matter.
func (s *Maker) lossNote(variant string, at cell.At) *finding.Reason {
	if lost := 1 - s.Share(variant, at); finding.Matters(lost) {
		return &finding.Reason{Code: finding.NoteLossy, Variant: variant, Figures: []finding.Figure{{Name: "share", Value: lost, Unit: "1"}}}
	}
	if unknown := s.UnknownLoss(variant, at); unknown != nil {
		return &finding.Reason{Code: finding.NoteMayBeLossy, Variant: variant, Because: unknown.Why, Figures: []finding.Figure{{Name: "share", Value: unknown.LostMost, Unit: "1"}}}
	}
	return nil
}

// lagOf says by how much the generator's lag differs between the variants, where it is over a tenth of the effect: then the
// effect may be the generator's. Or it says how late it was with both, where that is a part of their latency. It is nil where
// neither is so.
func (s *Maker) lagOf(c *claim) *finding.Reason {
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

// latency is what the claim is about on its baseline.
func (c *claim) latency() float64 {
	var of []float64
	for _, sample := range c.Samples {
		of = append(of, sample.Baseline)
	}
	return stats.Center(of)
}
