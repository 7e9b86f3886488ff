// High percentiles of latency that was taken in slices.

package effect

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// tailFrom is the percentile from which on the exports of a tracer show: they take a per cent or two of the time.
const tailFrom = 97

// tailsOf returns the reason that a high percentile was taken in slices among those of variants that export meanwhile; or nil.
func (s *Estimator) tailsOf(c *draft) *finding.Reason {
	if c.metric.Nature != metric.Latency || c.metric.Percentile < tailFrom {
		return nil
	}
	exports := false
	for _, plan := range s.Plans {
		exports = exports || !plan.Silent && plan.Passed() > 0
	}
	sliced := slices.ContainsFunc(s.PhasesOf(c.Variant, c.at), func(p *dataset.Phase) bool { return p.Timed != nil && p.Timed.Seconds > 0 })
	if !exports || !sliced {
		return nil
	}
	return &finding.Reason{Code: finding.WhyTails, Variant: c.Variant}
}
