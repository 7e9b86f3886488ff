// The cost of a span: the cost of tracing over the spans that should come.

package effect

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// perSpan is the added CPU per span that is meant to be delivered; nil where none
// is, or where either side lost too many: one that throws spans away is not cheap,
// and what is compared with it looks dear. Where the number of spans is only known to lie
// between two ends, so is the cost of one, and the interval covers both.
func (s *Estimator) perSpan(p dataset.Pair, at cell.At) *draft {
	if at.Operation == "" || s.RegimeOf(at) == metric.Search || s.Of(p.Variant, at).Matters() || s.Of(p.Against, at).Matters() {
		return nil
	}
	value, known := s.Meant(p.Variant, at)
	base, knownBase := s.Meant(p.Against, at)
	value = value.Doubted(s.Of(p.Variant, at).Measured)
	base = base.Doubted(s.Of(p.Against, at).Measured)
	added := value.Less(base)
	if !known || !knownBase || added.Low <= 0 {
		return nil // or it may be that none are added
	}
	samples := measure.CPU("").PerBlock(s.Set, p, at)
	if len(samples) == 0 {
		return nil
	}
	for i, one := range samples {
		samples[i] = spanShare(added, one)
	}
	c := s.newClaim(perSpanMeasure(at.Level.IsZero() || !s.Sloped(at.Operation)), p, at, samples)
	c.remark(finding.Reason{Code: finding.NotePerSpan, Figures: []finding.Figure{{Name: "low", Value: added.Low, Unit: "count"}, {Name: "high", Value: added.High, Unit: "count"}}})
	c.estimate(s.Confidence)
	return c
}

// spanShare returns the cost of one span in the addition of a block.
func spanShare(s delivery.Spans, one finding.Sample) finding.Sample {
	added := one.Value - one.Baseline
	out := finding.Sample{Block: one.Block, Value: added / ((s.Low + s.High) / 2)}
	if s.Low < s.High {
		high := max(added/s.Low, added/s.High)
		out.ValueWithin = &finding.Range{Low: min(added/s.Low, added/s.High), High: &high}
	}
	return out
}

// perSpanMeasure is the cost of a span, which is over the baseline by definition.
func perSpanMeasure(verdict bool) measure.Measure {
	m := measure.Made(metric.CPUPerSpan, verdict)
	m.Added = true
	return m
}

// The cost of a kept trace: the cost of tracing over the traces that came. It shows the price of deciding on traces.

// perKeptTrace is the added CPU per trace that came: of everybody, and of each role where there are helpers, as a Collector is
// one. There is none where all came, or none; nor where spans were lost.
func (s *Estimator) perKeptTrace(p dataset.Pair, at cell.At) []*draft {
	if !s.keeps(p, at) {
		return nil
	}
	shares := measure.Of(metric.Must(metric.KeptShare), role.Charge{}, s.RegimeOf(at))
	if !shares.In.Has(s.RegimeOf(at)) {
		return nil
	}
	kept := map[int]float64{}
	for _, one := range shares.PerBlock(s.Set, p, at) {
		if one.Value <= one.Baseline {
			return nil
		}
		kept[one.Block] = one.Value - one.Baseline
	}
	var out []*draft
	for _, payer := range s.payers() {
		if samples := perTrace(measure.CPU(payer).PerBlock(s.Set, p, at), kept); len(samples) > 0 && !claim.AllZero(samples) {
			m := measure.Made(metric.CPUPerKeptTrace, false)
			m.Added, m.Payer = true, role.Charge{Role: payer}
			c := s.newClaim(m, p, at, samples)
			c.remark(because(finding.NotePerTrace))
			c.estimate(s.Confidence)
			out = append(out, c)
		}
	}
	return out
}

// keeps reports whether the number of kept traces is known for a pair: something decides on them, each operation begins one
// at most, and none were lost, because losing traces looks like keeping few.
func (s *Estimator) keeps(p dataset.Pair, at cell.At) bool {
	if at.Operation == "" || s.loses(p, at) {
		return false
	}
	several := func(variant string) bool { return s.Tracing[variant].Spans[at.Operation].Traces >= 1.5 } // 0 is not known
	return !several(p.Variant) && !several(p.Against) && (s.decides(p.Variant) || s.decides(p.Against))
}

// decides reports whether something chose among the traces of a variant: chance, its tracer, or a hop. That some operations have
// none does not show it: a request may fail.
func (s *Estimator) decides(variant string) bool {
	if t := s.Tracing[variant]; !t.Silent && t.Sampling < 1 {
		return true
	}
	some := func(n *uint64) bool { return n != nil && *n > 0 }
	for _, r := range s.All[variant] {
		if some(r.Tracer.Sampled) || slices.ContainsFunc(r.Hops, func(h record.Hop) bool { return some(h.Kept) || some(h.Sampled) }) {
			return true
		}
	}
	return false
}

// loses reports whether either side of a pair lost spans.
func (s *Estimator) loses(p dataset.Pair, at cell.At) bool {
	return s.Of(p.Variant, at).Matters() || s.Of(p.Against, at).Matters()
}

// payers are all together, and each role but the harness's where there are helpers.
func (s *Estimator) payers() []role.Role {
	out, helped := []role.Role{""}, false
	for _, c := range s.Charges() {
		if c.Service == "" && c.Role != "" && !c.Role.Harness() {
			out, helped = append(out, c.Role), helped || c.Role.Helper()
		}
	}
	if !helped {
		return out[:1]
	}
	return out
}

// perTrace returns the addition for each kept trace, block by block.
func perTrace(cpu []finding.Sample, kept map[int]float64) []finding.Sample {
	var out []finding.Sample
	for _, one := range cpu {
		if kept[one.Block] > 0 {
			out = append(out, finding.Sample{Block: one.Block, Value: (one.Value - one.Baseline) / kept[one.Block]})
		}
	}
	return out
}

// The finding of the delivered share, and the loss against its budget.

// delivered is the delivered share, and the verdict on the budget for lost spans.
func (s *Estimator) delivered(p dataset.Pair, at cell.At) *draft {
	budget := s.lostBudget(p)
	search := s.RegimeOf(at) == metric.Search
	if at.Operation == "" || search && budget == nil {
		return nil
	}
	samples, compared := s.shares(p, at)
	if search {
		samples = nil // the probes ask for different rates on purpose
	}
	t := s.Tracing[p.Variant]
	if len(samples) == 0 && (budget == nil || t.Silent || t.Sampling <= 0) {
		return nil
	}
	c := s.newClaim(measure.Made(metric.DeliveredShare, false), p, at, samples)
	if len(samples) > 0 {
		base, value := claim.Sides(samples)
		c.Value = finding.Number(s.shareOf(p.Variant, at, samples))
		if compared {
			c.Baseline = finding.Number(s.shareOf(p.Against, at, samples))
			c.Absolute = claim.Paired(value.Minus(base), false, s.Confidence).Interval(claim.Confidence)
		}
	}
	if l := s.Of(p.Variant, at).Ledger; l != nil {
		for _, one := range l.Outcome {
			c.remark(one)
		}
	}
	if budget != nil {
		s.judgeLost(c, budget)
	}
	return c
}

// shares returns the delivered shares, block by block, and whether both sides
// have any: a baseline that delivers nothing has none to be compared with.
func (s *Estimator) shares(p dataset.Pair, at cell.At) (samples []finding.Sample, compared bool) {
	compared = true
	for _, block := range s.BlocksOf(p.Variant, p.Against) {
		value, known := s.InBlock(p.Variant, block, at)
		if !known || value.Due <= 0 {
			return nil, false
		}
		sample := finding.Sample{Block: block, Value: value.Share()}
		if base, known := s.InBlock(p.Against, block, at); known && base.Due > 0 {
			sample.Baseline = base.Share()
		} else {
			compared = false
		}
		samples = append(samples, sample)
	}
	return samples, compared
}

// shareOf returns the delivered share of a variant over all blocks of the samples together, as its ledger counts: a centre of
// the blocks' shares would not add up to the ledger's losses.
func (s *Estimator) shareOf(variant string, at cell.At, samples []finding.Sample) float64 {
	var all ledger.Delivery
	for _, sample := range samples {
		if one, known := s.InBlock(variant, sample.Block, at); known {
			all.Due, all.Delivered = all.Due+one.Due, all.Delivered+one.Delivered
		}
	}
	return all.Share()
}

// judgeLost compares the ledger's losses with their budget. Losses are counted, not
// estimated: there is no interval unless the ledger has one.
func (s *Estimator) judgeLost(c *draft, budget *config.Limit) {
	c.Verdict.Budget = &budget.Value
	d := s.Of(c.Variant, c.at)
	l := d.Ledger
	if s.LosesOnPurpose(c.at) {
		c.cannotTell(because(finding.WhyLossAim))
		return
	}
	if l == nil {
		c.cannotTell(because(finding.WhyNoLedger))
		return
	}
	least, most, known := ledger.LossEnds(*l)
	told := l.Outcome
	if window := d.Window; window.Known && window.Share() > least {
		least, most = window.Share(), max(most, window.MostShare()) // a long warm-up thins out no loss
		told = append([]finding.Reason{{Code: finding.WhyInWindow, Figures: []finding.Figure{{Name: "share", Value: least, Unit: "1"}}}}, told...)
	}
	switch {
	case !known:
		s.judgeUnexpected(c, budget.Value)
	case ledger.Surplus(*l) > 0 && budget.Value < 1 && ledger.ReportedShare(*l) <= budget.Value:
		c.cannotTell(told...) // the expected number is wrong: what came beyond it may make up for any loss, and what is missing may not be
	case least > budget.Value:
		c.answer(finding.Over, told...)
	case l.Unchecked > 0 && budget.Value < 1:
		c.cannotTell(append(slices.Clone(told), because(finding.WhyNoIDs))...)
	case most <= budget.Value:
		c.answer(finding.Within, told...)
	case s.togetherOver(c.Variant, budget.Value):
		of := s.OfAnyOperation(c.Variant)
		c.answer(finding.Over, append([]finding.Reason{because(finding.WhyOfAny)}, of.Outcome...)...)
	default:
		c.cannotTell(told...)
	}
}

// togetherOver reports whether a variant's operations together lost more than a budget for sure, though it is not sure of any of
// them: then one of them did.
func (s *Estimator) togetherOver(variant string, budget float64) bool {
	of := s.OfAnyOperation(variant)
	return of != nil && of.LostShare > budget
}

// judgeUnexpected holds what a tracer admits to have lost in its whole run against the budget,
// where the number of spans of an operation is unknown.
func (s *Estimator) judgeUnexpected(c *draft, budget float64) {
	of := s.BesideOperations(c.Variant)
	if of != nil && of.LostShare > budget && s.OnlyUnexpected(c.Variant, c.at) {
		c.answer(finding.Over, of.Outcome...)
		return
	}
	if budget >= 1 {
		c.answer(finding.Within, because(finding.WhyAnyLoss))
		return
	}
	c.cannotTell(because(finding.PageUnknown))
}

// The least cost of a tracer that is excluded from the ranking.

// leastCost gives a variant that is excluded from the ranking what it costs there, by the metric that the
// answer is made of: also at a level, where the headline may be the line through all of them.
// It is the least only where the baseline lost nothing for sure.
func (s *Estimator) leastCost(l *finding.Lossy, findings []finding.Finding) {
	if l.LostShare >= 1 {
		return // nothing came: it may have made none
	}
	at := cell.AtOf(l.Operation, l.Parameter)
	metric := measure.Headline(s.RegimeOf(at)).Name
	for _, f := range findings {
		here := f.Operation == at.Operation && cell.LevelOf(f.Parameter) == at.Level
		if f.Metric == metric && here && f.Role == "" && f.Variant == l.Variant && f.Against == s.Baseline {
			l.Metric = f.Metric
			if f.ByRatio() {
				l.Cost = f.Relative
			} else if f.Absolute != nil {
				l.Added, l.Unit = f.Absolute, f.Unit
			}
		}
	}
}

// Excluded lists the variants that lost too many spans to be ranked, with their cost in the findings.
func (s *Estimator) Excluded(findings []finding.Finding) []finding.Lossy {
	out := s.Lossy()
	for i := range out {
		at := cell.AtOf(out[i].Operation, out[i].Parameter)
		lost := slices.ContainsFunc(out, func(l finding.Lossy) bool { return l.Variant == s.Baseline && sameCell(l, out[i]) })
		if !lost && s.Of(s.Baseline, at).Unknown == nil {
			s.leastCost(&out[i], findings)
		}
	}
	return out
}

func sameCell(a, b finding.Lossy) bool {
	return a.Operation == b.Operation && cell.LevelOf(a.Parameter) == cell.LevelOf(b.Parameter)
}
