// This file takes the cost of a span: what tracing adds, over the spans that are meant to come.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
)

// perSpan is the added CPU per span that is meant to be delivered; nil where none
// is, or where either side lost too many: one that throws spans away is not cheap,
// and what is compared with it looks dear.
func (s *study) perSpan(p pair, at cell) *claim {
	if at.operation == "" || s.loopOf(at) == searching || s.share(p.variant, at) < lossless || s.share(p.against, at) < lossless {
		return nil
	}
	value, known := s.meant(p.variant, at)
	base, knownBase := s.meant(p.against, at)
	added := value - base
	if !known || !knownBase || added <= 0 {
		return nil
	}
	samples := s.samples(cpuMetric(""), p, at)
	if len(samples) == 0 {
		return nil
	}
	for i, one := range samples {
		samples[i] = finding.Sample{Block: one.Block, Value: (one.Value - one.Baseline) / added}
	}
	c := s.newClaim(metric{name: cpuPerSpan, unit: "s", better: lower, added: true, noVerdict: at.level != "" && s.sloped(at.operation)}, p, at, samples)
	c.Note = fmt.Sprintf("added CPU over %s per operation meant to be delivered", spansText(added))
	c.estimate(s.confidence(confidence), s.quick())
	return c
}

func spansText(n float64) string {
	if n == 1 {
		return "1 span"
	}
	return fmt.Sprintf("%.4g spans", n)
}
