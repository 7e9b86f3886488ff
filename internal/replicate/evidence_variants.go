// This file holds a variant against another one, within blocks.

package replicate

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// variantParts are the log-ratios of two variants within blocks.
func (s *replication) variantParts(c finding.Claim) []part {
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
				one := part{at: whereOf(a), of: r, limit: a.limit().and(b.limit().inverse()), reason: untoldPair(a, b), suppressed: max(a.suppressed(), b.suppressed())}
				one.at.Variant = name
				if one.reason == nil {
					one.logs = a.value.over(b.value)
				}
				out, any = append(out, one), true
			}
		}
		if !any {
			out = append(out, missing(r, operation, name))
		}
	}, func(workload string) {
		out = append(out, part{at: finding.ClaimFigure{Workload: workload, Variant: name}, reason: &finding.Reason{Code: finding.WhyNoResult}})
	})
	return out
}

// untoldPair says why the ratio of two figures of a result cannot be reckoned with; nil where it can. How far the load
// generator's lag may differ depends on what is told apart: where the result compares the two itself, that comparison says.
func untoldPair(a, b *figure) *finding.Reason {
	direct := cmp.Or(a.against(b.Variant), b.against(a.Variant))
	for _, f := range []*figure{a, b} {
		r := untold(f)
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

// besideLag is what else keeps a figure from being reckoned with that the load generator's lag was said to spoil; nil where
// nothing does.
func (f *figure) besideLag() *finding.Reason {
	other := *f
	other.reason = cmp.Or(f.of.idle(f.Finding), f.of.unsure(f.Finding))
	return untold(&other)
}

// against is the result's own comparison of a figure with another variant; nil where it has none.
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
