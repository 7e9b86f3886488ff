// Package effect owns what tracing changes: figures of pairs of variants with their intervals and verdicts, what further
// steps add, the line over depth, and what stands against each of them. It must not know of warnings, nor how a finding is
// shown.
package effect

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// Estimator makes findings of a set and its accounts. What it saw on the way is there when the findings are made.
type Estimator struct {
	*delivery.Accounts
	Lags      []Doubt // latency verdicts withheld because of the generator
	Modes     []Doubt // verdicts withheld because of modes
	Bends     []Doubt // lines over depth that are none
	Below     []Doubt // CPU per operation below zero
	headlines []*draft
	otherWork map[workplace]*finding.Reason // what was found already
}

// New makes findings of a set and its accounts.
func New(accounts *delivery.Accounts) *Estimator { return &Estimator{Accounts: accounts} }

// Doubt is a reason against a finding, or a remark beside it.
type Doubt struct {
	Metric  string
	Charged string // the role or service that it is charged to; "" is all
	Reason  finding.Reason
	At      cell.At
	Variant string
	Against string // "": the baseline
}

// doubt is one against the claim.
func (c *draft) doubt(reason finding.Reason) Doubt {
	d := Doubt{Metric: c.Metric, Charged: c.Charged(), Reason: reason, At: c.at, Variant: c.Variant}
	if c.pair.Extra {
		d.Against = c.Against
	}
	return d
}

// Pairs of variants, with all findings of each and their verdicts.

// Findings makes all findings, with their verdicts.
func (s *Estimator) Findings() []finding.Finding {
	var claims []*draft
	for _, at := range append(s.Cells(), cell.At{}) {
		for _, p := range s.Pairs() {
			claims = append(claims, s.claims(p, at)...)
		}
	}
	for _, operation := range s.Operations() {
		for _, p := range s.Pairs() {
			claims = append(claims, s.slopes(p, operation)...)
		}
	}
	s.judge(claims)
	claims = append(claims, s.withoutCPU(claims)...)
	claims = append(claims, s.unanswered(claims)...)
	s.withhold(claims)
	s.distrust(claims)
	out := make([]finding.Finding, 0, len(claims))
	for _, c := range claims {
		s.unmeasured(c)
		if c.Headline {
			s.headlines = append(s.headlines, c)
		}
		out = append(out, c.Finding)
	}
	return out
}

// claims makes the findings of one pair on one cell.
func (s *Estimator) claims(p dataset.Pair, at cell.At) []*draft {
	var out []*draft
	add := func(c *draft) {
		if c != nil {
			out = append(out, c)
		}
	}
	explained := s.explained(p, at)
	for _, m := range measure.All(s.Charges(), s.RegimeOf(at)) {
		if m.Name == metric.KeptShare && !s.keeps(p, at) || m.IsCause() && !explained(m.Cause) {
			continue
		}
		if m.WholeRun == (at == cell.At{}) {
			add(s.claim(m, p, at))
		}
	}
	add(s.perSpan(p, at))
	for _, c := range s.perKeptTrace(p, at) {
		add(c)
	}
	add(s.delivered(p, at))
	return out
}

// HeadlineFindings are the headline's findings alone, without verdicts, by variant: those of variants beside the baseline, or of
// steps, which are variants beside others.
func (s *Estimator) HeadlineFindings(steps bool) []finding.Finding {
	var out []finding.Finding
	for _, p := range s.Pairs() {
		for _, at := range s.Cells() {
			if p.Extra != steps {
				continue
			}
			if c := s.claim(measure.Headline(s.RegimeOf(at)), p, at); c != nil {
				out = append(out, c.Finding)
			}
		}
	}
	return out
}

// A finding of one metric of a pair, on its way to a verdict.

// draft is a finding on its way to a verdict.
type draft struct {
	finding.Finding
	metric   measure.Measure
	pair     dataset.Pair
	at       cell.At
	amounts  *claim.Evidence // what is added
	evidence *claim.Evidence // what the verdict is made on: ratios, or amounts where there are none or they do not answer
	budget   *config.Limit
	doubts   doubts
	bent     *finding.Reason // why nothing can be read off the end of its line; nil where it can
}

// claim makes the finding of one metric; nil where there is nothing to show.
func (s *Estimator) claim(m measure.Measure, p dataset.Pair, at cell.At) *draft {
	samples := m.Samples(s.Set, p, at)
	if claim.AllZero(samples) {
		return nil
	}
	c := s.outline(m, p, at, samples)
	if m.Remark != nil {
		c.remark(*m.Remark)
	}
	if share := claim.Resolution(samples); share > 0 {
		c.remark(finding.Reason{Code: finding.NoteBracket, Figures: []finding.Figure{{Name: "share", Value: share, Unit: "1"}}})
	}
	c.estimate(s.Confidence)
	if m.Name == metric.CPUPerOperation && m.Payer == (role.Charge{}) && !m.NotCompared {
		c.Scatter = s.scatter(c)
	}
	if m.NotCompared {
		c.Uncompared = true
		c.Absolute, c.Relative, c.evidence = nil, nil, c.amounts
	}
	if m.IsCause() || s.overNothing(c) { // only amounts of causes add up
		c.Amount, c.evidence = true, c.amounts
	}
	if c.contrary() {
		c.remark(because(finding.NoteWithin))
	}
	s.remarkNodes(c)
	return c
}

// visibly is the share of the baseline from which on a difference strikes the reader of a table.
const visibly = 0.05

// contrary reports whether the centres of the two values differ visibly in the other direction than the ratio shown beside them.
// They can: blocks may vary by more than the variants differ, and the difference is taken within blocks.
func (c *draft) contrary() bool {
	if !c.ByRatio() || c.Relative == nil || c.Baseline <= 0 {
		return false
	}
	shown, values := c.Relative.Estimate, float64(c.Value/c.Baseline)-1
	return shown*values < 0 && min(math.Abs(shown), math.Abs(values)) > visibly
}

// scatter returns the scatter of a claim's log-ratios between blocks, and within; nil without windows.
func (s *Estimator) scatter(c *draft) *finding.Scatter {
	if !c.evidence.Ratio {
		return nil
	}
	var rounds [][]float64
	for _, sample := range c.Samples {
		base, value := s.Runs[c.pair.Against][sample.Block].ByCell[c.at], s.Runs[c.pair.Variant][sample.Block].ByCell[c.at]
		rounds = append(rounds, roundsOf(base, value))
	}
	n, ok := stats.Nest(c.evidence.Value.Values(), rounds)
	if !ok || measure.Joined(s.Set) {
		return nil
	}
	return &finding.Scatter{Blocks: n.Blocks, Rounds: n.Rounds, Windows: n.Windows, FromRounds: n.FromRounds()}
}

// roundsOf are the log-ratios of CPU per operation of the rounds of a block: each run has one window in each. What is done
// between windows is in none.
func roundsOf(base, value *dataset.Phase) []float64 {
	var out []float64
	for i := range min(len(base.Windows), len(value.Windows)) {
		b, v := base.Windows[i], value.Windows[i]
		if b.Disturbed && base.Undisturbed != nil || b.Operations == 0 || v.Operations == 0 {
			continue
		}
		logs, err := stats.LogRatios([]float64{b.CPUSeconds / float64(b.Operations)}, []float64{v.CPUSeconds / float64(v.Operations)})
		if err == nil { // otherwise nothing was used in a window
			out = append(out, logs[0])
		}
	}
	return out
}

// outline is the claim of one metric without its figures: whether it is a headline, and gets a verdict.
func (s *Estimator) outline(m measure.Measure, p dataset.Pair, at cell.At, samples []finding.Sample) *draft {
	c := s.newClaim(m, p, at, samples)
	c.Headline = m.Leads && !p.Extra
	if !at.Level.IsZero() && s.Sloped(at.Operation) && s.budgetFor(c) == nil {
		c.Headline, c.metric.NoVerdict = false, true
	}
	return c
}

// overNothing reports whether a claim is about time over operations that do nothing when
// untraced: a ratio would be to the cost of calling an empty method. A budget stays a ratio.
// So do all figures if some operations do something, for one kind of figure in a report.
func (s *Estimator) overNothing(c *draft) bool {
	e, tracer := s.Experiment, s.Variants[0].Tracer
	traced := tracer != nil && tracer.Name != program.NoTracer
	if c.pair.Extra || c.Unit != "s" || c.metric.WholeRun || traced || s.budgetFor(c) != nil {
		return false
	}
	return len(e.Operations) > 0 && !slices.ContainsFunc(e.Operations, func(o program.Operation) bool { return !o.Empty })
}

// newClaim is a claim without its figures.
func (s *Estimator) newClaim(m measure.Measure, p dataset.Pair, at cell.At, samples []finding.Sample) *draft {
	samples = measure.Join(s.Set, samples)
	nothing := claim.Paired(nil, false, s.Confidence)
	return &draft{metric: m, pair: p, at: at, amounts: nothing, evidence: nothing, Finding: finding.Finding{
		Operation: at.Operation, Parameter: at.Level.Map(), Variant: p.Variant, Against: p.Against,
		Metric: m.Name, Role: string(m.Payer.Role), Service: m.Payer.Service, Unit: m.Unit, Better: m.Better, Blocks: len(samples), Samples: samples,
	}}
}

// cannotTell is the verdict on a limit that no interval answers.
func (c *draft) cannotTell(reasons ...finding.Reason) { c.answer(finding.CannotTell, reasons...) }

// because is a reason that needs no figures.
func because(code finding.Code) finding.Reason { return finding.Reason{Code: code} }

// answer gives a verdict that is no interval's.
func (c *draft) answer(kind finding.Kind, reasons ...finding.Reason) {
	c.Verdict.Kind, c.Verdict.MoreBlocks, c.Verdict.Reasons = kind, 0, slices.Clone(reasons)
	wording.FillVerdict(&c.Finding)
}

// remark adds to what is to be known beside the claim.
func (c *draft) remark(note finding.Reason) {
	c.Notes = append(c.Notes, note)
	c.Note = wording.Notes(c.Notes)
}

// The centres and intervals of a claim.

// unmeasured marks figures without blocks as unknown, and CPU that another program used. The baseline's own value may be
// known.
func (s *Estimator) unmeasured(c *draft) {
	if c.Verdict.Reason().Code == finding.WhyNoCPU {
		c.Blocks, c.Samples, c.Absolute, c.Relative, c.Scatter = 0, []finding.Sample{}, nil, nil, nil
	}
	if c.Blocks > 0 {
		return
	}
	c.Baseline, c.Value = finding.NotKnown(), finding.NotKnown()
	base := dataset.Pair{Variant: c.Against, Against: c.Against}
	if c.metric.Read == nil || ofCPU(c.Metric) && (s.Restless(base) != nil || s.noCPU(c.metric, base, c.at) != nil) {
		return
	}
	if own := slices.Collect(maps.Values(c.metric.ByBlock(s.Set, c.Against, c.at))); len(own) > 0 {
		c.Baseline = finding.Number(stats.Center(own))
	}
}

// estimate fills in the centres and intervals.
func (c *draft) estimate(ask claim.Ask) {
	base, value := claim.Sides(c.Samples)
	c.Baseline, c.Value = finding.Number(base.Center()), finding.Number(value.Center())
	c.amounts = claim.Paired(value.Minus(base), false, ask)
	c.evidence, c.Absolute = c.amounts, c.amounts.Interval(claim.Confidence)
	if ratios, ok := claim.Ratios(base, value); ok {
		c.evidence = claim.Paired(ratios, true, ask)
		c.Relative = c.evidence.Interval(claim.Confidence)
	}
	if c.metric.PointOnly {
		c.Absolute, c.Relative = claim.Bare(c.Absolute), claim.Bare(c.Relative)
	}
}
