// This file finds the figures that a claim is about.

package study

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// The values of a claim's `of` and `over`; see config.Claim.
const (
	ofCost  = "cost"
	ofRatio = "ratio"

	overOperations = "operations"
	overWorkloads  = "workloads"
	overVariants   = "variants"
	overAll        = "all"
)

// evidence is the mean of parts; with under it is the ratio of that mean to the mean of under, on
// another workload.
type evidence struct {
	at           ClaimFigure
	parts, under []part
}

// evidence selects a claim's evidence.
func (s *replication) evidence(c finding.Claim) []evidence {
	switch {
	case c.Of == ofRatio && len(c.Variants) == 2:
		return grouped(c.Over, s.variantParts(c), nil)
	case c.Of == ofRatio && len(c.Workloads) == 2:
		over, under := c, c
		over.Workloads, under.Workloads = c.Workloads[:1], c.Workloads[1:]
		return grouped(c.Over, s.costParts(over), s.costParts(under))
	case c.Of == ofRatio && (c.Beside != "" || len(c.Operation) == 2):
		return grouped(c.Over, s.costPairs(c), nil)
	case !isCause(c.Metric) && (c.Of == ofCost || c.Of == ""):
		return grouped(c.Over, s.costParts(c), nil)
	}
	return nil // a ratio without two sides
}

// This file computes each figure of a claim, its interval, and the side of the range that it lies on.

// drawn returns a claim's figures, corrected for their number.
func drawn(c finding.Claim, all []evidence) []ClaimFigure {
	out := []ClaimFigure{}
	for _, e := range all {
		out = append(out, e.figure(c, len(all)))
	}
	return out
}

// figure returns the interval of the evidence and its own verdict; Wide is corrected for so many claims.
func (e evidence) figure(c finding.Claim, claims int) ClaimFigure {
	f := e.at
	f.Holds = Open
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
		f.Reason = e.whyBounded()
		return f
	}
	of := e.held()
	f.Blocks, f.Interval = of.Blocks(), of.Interval(claim.Confidence)
	f.Wide = of.Interval(stats.Bonferroni(claim.Confidence, claims))
	f.Holds = sideOf(c, f.Interval)
	if bound != exact && f.Holds != Confirmed {
		f.Holds, f.Wide, f.Reason = Open, nil, e.whyBounded()
	} else if bound != exact {
		f.Reason = &finding.Reason{Code: finding.WhyLeast}
		if why := e.whyBounded(); why.Code != finding.WhyItLost {
			f.Reason.Because = why.Code
		}
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

// whyBounded returns the reason for which the figure is a bound: spans were lost, no sample is of a cause, or it is not known how many
// were lost.
func (e evidence) whyBounded() *finding.Reason {
	all := slices.Concat(e.parts, e.under)
	if slices.ContainsFunc(all, func(p part) bool { return p.lost }) {
		return &finding.Reason{Code: finding.WhyItLost}
	}
	if slices.ContainsFunc(all, func(p part) bool { return p.unseen }) {
		return &finding.Reason{Code: finding.WhyNoSample}
	}
	return &finding.Reason{Code: finding.WhyLossUnknown}
}

// suppressed returns the largest share of suppressed spans among the parts.
func (e evidence) suppressed() float64 {
	most := 0.0
	for _, p := range slices.Concat(e.parts, e.under) {
		most = max(most, p.suppressed)
	}
	return most
}

// held returns the evidence to compare with the claim: the mean of the parts by block; with under, their ratio.
func (e evidence) held() *claim.Evidence {
	above, of := meanOfParts(e.parts)
	if e.under == nil {
		return claim.Paired(above, true, ask(of...))
	}
	below, ofToo := meanOfParts(e.under)
	return claim.Apart(below, above, true, ask(slices.Concat(of, ofToo)...))
}

func meanOfParts(parts []part) (claim.Figures, []*result) {
	return meanOfEach(parts, func(p part) *result { return p.of }, func(p part) claim.Figures { return p.logs })
}

// sideOf reports whether an interval lies wholly in the claim's range (Confirmed), wholly beyond
// it (Refuted), or neither (Open).
func sideOf(c finding.Claim, i *finding.Interval) ClaimKind {
	if i == nil || i.Low == nil || i.High == nil || c.Above == nil && c.Below == nil {
		return Open
	}
	above := c.Above == nil || *i.Low > *c.Above
	below := c.Below == nil || *i.High < *c.Below
	switch {
	case above && below:
		return Confirmed
	case c.Above != nil && *i.High < *c.Above, c.Below != nil && *i.Low > *c.Below:
		return Refuted
	}
	return Open
}

func figureName(f ClaimFigure) string {
	operation := ""
	if f.Operation != "" {
		operation = cellName(f.Operation, f.Parameter)
	}
	if name := join(f.Workload, operation, f.Variant); name != "" {
		return name
	}
	return "the mean over all"
}

// This file finds the parts of the evidence for a claim.

// part is one log-ratio by block, and its cell.
type part struct {
	at         ClaimFigure
	logs       claim.Figures
	of         *result
	limit      limit           // bounds the figure if no span were lost
	lost       bool            // spans were lost for sure, where limit is not exact
	unseen     bool            // no sample is of a side of it
	reason     *finding.Reason // why logs is missing
	suppressed float64         // share of the spans that the tracer's own limit suppressed
}

// selected calls found with each workload and operation of a claim, and absent with each of its
// workloads without a result.
func (s *replication) selected(c finding.Claim, found func(*result, string), absent func(string)) {
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

// operationsOf returns the operations on which a result should have a metric: those that it has,
// and all of the experiment's if any result has it by operation. A failed one must not go unnoticed.
func (s *replication) operationsOf(r *result, name string) []string {
	var out []string
	byOperation := name == metric.LostShare // in the ledgers, no finding
	for _, f := range s.find(func(f *figure) bool { return f.Metric == name }) {
		byOperation = byOperation || f.Operation != ""
		if f.of == r && !slices.Contains(out, f.Operation) {
			out = append(out, f.Operation)
		}
	}
	for _, operation := range r.Experiment.Operations {
		if byOperation && !slices.Contains(out, operation) {
			out = append(out, operation)
		}
	}
	return out
}

func whereOf(f *figure) ClaimFigure {
	return ClaimFigure{Workload: f.of.workload, Operation: f.Operation, Parameter: f.Parameter, Variant: f.Variant}
}

// whyUnusable returns the reason against using a figure, or nil.
func whyUnusable(f *figure) *finding.Reason {
	switch {
	case f.reason != nil:
		return f.reason
	case f.lossyBase:
		return &finding.Reason{Code: finding.WhyBaseLost}
	case pointOnly(f.Metric):
		return &finding.Reason{Code: finding.WhyMaximum}
	case f.value == nil:
		why := claim.NoRatio(f.Samples, f.Against, f.Variant)
		return &why
	}
	return nil
}

// missing returns a part that was not measured, with the reason if known. A cause without samples has no figure.
func missing(r *result, of, operation, variant string) part {
	reason := &finding.Reason{Code: finding.WhyNotMeasured}
	if row, _ := metric.Of(of); isCause(of) && !row.Cause.Wait {
		for _, c := range r.Causes {
			if c.Operation != operation || !slices.Contains(strings.Split(variant, " / "), c.Variant) {
				continue
			}
			if reason.Code == finding.WhyNotMeasured {
				reason = &finding.Reason{Code: finding.WhyNoSample}
			}
			if len(c.Reasons) > 0 {
				reason = &c.Reasons[0]
			}
		}
	}
	for _, left := range r.Experiment.LeftOut {
		if left.Variant == variant {
			reason = leftOut(left)
		}
	}
	return part{at: ClaimFigure{Workload: r.workload, Operation: operation, Variant: variant}, of: r, reason: reason}
}

func leftOut(left finding.LeftOut) *finding.Reason {
	return &finding.Reason{Code: finding.WhyLeftOut, Variant: left.Variant, Said: left.Reason}
}

func absent(workload string) part {
	return part{at: ClaimFigure{Workload: workload}, reason: &finding.Reason{Code: finding.WhyNoResult}}
}

// pointOnly reports whether a metric has no interval, however many blocks there are.
func pointOnly(name string) bool {
	row, _ := metric.Of(name)
	return row.PointOnly
}
