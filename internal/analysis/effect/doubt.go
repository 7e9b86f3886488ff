// This file finds the reasons for which an interval, however narrow, does not
// answer the question.
package effect

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/words"
)

// lagShare is the share of the effect by which the generator's lag may differ.
const lagShare = 0.1

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
		if text := s.OverloadOf(c.pair, at); text != "" && d.overloaded == nil {
			d.overloaded = &finding.Reason{Code: finding.WhyOverloaded, Said: text}
		}
	}
	if c.bent != "" {
		d.reason = &finding.Reason{Code: finding.WhyBent, Said: c.bent}
		return d
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
		s.Modes = append(s.Modes, c.doubt(words.Reason(*r)))
	} else if r != nil && r.Code == finding.WhyLag {
		s.Lags = append(s.Lags, c.doubt(words.Reason(*r)))
	}
	if c.doubts.overloaded != nil && c.metric.Nature != metric.Latency {
		c.remark("not at the same rate: " + words.Reason(*c.doubts.overloaded))
	}
	if c.Role == "" && (c.Metric == metric.CPUPerOperation || c.Metric == metric.TimePerCall) {
		if lost := 1 - s.Share(c.Variant, c.at); finding.Matters(lost) {
			c.remark(finding.FormatValue(lost, "1") + " of its spans were lost: the cost is that of a tracer that throws spans away")
		} else if unknown := s.UnknownLoss(c.Variant, c.at); unknown != nil {
			c.remark(unknown.Text + ": the cost may be that of less work")
		}
	}
	if c.Metric == metric.CPUPerOperation && !role.Role(c.Role).Harness() {
		for _, sample := range c.Samples {
			if sample.Baseline < 0 || sample.Value < 0 {
				s.Below = append(s.Below, c.doubt(fmt.Sprintf("block %d: the idle rate over the drain is more than the window used", sample.Block)))
				break
			}
		}
	}
}

// remark adds to what is to be known beside the claim.
func (c *claim) remark(text string) {
	if c.Note != "" {
		c.Note += "; "
	}
	c.Note += text
}

// lagOf says by how much the generator's lag differs between the variants, where
// it is over a tenth of the effect: then the effect may be the generator's. It is nil where it is not.
func (s *Maker) lagOf(c *claim) *finding.Reason {
	if c.metric.Nature != metric.Latency || c.Absolute == nil || c.Absolute.Low == nil {
		return nil
	}
	var lags []float64
	for _, sample := range c.Samples {
		base, ok := s.Runs[c.Against][sample.Block].ByCell[c.at].LagAt(c.metric.Percentile)
		value, okValue := s.Runs[c.Variant][sample.Block].ByCell[c.at].LagAt(c.metric.Percentile)
		if !ok || !okValue {
			return nil
		}
		lags = append(lags, value-base)
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
