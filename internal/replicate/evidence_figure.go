// This file draws one figure, with its interval, from the evidence for a claim, and says where it lies.

package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// drawn are the figures of a claim, corrected for as many as there are.
func drawn(c finding.Claim, all []evidence) []finding.ClaimFigure {
	out := []finding.ClaimFigure{}
	for _, e := range all {
		out = append(out, e.figure(c, len(all)))
	}
	return out
}

// figure is the interval of the evidence, and where it lies by itself; wide is corrected
// for so many.
func (e evidence) figure(c finding.Claim, claims int) finding.ClaimFigure {
	f := e.at
	f.Holds = finding.Open
	for _, p := range slices.Concat(e.parts, e.under) {
		if p.reason != nil {
			reason := *p.reason
			if len(e.parts)+len(e.under) > 1 {
				reason.Part = figureName(p.at)
			}
			f.Reason = &reason
			return f
		}
	}
	bound := e.limit()
	if !bound.supports(c) {
		f.Reason = &finding.Reason{Code: finding.WhyItLost}
		return f
	}
	estimate := e.estimator(&f)
	by := func(confidence float64) *finding.Interval { return relative(estimate(confidence)) }
	f.Interval = by(confidence)
	if claims > 1 {
		f.Wide = by(stats.Bonferroni(confidence, claims))
	} else {
		f.Wide = f.Interval
	}
	f.Holds = sideOf(c, f.Interval)
	if bound != exact && f.Holds != finding.Confirmed {
		f.Holds, f.Wide, f.Reason = finding.Open, nil, &finding.Reason{Code: finding.WhyItLost}
	} else if bound != exact {
		f.Reason = &finding.Reason{Code: finding.WhyLeast}
	}
	if f.Interval == nil || f.Interval.Low == nil {
		f.Reason = &finding.Reason{Code: finding.WhyFewBlocks, Figures: []finding.Figure{{Name: "blocks", Value: float64(f.Blocks), Unit: "count"}}}
	}
	if most := e.suppressed(); f.Reason == nil && most > 0 {
		f.Reason = &finding.Reason{Code: finding.WhySuppressed, Figures: []finding.Figure{
			{Name: "share", Value: most, Unit: "1"}, {Name: "parts", Value: float64(len(e.parts) + len(e.under)), Unit: "count"},
		}}
	}
	return f
}

// suppressed is the largest share of spans that a variant of the evidence did not send.
func (e evidence) suppressed() float64 {
	most := 0.0
	for _, p := range slices.Concat(e.parts, e.under) {
		most = max(most, p.suppressed)
	}
	return most
}

// estimator returns how the evidence is estimated at a confidence, and tells the
// number of blocks.
func (e evidence) estimator(f *finding.ClaimFigure) func(confidence float64) stats.Estimate {
	above, of := meanOfParts(e.parts)
	f.Blocks = len(above)
	if e.under == nil {
		return func(confidence float64) stats.Estimate { return above.estimate(ask(confidence, of...)) }
	}
	below, ofToo := meanOfParts(e.under)
	f.Blocks = min(len(above), len(below))
	return func(confidence float64) stats.Estimate {
		return shift(below, above, ask(confidence, slices.Concat(of, ofToo)...))
	}
}

// meanOfParts is the mean of parts: within each result by its blocks, across results with
// as much weight as each has parts.
func meanOfParts(parts []part) (byBlock, []*result) {
	var means []byBlock
	var weights []float64
	var of []*result
	for _, group := range groupBy(parts, func(p part) string { return p.of.workload }) {
		var logs []byBlock
		for _, p := range group {
			logs = append(logs, p.logs)
		}
		means, weights, of = append(means, meanWithin(logs)), append(weights, float64(len(group))), append(of, group[0].of)
	}
	if len(means) == 1 {
		return means[0], of
	}
	return meanAcross(means, weights), of
}

// sideOf says where an interval lies in respect to the claim's range: wholly in it,
// wholly beyond it, or neither.
func sideOf(c finding.Claim, i *finding.Interval) finding.ClaimKind {
	if i == nil || i.Low == nil || i.High == nil || c.Above == nil && c.Below == nil {
		return finding.Open
	}
	above := c.Above == nil || *i.Low > *c.Above
	below := c.Below == nil || *i.High < *c.Below
	switch {
	case above && below:
		return finding.Confirmed
	case c.Above != nil && *i.High < *c.Above, c.Below != nil && *i.Low > *c.Below:
		return finding.Refuted
	}
	return finding.Open
}

func figureName(f finding.ClaimFigure) string {
	operation := ""
	if f.Operation != "" {
		operation = cellName(f.Operation, f.Parameter)
	}
	if name := join(f.Workload, operation, f.Variant); name != "" {
		return name
	}
	return "the mean over all"
}
