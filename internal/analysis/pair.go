// This file pairs variants and makes a finding of each metric of each pair.
package analysis

import (
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// pair is a variant and what it is compared with.
type pair struct {
	variant, against string
	extra            bool // not against the baseline
}

// pairs returns each variant against the baseline, and those against another
// variant that the experiment asks for.
func (s *study) pairs() []pair {
	var out []pair
	for _, v := range s.variants[1:] {
		out = append(out, pair{variant: v.Name, against: s.baseline})
		if v.Against != "" && v.Against != s.baseline && v.Against != v.Name {
			out = append(out, pair{variant: v.Name, against: v.Against, extra: true})
		}
	}
	return out
}

// claim is a finding on its way to a verdict.
type claim struct {
	finding.Finding
	metric      metric
	pair        pair
	differences []float64
	logs        []float64 // nil where there is no ratio
	budget      *spec.Limit
	doubts      doubts
}

// findings makes all findings, with their verdicts.
func (s *study) findings() []finding.Finding {
	var claims []*claim
	list := metrics(s.roles(), s.closed())
	operations := append(s.operations(), "")
	for _, operation := range operations {
		for _, p := range s.pairs() {
			for _, m := range list {
				if m.wholeRun != (operation == "") {
					continue
				}
				if c := s.claim(m, p, operation); c != nil {
					claims = append(claims, c)
				}
			}
			if c := s.perSpan(p, operation); c != nil {
				claims = append(claims, c)
			}
			if c := s.delivered(p, operation); c != nil {
				claims = append(claims, c)
			}
		}
	}
	s.judge(claims)
	claims = append(claims, s.unanswered(claims)...)
	out := make([]finding.Finding, 0, len(claims))
	for _, c := range claims {
		out = append(out, c.Finding)
	}
	return out
}

// claim makes the finding of one metric; nil where there is nothing to show.
func (s *study) claim(m metric, p pair, operation string) *claim {
	samples := s.samples(m, p, operation)
	if allZero(samples) {
		return nil
	}
	c := &claim{metric: m, pair: p, Finding: finding.Finding{
		Operation: operation, Variant: p.variant, Against: p.against,
		Metric: m.name, Role: m.role, Unit: m.unit, Better: m.better, Note: m.note,
		Headline: m.name == cpuPerOperation && m.role == "" && !p.extra,
		Blocks:   len(samples), Samples: samples,
	}}
	c.estimate(s.quick())
	return c
}

// samples returns the values of both sides, block by block; nil where a run
// cannot give the metric.
func (s *study) samples(m metric, p pair, operation string) []finding.Sample {
	var out []finding.Sample
	for _, block := range s.blocksOf(p.variant, p.against) {
		base, value := s.runs[p.against][block], s.runs[p.variant][block]
		basePhase, valuePhase := base.phases[operation], value.phases[operation]
		if !m.wholeRun && (basePhase == nil || valuePhase == nil) {
			continue
		}
		b, okBase := m.value(base, basePhase)
		v, okValue := m.value(value, valuePhase)
		if !okBase || !okValue || !sane(b) || !sane(v) {
			return nil
		}
		out = append(out, finding.Sample{Block: block, Baseline: b, Value: v})
	}
	return out
}

// estimate fills in the centres and intervals.
func (c *claim) estimate(quick bool) {
	base, value := columns(c.Samples)
	c.Baseline, c.Value = stats.Center(base), stats.Center(value)
	c.differences = minus(value, base)
	logs, err := stats.LogRatios(base, value)
	if err == nil && sane(math.Exp(largest(logs))) { // otherwise there is no ratio: absolute only
		c.logs = logs
		c.Relative = interval(stats.Ratio(stats.SignedRank(logs, confidence)), quick || c.metric.pointOnly)
	}
	c.Absolute = interval(stats.SignedRank(c.differences, confidence), quick || c.metric.pointOnly)
}

// sane reports whether a figure can be calculated with: what no process can have
// used comes from a broken record, and must not become an infinity.
func sane(v float64) bool { return math.Abs(v) < 1e100 }

// largest is the largest size among x, 0 for none.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// interval is an estimate as a finding has it.
func interval(e stats.Estimate, pointOnly bool) *finding.Interval {
	i := &finding.Interval{Estimate: e.Center}
	if e.Bounded && !pointOnly {
		i.Low, i.High = &e.Low, &e.High
	}
	return i
}

func columns(samples []finding.Sample) (base, value []float64) {
	for _, s := range samples {
		base, value = append(base, s.Baseline), append(value, s.Value)
	}
	return base, value
}

func minus(value, base []float64) []float64 {
	d := make([]float64, len(value))
	for i := range value {
		d[i] = value[i] - base[i]
	}
	return d
}

func allZero(samples []finding.Sample) bool {
	for _, s := range samples {
		if s.Baseline != 0 || s.Value != 0 {
			return false
		}
	}
	return true
}

// quick reports whether figures are all that is asked for.
func (s *study) quick() bool { return s.in.Experiment.Design.Quick }

// closed reports whether the load is a closed loop.
func (s *study) closed() bool {
	for _, v := range s.variants {
		for _, r := range s.runs[v.Name] {
			for _, p := range r.phases {
				if p.OfferedRate > 0 {
					return false
				}
			}
		}
	}
	return s.in.Experiment.Load.Rate <= 0
}
