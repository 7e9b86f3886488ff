// This file bounds the causes that no sample is of.

package study

import (
	"maps"
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// unseenConfidence is that of the limit of a share of which no sample is. It is above the 95 % of the intervals that are held against
// the limit, which adds little to their error.
const unseenConfidence = 0.99

// atMostOf returns the upper limit of a share that none of so many samples is of (C. J. Clopper & E. S. Pearson, Biometrika 26, 1934).
func atMostOf(samples int64) float64 {
	return 1 - math.Pow((1-unseenConfidence)/2, 1/float64(samples))
}

// unseen returns, for each level, the most that a stage or a task of tracing can cost a variant if no sample is of it: that share of what
// all of tracing costs. It returns nothing for other metrics, or where the cost of tracing is not known.
func (s *replication) unseen(r *result, name, operation, variant string) []*figure {
	row, _ := metric.Of(name)
	if row.Cause.Axis != metric.Stage && row.Cause.Axis != metric.Task || row.Cause.Alloc {
		return nil
	}
	tracing := metric.CPUTracing
	if row.Cause.Wait {
		tracing = metric.Waits(tracing)
	}
	var out []*figure
	for _, all := range s.find(func(f *figure) bool {
		return f.of == r && f.Metric == tracing && f.Operation == operation && f.Variant == variant
	}) {
		for _, c := range r.Causes {
			if c.Operation != operation || c.Variant != variant || c.Against != all.Against || !maps.Equal(c.Parameter, all.Parameter) {
				continue
			}
			samples := c.Tracing
			if row.Cause.Wait {
				samples = c.Waits
			}
			if samples > 0 && len(c.Reasons) == 0 {
				out = append(out, all.atMost(name, atMostOf(samples)))
			}
		}
	}
	return out
}

// atMost returns the figure of a cause that has at most a share of the figure's amount.
func (f *figure) atMost(name string, share float64) *figure {
	cause, bound := *f.Finding, *f
	cause.Metric, cause.Samples = name, nil
	for _, x := range f.Samples {
		cause.Samples = append(cause.Samples, finding.Sample{Block: x.Block, Value: share * (x.Value - x.Baseline)})
	}
	bound.Finding, bound.unseen = &cause, true
	bound.value, bound.base = logsOf(addedIn(cause.Samples))
	return &bound
}
