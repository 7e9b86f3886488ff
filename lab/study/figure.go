// This file takes the findings of the results as what the replication reckons with: a
// figure for each, with its logarithms by block.

package study

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// figure is one finding against its result's baseline, over all roles.
type figure struct {
	*finding.Finding
	of          *result
	value, base claim.Figures   // logarithms; nil where there is no ratio
	lossy       bool            // over 1 % of its spans were lost, or of the baseline's
	lossyBase   bool            // of the baseline's
	reason      *finding.Reason // why its interval does not answer the question; nil where it does
}

// cost is the logarithm of the ratio to the baseline, by block; nil where there is none.
func (f *figure) cost() claim.Figures {
	if f.value == nil {
		return nil
	}
	return f.value.Minus(f.base)
}

// told reports whether the figure may be reckoned with.
func (f *figure) told() bool { return f.value != nil && f.reason == nil && !f.lossy }

// at names where the figure is, without its variant.
func (f *figure) at() string { return join(f.of.workload, cellName(f.Operation, f.Parameter)) }

// collect makes the figures.
func (s *replication) collect() {
	for _, r := range s.results {
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Against != r.baseline || f.Role != "" {
				continue
			}
			one := &figure{Finding: f, of: r, reason: cmp.Or(reasonOf(f), r.idle(f), r.unsure(f)), lossy: r.loses(f, f.Variant) || r.loses(f, f.Against), lossyBase: r.loses(f, f.Against)}
			switch {
			case isCause(f.Metric):
				one.value, one.base = logsOf(addedIn(f.Samples))
			case f.Relative != nil || f.Verdict.Kind == finding.Overloaded:
				one.value, one.base = logsOf(f.Samples)
			}
			s.figures = append(s.figures, one)
		}
	}
}

// reasonOf says why a finding's interval does not answer the question: it was withheld
// for another reason than want of blocks.
func reasonOf(f *finding.Finding) *finding.Reason {
	v := f.Verdict
	if v.Kind == finding.Overloaded || claim.Withheld(v) {
		reason := v.Reason()
		return &reason
	}
	return nil
}

// idle says that no span came of one side, or went elsewhere, or that each did other work; nil where neither is so.
func (r *result) idle(f *finding.Finding) *finding.Reason {
	if idle := claim.Idle(r.Document, f); idle != nil {
		return idle
	}
	if f.Uncompared {
		return &finding.Reason{Code: finding.WhyOtherRates}
	}
	return nil
}

// unsure is the reason if nobody knows whether a variant, or its baseline, lost too many spans to be ranked; else nil. Older
// results have no list of such losses. For self-driving workloads the ledger answers; for others it cannot, because it
// includes the warm-up.
func (r *result) unsure(f *finding.Finding) *finding.Reason {
	if r.UnknownLossOf(f, f.Variant) != nil || r.UnknownLossOf(f, f.Against) != nil {
		return &finding.Reason{Code: finding.WhyLossUnknown}
	}
	if !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Metric == "time_per_call" }) {
		return nil
	}
	for _, l := range r.Ledgers {
		if l.Operation == f.Operation && l.Variant == f.Variant && !l.ByChance && finding.Matters(l.LostMost-l.LostShare) {
			return &finding.Reason{Code: finding.WhyLossUnknown}
		}
	}
	return nil
}

// loses reports whether a variant lost too many spans, on what a finding is about, to be ranked.
func (r *result) loses(f *finding.Finding, variant string) bool {
	if finding.IsOfLoad(f.Metric) {
		return r.LostOf(f, variant) != nil
	}
	return slices.ContainsFunc(r.Lossy, func(l finding.Lossy) bool {
		here := len(f.Parameter) == 0 || maps.Equal(l.Parameter, f.Parameter)
		return l.Operation == f.Operation && here && l.Variant == variant
	})
}

// suppressed is the share of its spans that the figure's variant suppressed, by a limit of its
// tracer's own; 0 where that is not over 1 %.
func (f *figure) suppressed() float64 {
	for _, u := range f.of.Suppressed {
		if u.Operation == f.Operation && u.Variant == f.Variant && (len(f.Parameter) == 0 || maps.Equal(u.Parameter, f.Parameter)) {
			return u.Share
		}
	}
	return 0
}

// logsOf are the logarithms of both sides by block; nil where a value has none.
func logsOf(samples []finding.Sample) (value, base claim.Figures) {
	base, value = claim.Sides(samples)
	under, okBase := base.Logs()
	over, okValue := value.Logs()
	if !okBase || !okValue {
		return nil, nil
	}
	return over, under
}

// isCause reports whether a metric is a cause: what is added has it, and its ratio to the baseline says nothing.
func isCause(name string) bool {
	row, _ := metric.Of(name)
	return row.IsCause()
}

// addedIn is what is added in each block, beside one: so the cost is what is added.
func addedIn(samples []finding.Sample) []finding.Sample {
	out := make([]finding.Sample, len(samples))
	for i, p := range samples {
		out[i] = finding.Sample{Block: p.Block, Baseline: 1, Value: p.Value - p.Baseline}
	}
	return out
}

// find returns the figures that pass, in their order.
func (s *replication) find(pass func(*figure) bool) []*figure {
	var out []*figure
	for _, f := range s.figures {
		if pass(f) {
			out = append(out, f)
		}
	}
	return out
}

// variantsOf are those of a result that a claim is about: all beside the baseline where it names none.
func variantsOf(c finding.Claim, r *result) []string {
	if len(c.Variants) > 0 {
		return c.Variants
	}
	var out []string
	for _, v := range r.Experiment.Variants[1:] {
		out = append(out, v.Name)
	}
	return out
}

// variants are those of all results beside the baselines, in their order.
func (s *replication) variants() []string {
	var out []string
	for _, r := range s.results {
		for _, v := range r.Experiment.Variants[1:] {
			if !slices.Contains(out, v.Name) {
				out = append(out, v.Name)
			}
		}
	}
	return out
}

// tracers are those of the variants, in the first of the results that has each.
func (s *replication) tracers() map[string]string {
	out := map[string]string{}
	for _, r := range s.results {
		for _, v := range r.Experiment.Variants {
			if _, known := out[v.Name]; !known {
				out[v.Name] = v.Tracer
			}
		}
	}
	return out
}

// cellName is an operation at its level: "call, depth 8".
func cellName(operation string, parameter map[string]string) string {
	return cell.AtOf(operation, parameter).Title()
}

// join puts the parts that are not empty together with commas.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// This file says what a figure is worth whose variant lost spans. Had it sent them all, it
// would have done more work: the figure is the least that it costs. So it may confirm that
// it costs something, and can neither refute that nor show that it costs little.

// limit is on which side of a ratio the true one lies.
type limit int

const (
	exact   limit = iota // at the figure itself
	atMost               // at the figure, or below
	atLeast              // at the figure, or above
	neither              // nothing is known
)

// limit is that of the figure's ratio to the baseline.
func (f *figure) limit() limit {
	switch {
	case !f.lossy:
		return exact
	case f.Better == "higher":
		return atMost
	}
	return atLeast
}

// inverse is the limit of one over the ratio.
func (l limit) inverse() limit {
	switch l {
	case atMost:
		return atLeast
	case atLeast:
		return atMost
	}
	return l
}

// and is the limit of the product of two ratios.
func (l limit) and(other limit) limit {
	switch {
	case l == exact:
		return other
	case other == exact || l == other:
		return l
	}
	return neither
}

// supports reports whether a figure with this limit can confirm the claim.
func (l limit) supports(c finding.Claim) bool {
	switch l {
	case atMost:
		return c.Above == nil
	case atLeast:
		return c.Below == nil
	}
	return l == exact
}

// limit is that of the mean of the parts over the mean of those under them.
func (e evidence) limit() limit {
	out := exact
	for _, p := range e.parts {
		out = out.and(p.limit)
	}
	for _, p := range e.under {
		out = out.and(p.limit.inverse())
	}
	return out
}

// This file says which metrics a replication is about, which of them make an order, and of what sort one is.

// metrics are those that the replication is about, in the order in which they come: headlines,
// what was published, what is claimed, and what must stand beside a headline.
func (s *replication) metrics() []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) && slices.ContainsFunc(s.figures, func(f *figure) bool { return f.Metric == name }) {
			out = append(out, name)
		}
	}
	for _, f := range s.figures {
		if f.Headline {
			add(f.Metric)
		}
	}
	for _, r := range s.results {
		for _, p := range r.Experiment.Published {
			add(p.Metric)
		}
	}
	for _, c := range s.claims {
		add(c.Metric)
	}
	for _, row := range metric.Table {
		if slices.ContainsFunc(s.figures, func(f *figure) bool { return f.Metric == row.Name }) {
			for _, name := range row.Beside {
				add(name)
			}
		}
	}
	return out
}

// rankedMetrics are headlines and what was published: an order by anything else is
// nobody's question.
func (s *replication) rankedMetrics() []string {
	return slices.DeleteFunc(s.metrics(), func(name string) bool {
		if name == "slope" || name == "cpu_per_span" {
			return false
		}
		if isCount(name) {
			return true
		}
		headline := slices.ContainsFunc(s.figures, func(f *figure) bool { return f.Metric == name && f.Headline })
		published := slices.ContainsFunc(s.results, func(r *result) bool {
			return slices.ContainsFunc(r.Experiment.Published, func(p finding.Published) bool { return p.Metric == name })
		})
		return !headline && !published
	})
}

// isCount reports whether a metric counts what was done or arrived: that costs nobody
// anything.
func isCount(name string) bool {
	row, _ := metric.Of(name)
	return row.Nature == metric.Count
}

// isAdded reports whether a finding is over the baseline by definition: nothing but
// noughts stand on its other side.
func isAdded(f *finding.Finding) bool {
	return f.Relative == nil && f.Absolute != nil && !hasBaseline(f) && !isCount(f.Metric)
}

// hasBaseline reports whether anything but noughts stands on the other side.
func hasBaseline(f *finding.Finding) bool {
	return slices.ContainsFunc(f.Samples, func(p finding.Sample) bool { return p.Baseline != 0 })
}
