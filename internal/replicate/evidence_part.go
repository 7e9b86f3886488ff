// This file says what a part of the evidence for a claim is, and finds where there are any.

package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// part is one log-ratio by block, and where it is of.
type part struct {
	at         finding.ClaimFigure
	logs       byBlock
	of         *result
	limit      limit           // on which side of it the figure would lie if no span were lost
	reason     *finding.Reason // why there is none
	suppressed float64         // share of the spans that was suppressed by a limit of the tracer's own
}

// selected calls back with every workload and operation that a claim is about, and with
// the workloads that it names and that there is no result of.
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

// operationsOf are the operations on which a result should have a metric: those that it
// has, and where any result has it by operation all that were to be made. One that failed
// must not be passed over in silence.
func (s *replication) operationsOf(r *result, name string) []string {
	var out []string
	byOperation := name == metric.LostShare // which is in the ledgers, and no finding
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

func whereOf(f *figure) finding.ClaimFigure {
	return finding.ClaimFigure{Workload: f.of.workload, Operation: f.Operation, Parameter: f.Parameter, Variant: f.Variant}
}

// untold says why a figure cannot be reckoned with; nil where it can.
func untold(f *figure) *finding.Reason {
	switch {
	case f.reason != nil:
		return f.reason
	case f.lossyBase:
		return &finding.Reason{Code: finding.WhyBaseLost}
	case pointOnly(f.Metric):
		return &finding.Reason{Code: finding.WhyMaximum}
	case f.value == nil:
		return &finding.Reason{Code: finding.WhyNoRatio}
	}
	return nil
}

// missing is what was not measured, and why where that is known.
func missing(r *result, operation, variant string) part {
	reason := &finding.Reason{Code: finding.WhyNotMeasured}
	for _, left := range r.Experiment.LeftOut {
		if left.Variant == variant {
			reason = leftOut(left)
		}
	}
	return part{at: finding.ClaimFigure{Workload: r.workload, Operation: operation, Variant: variant}, of: r, reason: reason}
}

func leftOut(left finding.LeftOut) *finding.Reason {
	return &finding.Reason{Code: finding.WhyLeftOut, Variant: left.Variant, Said: left.Reason}
}

func absent(workload string) part {
	return part{at: finding.ClaimFigure{Workload: workload}, reason: &finding.Reason{Code: finding.WhyNoResult}}
}

// pointOnly reports whether a metric has no interval, however many blocks there are.
func pointOnly(name string) bool {
	row, _ := metric.Of(name)
	return row.PointOnly
}
