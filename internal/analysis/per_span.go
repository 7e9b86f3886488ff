// This file takes the cost of a span: what tracing adds, over the spans that are meant to come.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// perSpan is the added CPU per span that is meant to be delivered; nil where none
// is, or where either side lost too many: one that throws spans away is not cheap,
// and what is compared with it looks dear. Where the number of spans is only known to lie
// between two ends, so is the cost of one, and the interval covers both.
func (s *study) perSpan(p pair, at cell.At) *claim {
	if at.Operation == "" || s.loopOf(at) == searching || s.share(p.variant, at) < finding.Lossless || s.share(p.against, at) < finding.Lossless {
		return nil
	}
	value, known := s.meant(p.variant, at)
	base, knownBase := s.meant(p.against, at)
	value = value.doubted(s.lostInMeasured(p.variant, at))
	base = base.doubted(s.lostInMeasured(p.against, at))
	added := value.less(base)
	if !known || !knownBase || added.low <= 0 {
		return nil // or it may be that none are added
	}
	samples := s.samples(cpuMeasure(""), p, at)
	if len(samples) == 0 {
		return nil
	}
	for i, one := range samples {
		samples[i] = added.share(one)
	}
	c := s.newClaim(perSpanMeasure(at.Level.IsZero() || !s.sloped(at.Operation)), p, at, samples)
	c.Note = fmt.Sprintf("added CPU over %s per operation meant to be delivered", added)
	if added.low < added.high {
		c.Note += ": the interval covers both ends"
	}
	c.estimate(s.confidence(estimate.Confidence), s.quick())
	return c
}

// spans is how many spans an operation makes: a number, or two ends between which it lies.
type spans struct{ low, high float64 }

func (s spans) less(other spans) spans { return spans{s.low - other.high, s.high - other.low} }

// doubted is how many were made for sure, to how many are meant to be: what may be missing unseen may not have been made.
// Less than what matters is taken for made.
func (s spans) doubted(by lostSpans) spans {
	unseen := by.mostShare() - by.share()
	if !by.known || unseen <= 1-finding.Lossless {
		return s
	}
	return spans{min(s.low, s.high*(1-unseen)), s.high}
}

func (s spans) times(share float64) spans { return spans{s.low * share, s.high * share} }

func (s spans) String() string {
	switch {
	case s.low < s.high:
		return fmt.Sprintf("%.4g to %.4g spans", s.low, s.high)
	case s.low == 1:
		return "1 span"
	}
	return fmt.Sprintf("%.4g spans", s.low)
}

// share is what one span costs of what was added in a block.
func (s spans) share(one finding.Sample) finding.Sample {
	added := one.Value - one.Baseline
	out := finding.Sample{Block: one.Block, Value: added / ((s.low + s.high) / 2)}
	if s.low < s.high {
		high := max(added/s.low, added/s.high)
		out.ValueWithin = &finding.Range{Low: min(added/s.low, added/s.high), High: &high}
	}
	return out
}

// perSpanMeasure is the cost of a span, which is over the baseline by definition.
func perSpanMeasure(verdict bool) measure {
	m := made(metric.CPUPerSpan, verdict)
	m.added = true
	return m
}
