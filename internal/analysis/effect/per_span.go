// This file takes the cost of a span: what tracing adds, over the spans that are meant to come.

package effect

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// perSpan is the added CPU per span that is meant to be delivered; nil where none
// is, or where either side lost too many: one that throws spans away is not cheap,
// and what is compared with it looks dear. Where the number of spans is only known to lie
// between two ends, so is the cost of one, and the interval covers both.
func (s *Maker) perSpan(p dataset.Pair, at cell.At) *claim {
	if at.Operation == "" || s.RegimeOf(at) == metric.Search || finding.Matters(1-s.Share(p.Variant, at)) || finding.Matters(1-s.Share(p.Against, at)) {
		return nil
	}
	value, known := s.Meant(p.Variant, at)
	base, knownBase := s.Meant(p.Against, at)
	value = value.Doubted(s.LostInMeasured(p.Variant, at))
	base = base.Doubted(s.LostInMeasured(p.Against, at))
	added := value.Less(base)
	if !known || !knownBase || added.Low <= 0 {
		return nil // or it may be that none are added
	}
	samples := measure.CPU("").Samples(s.Set, p, at)
	if len(samples) == 0 {
		return nil
	}
	for i, one := range samples {
		samples[i] = spanShare(added, one)
	}
	c := s.newClaim(perSpanMeasure(at.Level.IsZero() || !s.Sloped(at.Operation)), p, at, samples)
	c.remark(finding.Reason{Code: finding.NotePerSpan, Figures: []finding.Figure{{Name: "low", Value: added.Low, Unit: "count"}, {Name: "high", Value: added.High, Unit: "count"}}})
	c.estimate(s.Confidence(estimate.Confidence))
	return c
}

// spanShare is what one span costs of what was added in a block.
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
