// This file reads what is needed of a latency histogram, once: the histograms
// themselves are too large to be kept.

package dataset

import (
	"github.com/tracetax/tracetax/internal/pace"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// Grid is the percentiles that are read: those of curves and metrics.
var Grid = []float64{
	0, 1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 96, 97, 98, 99, 99.5, 99.9, 99.95, 99.99,
}

// distribution is what a histogram says. Times are in seconds.
type distribution struct {
	n, censored uint64
	least, most float64
	average     float64
	quantiles   []float64 // at the grid
	pace        pace.Latencies
}

func distributionOf(h record.Histogram, censored uint64) (distribution, error) {
	if h == "" {
		return distribution{censored: censored}, nil
	}
	decoded, err := h.Decode()
	if err != nil {
		return distribution{}, err
	}
	const ns = 1e-9
	d := distribution{
		n: uint64(decoded.TotalCount()), censored: censored,
		least: float64(decoded.Min()) * ns, most: float64(decoded.Max()) * ns, average: decoded.Mean() * ns,
		pace: pace.LatenciesOf(decoded),
	}
	for _, p := range Grid {
		d.quantiles = append(d.quantiles, float64(decoded.ValueAtQuantile(p))*ns)
	}
	return d, nil
}

// At returns a percentile of the grid; false where too few values support it, or
// where it reaches into values of which only a least size is known.
func (d distribution) At(percentile float64) (float64, bool) {
	if !stats.QuantileSupported(d.n, percentile) {
		return 0, false
	}
	if above := float64(d.n) * (100 - percentile) / 100; float64(d.censored) > above {
		return 0, false
	}
	for i, p := range Grid {
		if p == percentile && i < len(d.quantiles) {
			return d.quantiles[i], true
		}
	}
	return 0, false
}

// Values is how many there are.
func (d distribution) Values() uint64 { return d.n }

// Mean is not known where some values are censored.
func (d distribution) Mean() (float64, bool) { return d.average, d.n > 0 && d.censored == 0 }

func (d distribution) Max() (float64, bool) { return d.most, d.n > 0 && d.censored == 0 }
