// This file says how many blocks were asked for, what confidence is asked of an
// interval where their number was not fixed, and why there are no more.

package effect

import (
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/finding"
)

// Stopping is where an experiment that stops at a precision stands.
type Stopping struct {
	blocks  int     // made
	Enough  bool    // the precision is reached
	Width   float64 // half of the widest interval, on the scale of log-ratios
	AtMost  bool    // no more may be made
	Unknown bool    // it cannot be said how narrow the intervals are
}

// Stopping looks at the records as whoever stopped the experiment did.
func (s *Maker) Stopping() Stopping {
	made := len(s.Attempted(s.Baseline))
	out := Stopping{blocks: made, AtMost: made >= s.Experiment.Design.Most}
	var err error
	if out.Width, err = s.Widest(s.Experiment.Design.Metric); err != nil {
		out.Unknown = true
		return out
	}
	out.Enough = made >= s.Experiment.Design.Blocks && out.Width <= s.Experiment.Design.Precision
	return out
}

// Stopped says why no more blocks were made; nil where their number was fixed, or
// where more are to come.
func (s *Maker) Stopped() *finding.Reason {
	if !s.Stops() {
		return nil
	}
	at := s.Stopping()
	reason := &finding.Reason{Metric: s.PrecisionName(), Figures: []finding.Figure{
		{Name: "blocks", Value: float64(at.blocks), Unit: "count"}, {Name: "precision", Value: s.Experiment.Design.Precision, Unit: "1"},
	}}
	switch {
	case at.Enough:
		reason.Code = finding.StopPrecise
	case at.AtMost:
		reason.Code = finding.StopMost
	default:
		return nil
	}
	return reason
}

// PrecisionText is the precision that is asked for: "±2.0 %".
func (s *Maker) PrecisionText() string {
	return "±" + finding.FormatBound(s.Experiment.Design.Precision, "1", true)
}

// PrecisionMetric is the metric that the precision is asked of, in words.
func (s *Maker) PrecisionMetric() string {
	return finding.MetricName(s.PrecisionName())
}

// PrecisionName is the name of that metric.
func (s *Maker) PrecisionName() string {
	name := s.Experiment.Design.Metric
	if name == "" && len(s.Cells()) > 0 {
		return measure.Headline(s.RegimeOf(s.Cells()[0])).Name
	}
	return name
}

// blocksAsked is how many blocks the experiment is done with.
func (s *Maker) blocksAsked() int {
	d := s.Experiment.Design
	if !s.Stops() {
		return max(d.Blocks, s.LastBlock()) // a block in the place of a spoiled one is begun to be whole
	}
	if at := s.Stopping(); at.Enough {
		return at.blocks
	}
	return d.Most
}
