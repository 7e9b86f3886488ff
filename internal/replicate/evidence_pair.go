// This file holds a variant against the baseline, and a cost against another cost of the same runs: on two operations, or by two
// metrics.

package replicate

import (
	"cmp"

	"github.com/tracetax/tracetax/internal/finding"
)

// costParts are the log-ratios to the baseline, of everything that the claim selects.
func (s *replication) costParts(c finding.Claim) []part {
	var out []part
	s.selected(c, func(r *result, operation string) {
		for _, name := range variantsOf(c, r) {
			found := s.find(func(f *figure) bool {
				return f.of == r && f.Metric == c.Metric && f.Operation == operation && f.Variant == name
			})
			for _, f := range found {
				out = append(out, part{at: whereOf(f), logs: f.cost(), of: r, limit: f.limit(), reason: untold(f), suppressed: f.suppressed()})
			}
			if len(found) == 0 {
				out = append(out, missing(r, operation, name))
			}
		}
	}, func(name string) { out = append(out, absent(name)) })
	return out
}

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
