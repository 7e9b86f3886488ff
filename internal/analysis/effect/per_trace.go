// This file takes the cost of a trace that is kept: what tracing adds, over those that came. It says who pays for deciding
// on traces.

package effect

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// perKeptTrace is the added CPU per trace that came: of everybody, and of each role where there are helpers, as a Collector is
// one. There is none where all came, or none; nor where spans were lost.
func (s *Maker) perKeptTrace(p dataset.Pair, at cell.At) []*claim {
	if !s.keeps(p, at) {
		return nil
	}
	shares := measure.Of(metric.Must(metric.KeptShare), role.Charge{}, s.RegimeOf(at))
	if !shares.In.Has(s.RegimeOf(at)) {
		return nil
	}
	kept := map[int]float64{}
	for _, one := range shares.Samples(s.Set, p, at) {
		if one.Value <= one.Baseline {
			return nil
		}
		kept[one.Block] = one.Value - one.Baseline
	}
	var out []*claim
	for _, payer := range s.payers() {
		if samples := perTrace(measure.CPU(payer).Samples(s.Set, p, at), kept); len(samples) > 0 && !estimate.AllZero(samples) {
			m := measure.Made(metric.CPUPerKeptTrace, false)
			m.Added, m.Payer = true, role.Charge{Role: payer}
			c := s.newClaim(m, p, at, samples)
			c.remark(because(finding.NotePerTrace))
			c.estimate(s.Confidence(estimate.Confidence))
			out = append(out, c)
		}
	}
	return out
}

// keeps reports whether it can be told how many traces of a pair were kept: something decides on them, each operation begins one
// at most, and none were lost, for what throws traces away keeps few of them too.
func (s *Maker) keeps(p dataset.Pair, at cell.At) bool {
	if at.Operation == "" || s.loses(p, at) {
		return false
	}
	several := func(variant string) bool { return s.Tracing[variant].Spans[at.Operation].Traces >= 1.5 } // 0 is not known
	return !several(p.Variant) && !several(p.Against) && (s.decides(p.Variant) || s.decides(p.Against))
}

// decides reports whether something chose among the traces of a variant: chance, its tracer, or a hop. That some operations have
// none does not show it: a request may fail.
func (s *Maker) decides(variant string) bool {
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
func (s *Maker) loses(p dataset.Pair, at cell.At) bool {
	return finding.Matters(1-s.Share(p.Variant, at)) || finding.Matters(1-s.Share(p.Against, at))
}

// payers are all together, and each role but the harness's where there are helpers.
func (s *Maker) payers() []role.Role {
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

// perTrace is what is added for each kept trace, block by block.
func perTrace(cpu []finding.Sample, kept map[int]float64) []finding.Sample {
	var out []finding.Sample
	for _, one := range cpu {
		if kept[one.Block] > 0 {
			out = append(out, finding.Sample{Block: one.Block, Value: (one.Value - one.Baseline) / kept[one.Block]})
		}
	}
	return out
}
