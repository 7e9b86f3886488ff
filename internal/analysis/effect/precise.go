// This file says whether the interval that an experiment is to stop at has been
// reached.

package effect

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/stats"
)

// Widest is the largest half-width over operations and variants of the metric that
// is named.
func (s *Maker) Widest(name string) (width float64, err error) {
	any := false
	for _, at := range append(s.Cells(), cell.At{}) {
		m, has := measure.Named(name, s.RegimeOf(at), at == cell.At{})
		for _, p := range s.Pairs() {
			if has && !p.Extra {
				any = true
				width = math.Max(width, s.halfWidth(m, p, at))
			}
		}
	}
	if !any {
		return math.Inf(1), fmt.Errorf("looking at the precision so far: %q is not measured in these runs (design: precision … of METRIC)", name)
	}
	return width, nil
}

// halfWidth is half the width of one interval of log-ratios; where what is added answers,
// of that, as a share of it. It is infinite where there is none.
func (s *Maker) halfWidth(m measure.Measure, p dataset.Pair, at cell.At) float64 {
	samples := m.Samples(s.Set, p, at)
	if c := s.newClaim(m, p, at, samples); s.overNothing(c) {
		c.estimate(s.Confidence(estimate.Confidence))
		if i := c.Absolute; i.Low != nil && i.Estimate != 0 {
			return (*i.High - *i.Low) / 2 / math.Abs(i.Estimate)
		}
		return math.Inf(1)
	}
	logs, err := stats.LogRatios(estimate.Columns(samples))
	if err != nil {
		return math.Inf(1)
	}
	e := estimate.ExtentOf(samples, estimate.LogRatio).SignedRank(logs, s.Confidence(estimate.Confidence))
	if !e.Bounded {
		return math.Inf(1)
	}
	return (e.High - e.Low) / 2
}

// LeastWidth is the half-width of the metric that is named below which no number of
// blocks gets, as searches know their rates no finer; 0 where there is none.
func (s *Maker) LeastWidth(name string) float64 {
	least := 0.0
	for _, at := range append(s.Cells(), cell.At{}) {
		m, has := measure.Named(name, s.RegimeOf(at), at == cell.At{})
		for _, p := range s.Pairs() {
			if has && !p.Extra {
				least = math.Max(least, estimate.ExtentOf(m.Samples(s.Set, p, at), estimate.LogRatio).Least())
			}
		}
	}
	return least
}
