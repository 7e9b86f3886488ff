// This file finds the figures that a claim is about, and takes the means that it asks
// for.
package study

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// What a claim may be of, and over what its figures are averaged; see spec.Claim.
const (
	ofCost  = "cost"
	ofRatio = "ratio"

	overOperations = "operations"
	overWorkloads  = "workloads"
	overVariants   = "variants"
	overAll        = "all"
)

// part is one log-ratio by block, and where it is of.
type part struct {
	at     finding.ClaimFigure
	logs   byBlock
	of     *result
	limit  limit   // on which side of it the figure would lie if no span were lost
	reason string  // why there is none
	unsent float64 // share of the spans that was held back by a limit of the tracer's own
}

// evidence is what one figure of a claim is made of: parts to be averaged; with under
// the ratio of the mean of parts to the mean of under, on another workload.
type evidence struct {
	at           finding.ClaimFigure
	parts, under []part
}

// evidence selects what a claim is about.
func (s *study) evidence(c finding.Claim) []evidence {
	switch {
	case c.Of == ofRatio && len(c.Variants) == 2:
		return grouped(c.Over, s.variantParts(c), nil)
	case c.Of == ofRatio && len(c.Workloads) == 2:
		over, under := c, c
		over.Workloads, under.Workloads = c.Workloads[:1], c.Workloads[1:]
		return grouped(c.Over, s.costParts(over), s.costParts(under))
	case c.Of == ofCost || c.Of == "":
		return grouped(c.Over, s.costParts(c), nil)
	}
	return nil // a ratio of neither two variants nor two workloads
}

// costParts are the log-ratios to the baseline, of everything that the claim selects.
func (s *study) costParts(c finding.Claim) []part {
	var out []part
	s.selected(c, func(r *result, operation string) {
		variants := c.Variants
		if len(variants) == 0 {
			for _, v := range r.Experiment.Variants[1:] {
				variants = append(variants, v.Name)
			}
		}
		for _, name := range variants {
			found := s.find(func(f *figure) bool {
				return f.of == r && f.Metric == c.Metric && f.Operation == operation && f.Variant == name
			})
			for _, f := range found {
				out = append(out, part{at: whereOf(f), logs: f.cost(), of: r, limit: f.limit(), reason: untold(f), unsent: f.unsent()})
			}
			if len(found) == 0 {
				out = append(out, missing(r, operation, name))
			}
		}
	}, func(name string) {
		out = append(out, part{at: finding.ClaimFigure{Workload: name}, reason: "there is no result of this workload"})
	})
	return out
}

// variantParts are the log-ratios of two variants within blocks.
func (s *study) variantParts(c finding.Claim) []part {
	var out []part
	name := c.Variants[0] + " / " + c.Variants[1]
	s.selected(c, func(r *result, operation string) {
		of := func(variant string) func(*figure) bool {
			return func(f *figure) bool {
				return f.of == r && f.Metric == c.Metric && f.Operation == operation && f.Variant == variant
			}
		}
		any := false
		for _, a := range s.find(of(c.Variants[0])) {
			for _, b := range s.find(of(c.Variants[1])) {
				if a.at() != b.at() {
					continue
				}
				one := part{at: whereOf(a), of: r, limit: a.limit().and(b.limit().inverse()), reason: cmp.Or(untold(a), untold(b)), unsent: max(a.unsent(), b.unsent())}
				one.at.Variant = name
				if one.reason == "" {
					one.logs = a.value.over(b.value)
				}
				out, any = append(out, one), true
			}
		}
		if !any {
			out = append(out, missing(r, operation, name))
		}
	}, func(workload string) {
		out = append(out, part{at: finding.ClaimFigure{Workload: workload, Variant: name}, reason: "there is no result of this workload"})
	})
	return out
}

// selected calls back with every workload and operation that a claim is about, and with
// the workloads that it names and that there is no result of.
func (s *study) selected(c finding.Claim, found func(*result, string), absent func(string)) {
	for _, name := range c.Workloads {
		if s.resultOf(name) == nil {
			absent(name)
		}
	}
	for _, r := range s.results {
		if len(c.Workloads) > 0 && !slices.Contains(c.Workloads, r.workload) {
			continue
		}
		operations := c.Operation
		if len(operations) == 0 {
			operations = s.operationsOf(r, c.Metric)
		}
		for _, operation := range operations {
			found(r, operation)
		}
	}
}

// operationsOf are the operations on which a result should have a metric: those that it
// has, and where any result has it by operation all that were to be made. One that failed
// must not be passed over in silence.
func (s *study) operationsOf(r *result, metric string) []string {
	var out []string
	byOperation := false
	for _, f := range s.find(func(f *figure) bool { return f.Metric == metric }) {
		byOperation = byOperation || f.Operation != ""
		if f.of == r && !slices.Contains(out, f.Operation) {
			out = append(out, f.Operation)
		}
	}
	for _, name := range r.Experiment.Operations {
		if byOperation && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func whereOf(f *figure) finding.ClaimFigure {
	return finding.ClaimFigure{Workload: f.of.workload, Operation: f.Operation, Parameter: f.Parameter, Variant: f.Variant}
}

// untold says why a figure cannot be reckoned with; "" where it can.
func untold(f *figure) string {
	switch {
	case f.reason != "":
		return f.reason
	case f.lossyBase:
		return "over 1 % of the baseline's spans were lost"
	case f.value == nil:
		return "there is no ratio"
	}
	return ""
}

// missing is what was not measured, and why where that is known.
func missing(r *result, operation, variant string) part {
	reason := "it was not measured"
	for _, left := range r.Experiment.LeftOut {
		if left.Variant == variant {
			reason = "left out: " + left.Reason
		}
	}
	return part{at: finding.ClaimFigure{Workload: r.workload, Operation: operation, Variant: variant}, of: r, reason: reason}
}

// grouped puts the parts together that are averaged over.
func grouped(over string, parts, under []part) []evidence {
	where := func(p part) finding.ClaimFigure {
		at := p.at
		if over == overOperations || over == overAll {
			at.Operation, at.Parameter = "", nil
		}
		if over == overWorkloads || over == overAll {
			at.Workload = ""
		}
		if over == overVariants || over == overAll {
			at.Variant = ""
		}
		return at
	}
	key := func(at finding.ClaimFigure, paired bool) string {
		if paired { // what is held against each other is of two workloads
			at.Workload = ""
		}
		return fmt.Sprintf("%q %q %q", at.Workload, cellName(at.Operation, at.Parameter), at.Variant)
	}
	paired := under != nil
	var out []evidence
	for _, group := range groupBy(parts, func(p part) string { return key(where(p), paired) }) {
		e := evidence{at: where(group[0]), parts: group}
		for _, p := range under {
			if paired && key(where(p), paired) == key(e.at, paired) {
				e.under = append(e.under, p)
			}
		}
		if paired {
			if len(e.under) == 0 {
				e.under = []part{{at: e.at, reason: "it was not measured on the other workload"}}
			}
			e.at.Workload = group[0].at.Workload + " / " + e.under[0].at.Workload
			e.under = append(e.under, lacking(e.parts, e.under)...)
			e.parts = append(e.parts, lacking(e.under, e.parts)...)
		}
		out = append(out, e)
	}
	return out
}

// lacking are the parts of one workload that the other has no counterpart of: means over
// different operations cannot be held against each other.
func lacking(parts, counterparts []part) []part {
	var out []part
	for _, p := range parts {
		of := func(q part) bool {
			return q.at.Variant == p.at.Variant && cellName(q.at.Operation, q.at.Parameter) == cellName(p.at.Operation, p.at.Parameter)
		}
		if p.reason == "" && !slices.ContainsFunc(counterparts, of) {
			out = append(out, part{at: p.at, reason: "it was not measured on the other workload"})
		}
	}
	return out
}

// figure is the interval of the evidence, and where it lies by itself; wide is corrected
// for so many.
func (e evidence) figure(c finding.Claim, claims int) finding.ClaimFigure {
	f := e.at
	f.Holds = finding.Open
	for _, p := range slices.Concat(e.parts, e.under) {
		if p.reason != "" {
			f.Reason = p.reason
			if len(e.parts)+len(e.under) > 1 {
				f.Reason = figureName(p.at) + ": " + p.reason
			}
			return f
		}
	}
	bound := e.limit()
	if !bound.supports(c) {
		f.Reason = lostText
		return f
	}
	estimate := e.estimator(&f)
	quick := e.parts[0].of.Quick
	by := func(confidence float64) *finding.Interval {
		one := estimate(confidence)
		one.Bounded = one.Bounded && !quick
		return relative(one)
	}
	f.Interval = by(confidence)
	if claims > 1 {
		f.Wide = by(stats.Bonferroni(confidence, claims))
	} else {
		f.Wide = f.Interval
	}
	f.Holds = sideOf(c, f.Interval)
	if bound != exact && f.Holds != finding.Confirmed {
		f.Holds, f.Wide, f.Reason = finding.Open, nil, lostText
	} else if bound != exact {
		f.Reason = "the least that it is: " + lostText
	}
	if f.Interval == nil || f.Interval.Low == nil {
		f.Reason = fmt.Sprintf("%d blocks: figures only", f.Blocks)
	}
	if most := e.unsent(); f.Reason == "" && most > 0 {
		f.Reason = finding.FormatValue(most, "1") + " of the spans were not sent, by a limit of the tracer's own"
		if len(e.parts)+len(e.under) > 1 {
			f.Reason = "up to " + f.Reason
		}
	}
	return f
}

// unsent is the largest share of spans that a variant of the evidence did not send.
func (e evidence) unsent() float64 {
	most := 0.0
	for _, p := range slices.Concat(e.parts, e.under) {
		most = max(most, p.unsent)
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
