// This file groups the figures that a claim averages, and finds those without a counterpart.

package study

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// grouped groups the parts to average.
func grouped(over string, parts, under []part) []evidence {
	where := func(p part) ClaimFigure {
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
	key := func(at ClaimFigure, paired bool) string {
		if paired { // the sides are of two workloads
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
				e.under = []part{{at: e.at, reason: &finding.Reason{Code: finding.WhyNotOnOther}}}
			}
			e.at.Workload = group[0].at.Workload + " / " + e.under[0].at.Workload
			e.under = append(e.under, lacking(e.parts, e.under)...)
			e.parts = append(e.parts, lacking(e.under, e.parts)...)
		}
		out = append(out, e)
	}
	return out
}

// lacking returns the parts without a counterpart in the other workload: means over different
// operations cannot be compared.
func lacking(parts, counterparts []part) []part {
	var out []part
	for _, p := range parts {
		of := func(q part) bool {
			return q.at.Variant == p.at.Variant && cellName(q.at.Operation, q.at.Parameter) == cellName(p.at.Operation, p.at.Parameter)
		}
		if p.reason == nil && !slices.ContainsFunc(counterparts, of) {
			out = append(out, part{at: p.at, reason: &finding.Reason{Code: finding.WhyNotOnOther}})
		}
	}
	return out
}

// measured returns the figures of a variant by a metric on an operation, one for each level; for a cause without samples the most that
// it can be.
func (s *replication) measured(r *result, name, operation, variant string) []*figure {
	found := s.find(func(f *figure) bool {
		return f.of == r && f.Metric == name && f.Operation == operation && f.Variant == variant
	})
	if len(found) == 0 {
		return s.unseen(r, name, operation, variant)
	}
	return found
}

// This file compares a variant with the baseline, and two costs of the same runs: on two operations, or by two metrics.

// costParts returns the log-ratios to the baseline of all that the claim selects.
func (s *replication) costParts(c finding.Claim) []part {
	var out []part
	s.selected(c, func(r *result, operation string) {
		for _, name := range variantsOf(c, r) {
			found := s.measured(r, c.Metric, operation, name)
			for _, f := range found {
				one := part{at: whereOf(f), logs: f.cost(), of: r, limit: f.limit(), lost: f.lossy, unseen: f.unseen, reason: whyUnusable(f)}
				one.suppressed = f.suppressed()
				out = append(out, one)
			}
			if len(found) == 0 {
				out = append(out, missing(r, c.Metric, operation, name))
			}
		}
	}, func(name string) { out = append(out, absent(name)) })
	return out
}

// costPairs returns the log-ratios of two costs within blocks: the claim's first operation over
// its second, or its metric over the one beside it.
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

// pairsOfCosts returns the costs by the claim's metric on one operation over those by a metric on another.
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
			one.reason, one.limit = cmp.Or(a.reason, b.reason), a.limit.and(b.limit.inverse())
			one.lost, one.unseen, one.suppressed = a.lost || b.lost, a.unseen || b.unseen, max(a.suppressed, b.suppressed)
			if one.reason == nil {
				one.logs = a.logs.Minus(b.logs)
			}
		}
		out = append(out, one)
	}
	return out
}

// pairName names both sides: "large / small", or "small, latency_mean / latency_p50".
func pairName(at ClaimFigure, metric, beside, over, under string) ClaimFigure {
	if over != under {
		at.Operation = over + " / " + under
	}
	if metric != beside {
		at.Variant = join(at.Variant, metric+" / "+beside)
	}
	return at
}

// This file compares two variants within blocks.

// variantParts returns the log-ratios of two variants within blocks.
func (s *replication) variantParts(c finding.Claim) []part {
	var out []part
	name := c.Variants[0] + " / " + c.Variants[1]
	s.selected(c, func(r *result, operation string) {
		any := false
		for _, a := range s.measured(r, c.Metric, operation, c.Variants[0]) {
			for _, b := range s.measured(r, c.Metric, operation, c.Variants[1]) {
				if a.at() != b.at() {
					continue
				}
				one := part{at: whereOf(a), of: r, limit: a.limit().and(b.limit().inverse()), lost: a.lossy || b.lossy, reason: whyUnusablePair(a, b)}
				one.unseen = a.unseen || b.unseen
				one.suppressed = max(a.suppressed(), b.suppressed())
				one.at.Variant = name
				if one.reason == nil {
					one.logs = a.value.Minus(b.value)
				}
				out, any = append(out, one), true
			}
		}
		if !any {
			out = append(out, missing(r, c.Metric, operation, name))
		}
	}, func(workload string) {
		out = append(out, part{at: ClaimFigure{Workload: workload, Variant: name}, reason: &finding.Reason{Code: finding.WhyNoResult}})
	})
	return out
}

// whyUnusablePair returns the reason against using the ratio of two figures of a result, or nil. The load generator's
// permitted lag depends on the comparison: if the result compares the two itself, that decides.
func whyUnusablePair(a, b *figure) *finding.Reason {
	direct := cmp.Or(a.against(b.Variant), b.against(a.Variant))
	for _, f := range []*figure{a, b} {
		r := whyUnusable(f)
		if direct != nil && r != nil && r.Code == finding.WhyLag {
			r = f.besideLag()
		}
		if r != nil {
			return r
		}
	}
	if direct == nil {
		return nil
	}
	return reasonOf(direct)
}

// besideLag returns the reason against a figure other than the load generator's lag, or nil.
func (f *figure) besideLag() *finding.Reason {
	other := *f
	other.reason = cmp.Or(f.of.idle(f.Finding), f.of.unsureBase(f.Finding))
	return whyUnusable(&other)
}

// against returns the result's own comparison of a figure with another variant, or nil.
func (f *figure) against(variant string) *finding.Finding {
	i := slices.IndexFunc(f.of.Findings, func(g finding.Finding) bool {
		return g.Variant == f.Variant && g.Against == variant && g.Metric == f.Metric && g.Role == f.Role &&
			g.Operation == f.Operation && maps.Equal(g.Parameter, f.Parameter)
	})
	if i < 0 {
		return nil
	}
	return &f.of.Findings[i]
}
