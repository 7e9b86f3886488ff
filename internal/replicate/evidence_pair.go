// This file holds a cost against another cost of the same runs: on two operations, or by two metrics.

package replicate

import (
	"cmp"

	"github.com/tracetax/tracetax/internal/finding"
)

// costPairs are the log-ratios of two costs within blocks: on the first operation of the claim over
// the second, or by its metric over the one beside it.
func (s *replication) costPairs(c finding.Claim) []part {
	if c.Beside == "" {
		return s.pairsOfCosts(c, c.Metric, c.Operation[0], c.Operation[1])
	}
	var out []part
	s.selected(c, func(r *result, operation string) {
		one := c
		one.Workloads = []string{r.workload}
		out = append(out, s.pairsOfCosts(one, c.Beside, operation, operation)...)
	}, func(name string) { out = append(out, absent(name)) })
	return out
}

// pairsOfCosts are the costs by the claim's metric on one operation over those by a metric on another one.
func (s *replication) pairsOfCosts(c finding.Claim, metric, over, under string) []part {
	above, below := c, c
	above.Operation, below.Operation, below.Metric = []string{over}, []string{under}, metric
	var out []part
	all := s.costParts(below)
	for _, a := range s.costParts(above) {
		one := a
		one.at = pairName(a.at, c.Metric, metric, over, under)
		one.reason = cmp.Or(a.reason, &finding.Reason{Code: finding.WhyNotMeasured})
		for _, b := range all {
			if b.at.Workload != a.at.Workload || b.at.Variant != a.at.Variant || cellName("", b.at.Parameter) != cellName("", a.at.Parameter) {
				continue
			}
			one.reason, one.limit, one.suppressed = cmp.Or(a.reason, b.reason), a.limit.and(b.limit.inverse()), max(a.suppressed, b.suppressed)
			if one.reason == nil {
				one.logs = a.logs.over(b.logs)
			}
		}
		out = append(out, one)
	}
	return out
}

// pairName says what is held against what: "large / small", or "small, latency_mean / latency_p50".
func pairName(at finding.ClaimFigure, metric, beside, over, under string) finding.ClaimFigure {
	if over != under {
		at.Operation = over + " / " + under
	}
	if metric != beside {
		at.Variant = join(at.Variant, metric+" / "+beside)
	}
	return at
}

func absent(workload string) part {
	return part{at: finding.ClaimFigure{Workload: workload}, reason: &finding.Reason{Code: finding.WhyNoResult}}
}
