// This file holds what the findings say against the samples that they give, by a
// calculation of its own. The other checks reckon from the samples, and users read the
// rest: a cost that is said to be a saving would be found by none of them.

package selfcheck

import (
	"fmt"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/spec"
)

// agreement holds every finding of the form's experiments against its own samples.
func (f Form) agreement(all map[string]Evidence) Check {
	c := Check{Name: "findings and samples", Experiment: SmallCosts, Exact: true, Unit: "count"}
	var wrong string
	for _, one := range f.Experiments() {
		doc := all[one.Name].Document
		if doc == nil {
			continue // the checks that need it say so
		}
		c.Blocks += doc.Runs.Blocks
		for i := range doc.Findings {
			c.Known++
			text := disagreement(doc, &doc.Findings[i])
			if text == "" {
				c.Measured++
				continue
			}
			if wrong == "" {
				wrong, c.Experiment = text+", in "+one.Name, one.Name
			}
		}
	}
	switch {
	case c.Known == 0:
		return c.verdict(Failed, "there is no finding to hold against its samples")
	case wrong != "":
		return c.verdict(Failed, fmt.Sprintf("of %.0f findings %.0f do not say what their samples do; the first: %s", c.Known, c.Known-c.Measured, wrong))
	}
	return c.verdict(Passed, "found")
}

// disagreement says what a finding says that its samples do not; "" where nothing. Of
// samples that are brackets only the centres are looked at: no experiment of a selfcheck
// searches for a rate.
func disagreement(doc *finding.Document, f *finding.Finding) string {
	h := holder{Finding: f, quick: doc.Quick, woven: doc.Experiment.Order == string(spec.Woven), precise: doc.Experiment, warnings: doc.Warnings}
	text := h.figures()
	if text == "" && !h.bracketed() {
		text = h.intervals()
		if text == "" {
			text = h.verdict()
		}
	}
	if text == "" {
		return ""
	}
	role := ""
	if f.Role != "" {
		role = " of " + f.Charged()
	}
	return finding.MetricName(f.Metric) + role + " of " + f.Variant + ": " + text
}

// holder holds one finding against its samples.
type holder struct {
	*finding.Finding
	quick, woven bool
	precise      finding.Experiment // how many blocks it was to have
	warnings     []finding.Warning
}

// lessIsBetter are the metrics that the injected overheads are of.
var lessIsBetter = []string{"cpu_per_operation", "latency_p50", "latency_mean", "memory_mean"}

// figures looks at what needs no estimate of a difference.
func (h holder) figures() string {
	if len(h.Samples) == 0 {
		if h.Absolute != nil || h.Relative != nil || h.Verdict.Low != nil || slices.Contains([]finding.Kind{finding.Costs, finding.Saves, finding.NoDifference, finding.Over}, h.Verdict.Kind) {
			return "there are figures, and no samples that they are of"
		}
		return ""
	}
	base, value := make([]float64, len(h.Samples)), make([]float64, len(h.Samples))
	for i, s := range h.Samples {
		base[i], value[i] = s.Baseline, s.Value
	}
	switch size := largest(base, value); {
	case h.Blocks != len(h.Samples):
		return fmt.Sprintf("%d blocks are said to count, and %d have samples", h.Blocks, len(h.Samples))
	case !same(h.Baseline, centre(base), size):
		return h.differs("the baseline", h.Baseline, centre(base))
	case !same(h.Value, centre(value), size):
		return h.differs("the value", h.Value, centre(value))
	case slices.Contains(lessIsBetter, h.Metric) && h.Better != "lower":
		return fmt.Sprintf("%q is said to be better, and less of it is", h.Better)
	}
	return ""
}

func (h holder) differs(what string, said, is float64) string {
	return fmt.Sprintf("%s is said to be %.6g, and is %.6g", what, said, is)
}

func (h holder) bracketed() bool {
	return slices.ContainsFunc(h.Samples, func(s finding.Sample) bool { return s.BaselineWithin != nil || s.ValueWithin != nil })
}

// share is the metric whose difference is given only where both sides make spans, and never
// as a ratio.
const share = "delivered_share"

// intervals looks at the difference and the ratio.
func (h holder) intervals() string {
	if h.Uncompared || h.Verdict.Kind == finding.Overloaded || len(h.Samples) == 0 {
		if h.Absolute != nil || h.Relative != nil {
			return "a difference is given where the two sides did other work"
		}
		return ""
	}
	ratio, hasRatio := h.ratio()
	hasRatio = hasRatio && h.Metric != share
	switch {
	case h.Absolute == nil && h.Metric != share:
		return "no difference is given"
	case (h.Relative != nil) != hasRatio:
		return fmt.Sprintf("a ratio is given: %t; there is one: %t", h.Relative != nil, hasRatio)
	}
	if text := h.interval("the difference", h.Absolute, h.difference()); text != "" {
		return text
	}
	return h.interval("the ratio", h.Relative, ratio)
}

// interval looks at one estimate with its ends, of what is on a scale.
func (h holder) interval(what string, i *finding.Interval, on scale) string {
	if i == nil {
		return ""
	}
	if is := on.centre(); !on.same(i.Estimate, is) {
		return h.differs(what, i.Estimate, is)
	}
	low, high, bounded := on.interval(h.asked(confidence))
	switch {
	case (i.Low == nil) != (i.High == nil):
		return what + " has one end of an interval, and not the other"
	case i.Low == nil && bounded && !h.endless():
		return what + " has no interval, and there are blocks enough for one"
	case i.Low != nil && !bounded:
		return what + " has an interval, and there are too few blocks for one"
	case i.Low != nil && !on.same(*i.Low, low):
		return h.differs("the low end of "+what, *i.Low, low)
	case i.High != nil && !on.same(*i.High, high):
		return h.differs("the high end of "+what, *i.High, high)
	}
	return ""
}

// endless reports whether the analysis may leave the ends of an interval out: where figures
// are all that is asked for, of a maximum, and of woven variants, of what goes by the clock.
func (h holder) endless() bool { return h.quick || h.woven || h.Metric == "latency_max" }

// difference is the scale of value − baseline.
func (h holder) difference() scale {
	s := scale{shown: linear}
	for _, one := range h.Samples {
		s.of = append(s.of, one.Value-one.Baseline)
		s.size = max(s.size, math.Abs(one.Value), math.Abs(one.Baseline))
	}
	return s
}

// ratio is the scale of value over baseline; false where there is no such ratio.
func (h holder) ratio() (scale, bool) {
	s := scale{shown: change, size: 1}
	for _, one := range h.Samples {
		if one.Baseline <= 0 || one.Value <= 0 {
			return scale{}, false
		}
		s.of = append(s.of, math.Log(one.Value/one.Baseline))
	}
	return s, true
}
