// This file finds the reasons for which an interval, however narrow, does not
// answer the question.
package analysis

import (
	"fmt"
	"math"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// The thresholds of doubt.
const (
	modeShare = 0.01 // of the larger mode, by which modes must differ to matter
	lagShare  = 0.1  // of the effect, by which the generator's lag may differ
)

// doubts are what stands against a verdict.
type doubts struct {
	overloaded string // a variant could not hold the rate
	reason     string // why it cannot be told
	modes, lag bool   // which reason it is
}

// doubtsOf looks for reasons against a verdict on the claim.
func (s *study) doubtsOf(c *claim) doubts {
	var d doubts
	if c.Operation != "" {
		d.overloaded = s.overloadOf(c.pair, c.at)
	}
	if c.bent != "" {
		d.reason = c.bent
		return d
	}
	base, value := columns(c.Samples)
	if c.metric.added {
		base = nil // its baseline is nought by definition
	}
	least := math.Max(modeShare, resolution(c.Samples)) // neighbouring brackets may hold the same rate
	matters, find := 0.0, stats.Modes
	if c.Amount && c.Absolute != nil { // modes of an operation that does nothing may be next to nothing beside what is added
		matters, find = modeShare*math.Abs(c.Absolute.Estimate), stats.ModesOfDifference
	}
	if report := find(base, value); report.Differ && (apart(report.Baseline, least, matters) || apart(report.Value, least, matters)) {
		d.modes, d.reason = true, modesText(report, c)
		return d
	}
	if text := s.lagOf(c); text != "" {
		d.lag, d.reason = true, text
	}
	return d
}

// noteDoubts keeps what the warnings are to tell.
func (s *study) noteDoubts(c *claim) {
	where := place(c.at, c.Variant)
	if c.pair.extra {
		where += " against " + c.Against
	}
	if c.doubts.modes {
		s.modes = append(s.modes, doubt{metricWord(c), c.doubts.reason, where})
	}
	if c.doubts.lag {
		s.lags = append(s.lags, doubt{metricWord(c), c.doubts.reason, where})
	}
	if c.doubts.overloaded != "" && !c.metric.latency {
		c.remark("not at the same rate: " + c.doubts.overloaded)
	}
	if c.Role == "" && (c.Metric == cpuPerOperation || c.Metric == timePerCall) {
		if lost := 1 - s.share(c.Variant, c.at); lost > 1-lossless {
			c.remark(finding.FormatValue(lost, "1") + " of its spans were lost: the cost is that of a tracer that throws spans away")
		}
	}
	if c.Metric == cpuPerOperation && !isHarness(c.Role) {
		for _, sample := range c.Samples {
			if sample.Baseline < 0 || sample.Value < 0 {
				s.below = append(s.below, hit{fmt.Sprintf("block %d: the idle rate over the drain is more than the window used", sample.Block), where})
				break
			}
		}
	}
}

// apart reports whether modes differ by more than a share of the larger, and by more than
// matters, also where the other side is zero and there is no ratio to judge them by.
func apart(modes []stats.Mode, share, matters float64) bool {
	if len(modes) < 2 {
		return false
	}
	least, most := modes[0].Center, modes[len(modes)-1].Center
	return most-least > math.Max(matters, share*math.Max(math.Abs(least), math.Abs(most)))
}

// remark adds to what is to be known beside the claim.
func (c *claim) remark(text string) {
	if c.Note != "" {
		c.Note += "; "
	}
	c.Note += text
}

func metricWord(c *claim) string {
	if c.Role == "" {
		return finding.MetricName(c.Metric)
	}
	return finding.MetricName(c.Metric) + " of " + c.Role
}

// doubt is a verdict withheld.
type doubt struct{ metric, reason, where string }

// together makes one hit of all doubts at one place: the metrics by name, and
// the reason of the first.
func together(doubts []doubt) []hit {
	var hits []hit
	var order []string
	metrics, reasons := map[string][]string{}, map[string]string{}
	for _, d := range doubts {
		if reasons[d.where] == "" {
			order = append(order, d.where)
			reasons[d.where] = d.reason
		}
		metrics[d.where] = append(metrics[d.where], d.metric)
	}
	for _, where := range order {
		names := metrics[where]
		text := names[0] + ": " + reasons[where]
		if len(names) > 1 {
			text += "; likewise " + strings.Join(names[1:], ", ")
		}
		hits = append(hits, hit{text, where})
	}
	return hits
}

func modesText(r stats.ModeReport, c *claim) string {
	name, modes := c.Variant, r.Value
	if len(r.Baseline) > len(r.Value) {
		name, modes = c.Against, r.Baseline
	}
	var parts []string
	for _, m := range modes {
		parts = append(parts, fmt.Sprintf("%.0f %% at %s", m.Share*100, finding.FormatValue(m.Center, c.Unit)))
	}
	return "the runs of " + name + " fall into modes, " + strings.Join(parts, " and ")
}

// lagOf says by how much the generator's lag differs between the variants, where
// it is over a tenth of the effect: then the effect may be the generator's.
func (s *study) lagOf(c *claim) string {
	if !c.metric.latency || c.Absolute == nil || c.Absolute.Low == nil {
		return ""
	}
	var lags []float64
	for _, sample := range c.Samples {
		base, ok := s.runs[c.Against][sample.Block].phases[c.at].lagAt(c.metric.percentile)
		value, okValue := s.runs[c.Variant][sample.Block].phases[c.at].lagAt(c.metric.percentile)
		if !ok || !okValue {
			return ""
		}
		lags = append(lags, value-base)
	}
	effect := math.Abs(c.Absolute.Estimate)
	if *c.Absolute.Low <= 0 && *c.Absolute.High >= 0 {
		effect = math.Max(-*c.Absolute.Low, *c.Absolute.High)
	}
	lag := stats.Center(lags)
	if math.Abs(lag) <= lagShare*effect {
		return ""
	}
	return fmt.Sprintf("the load generator's own lag differs by %s, over a tenth of what is measured (%s)",
		finding.FormatValue(math.Abs(lag), "s"), finding.FormatValue(effect, "s"))
}

// lagAt is the generator's lag at a percentile; its mean for 0.
func (p *phase) lagAt(percentile float64) (float64, bool) {
	if percentile == 0 {
		return p.lag.mean()
	}
	return p.lag.at(percentile)
}
