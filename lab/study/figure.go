// This file makes a figure of each finding, with its logarithms by block.

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
	lossy       bool            // it or the baseline lost over 1 % of the spans
	lossyBase   bool            // the baseline did
	unsure      bool            // it may have lost over 1 % more of them than it lost for sure
	unseen      bool            // no sample is of it: the figure is the most that it can be
	reason      *finding.Reason // against its interval; nil: none
}

// cost returns the logarithm of the ratio to the baseline, by block; nil without a ratio.
func (f *figure) cost() claim.Figures {
	if f.value == nil {
		return nil
	}
	return f.value.Minus(f.base)
}

// told reports whether the figure is usable.
func (f *figure) told() bool { return f.value != nil && f.whole() }

// whole reports whether it is sure that the variant did all of its work: its figure can be compared with others.
func (f *figure) whole() bool { return f.reason == nil && !f.lossy && !f.unsure }

// why returns what is against comparing the figure, other than a known loss; nil: nothing.
func (f *figure) why() *finding.Reason {
	if f.reason == nil && f.unsure {
		return &finding.Reason{Code: finding.WhyLossUnknown}
	}
	return f.reason
}

// at names the figure's workload, operation and level.
func (f *figure) at() string { return join(f.of.workload, cellName(f.Operation, f.Parameter)) }

func (s *replication) collect() {
	for _, r := range s.results {
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Against != r.baseline || f.Role != "" {
				continue
			}
			one := &figure{Finding: f, of: r, reason: cmp.Or(reasonOf(f), r.idle(f), r.unsureBase(f)), unsure: r.unsure(f)}
			one.lossyBase = r.loses(f, f.Against)
			one.lossy = one.lossyBase || r.loses(f, f.Variant)
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

// reasonOf returns the reason for which a finding's interval was withheld, other than too few blocks; else nil.
func reasonOf(f *finding.Finding) *finding.Reason {
	v := f.Verdict
	if v.Kind == finding.Overloaded || claim.Withheld(v) {
		reason := v.Reason()
		return &reason
	}
	return nil
}

// idle returns a reason if a side sent no spans, or sent them elsewhere, or the sides did different work; else nil.
func (r *result) idle(f *finding.Finding) *finding.Reason {
	if idle := claim.Idle(r.Document, f); idle != nil {
		return idle
	}
	if f.Uncompared {
		return &finding.Reason{Code: finding.WhyOtherRates}
	}
	return nil
}

// unsureBase returns a reason if the baseline may have lost too many spans to be compared with; else nil.
func (r *result) unsureBase(f *finding.Finding) *finding.Reason {
	if r.UnknownLossOf(f, f.Against) != nil {
		return &finding.Reason{Code: finding.WhyLossUnknown}
	}
	return nil
}

// unsure reports whether a variant may have lost too many spans to be ranked. Older results list no such losses. For self-driving
// workloads the ledger answers; for others it includes the warm-up.
func (r *result) unsure(f *finding.Finding) bool {
	if r.UnknownLossOf(f, f.Variant) != nil {
		return true
	}
	return slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Metric == "time_per_call" }) &&
		slices.ContainsFunc(r.Ledgers, func(l finding.Ledger) bool {
			return l.Operation == f.Operation && l.Variant == f.Variant && !l.ByChance && finding.Matters(l.LostMost-l.LostShare)
		})
}

// loses reports whether a variant lost too many spans to be ranked, in a finding's cell.
func (r *result) loses(f *finding.Finding, variant string) bool {
	if finding.IsOfLoad(f.Metric) {
		return r.LostOf(f, variant) != nil
	}
	return slices.ContainsFunc(r.Lossy, func(l finding.Lossy) bool {
		here := len(f.Parameter) == 0 || maps.Equal(l.Parameter, f.Parameter)
		return l.Operation == f.Operation && here && l.Variant == variant
	})
}

// suppressed returns the share of spans that the tracer's own limit suppressed; 0 unless over 1 %.
func (f *figure) suppressed() float64 {
	for _, u := range f.of.Suppressed {
		if u.Operation == f.Operation && u.Variant == f.Variant && (len(f.Parameter) == 0 || maps.Equal(u.Parameter, f.Parameter)) {
			return u.Share
		}
	}
	return 0
}

// logsOf returns the logarithms of both sides by block; nil if a value has none.
func logsOf(samples []finding.Sample) (value, base claim.Figures) {
	base, value = claim.Sides(samples)
	under, okBase := base.Logs()
	over, okValue := value.Logs()
	if !okBase || !okValue {
		return nil, nil
	}
	return over, under
}

// isCause reports whether a metric is a cause: the added amount counts, its ratio to the baseline means nothing.
func isCause(name string) bool {
	row, _ := metric.Of(name)
	return row.IsCause()
}

// addedIn returns the added amount of each block over a baseline of 1: the cost is then that amount.
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

// variantsOf returns the claim's variants, or else all of the result's but the baseline.
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

// variants returns the variants of all results but the baselines, in order.
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

// tracers returns each variant's tracer, from the first result that has the variant.
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

// cellName returns an operation at its level: "call, depth 8".
func cellName(operation string, parameter map[string]string) string {
	return cell.AtOf(operation, parameter).Title()
}

// join joins the non-empty parts with commas.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// This file bounds the figures of variants that lost spans, or may have. Sending them all would have been
// more work: the figure is a lower bound of the cost. It can confirm a cost, but not refute
// one, nor show that it is small.

// limit is the side of a ratio that the true one lies on.
type limit int

const (
	exact   limit = iota // at the figure itself
	atMost               // at the figure, or below
	atLeast              // at the figure, or above
	neither              // nothing is known
)

// limit returns the limit of the figure's ratio to the baseline.
func (f *figure) limit() limit {
	switch whole := !f.lossy && !f.unsure; {
	case f.unseen && whole:
		return atMost
	case f.unseen:
		return neither
	case whole:
		return exact
	case f.Better == "higher":
		return atMost
	}
	return atLeast
}

// inverse returns the limit of one over the ratio.
func (l limit) inverse() limit {
	switch l {
	case atMost:
		return atLeast
	case atLeast:
		return atMost
	}
	return l
}

// and returns the limit of the product of two ratios.
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

// limit returns the limit of the mean of parts over the mean of under.
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

// This file selects and classifies the metrics of a replication.

// metrics returns the metrics of the replication, in order: headlines, published and claimed ones,
// and those to be read beside another.
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

// rankedMetrics returns the metrics to rank by: slope, cpu_per_span, headlines and published ones, no counts.
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

// isCount reports whether a metric counts work or arrivals, which is no cost.
func isCount(name string) bool {
	row, _ := metric.Of(name)
	return row.Nature == metric.Count
}

// isAdded reports whether a finding is over the baseline by definition: the baseline's samples are all 0.
func isAdded(f *finding.Finding) bool {
	return f.Relative == nil && f.Absolute != nil && !hasBaseline(f) && !isCount(f.Metric)
}

// hasBaseline reports whether a baseline sample is not 0.
func hasBaseline(f *finding.Finding) bool {
	return slices.ContainsFunc(f.Samples, func(p finding.Sample) bool { return p.Baseline != 0 })
}
