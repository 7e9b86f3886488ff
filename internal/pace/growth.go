package pace

// How fast the backlog grew, from how many operations were due and not ended at
// each tenth of the schedule. It does not matter how long an operation takes.

import (
	"math"
	"slices"
)

const (
	fewest     = 3   // operations that a backlog must have grown by, to be one
	aboveNoise = 4.0 // times its own scatter that it must have grown by
	leastSeen  = 4   // looks at the backlog, to say anything of its growth
)

// Growth is by how many operations a second the backlog grew, in the mean of the windows; 0 where it did not,
// or no more than chance and a pause of the service explain.
//
// The slope is the median of the slopes between all pairs of looks (Theil 1950,
// Sen 1968), which one pause leaves where it is. Looks from before the first
// operation can have ended are left out: until then every backlog grows.
func (o Offer) Growth() float64 {
	n := len(o.Load.Backlog)
	if n == 0 {
		return 0
	}
	part := o.Schedule() / o.windows() / float64(n)
	var at, open []float64
	for i, backlog := range o.Load.Backlog {
		if t := part * float64(i+1); t >= o.Latency.Least {
			at, open = append(at, t), append(open, float64(backlog)/o.windows())
		}
	}
	if len(at) < leastSeen {
		return 0
	}
	slope := medianSlope(at, open)
	grown := slope * (at[len(at)-1] - at[0])
	if grown < fewest || grown < aboveNoise*scatter(at, open, slope) {
		return 0
	}
	return min(slope, o.Rate)
}

func medianSlope(x, y []float64) float64 {
	var slopes []float64
	for i := range x {
		for j := range i {
			slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
		}
	}
	return median(slopes)
}

// scatter is the deviation of the points from their line, as normal values would
// have it whose median distance is the same.
func scatter(x, y []float64, slope float64) float64 {
	const normal = 1.4826
	rest := make([]float64, len(x))
	for i := range x {
		rest[i] = y[i] - slope*x[i]
	}
	middle := median(rest)
	for i := range rest {
		rest[i] = math.Abs(rest[i] - middle)
	}
	return normal * median(rest)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
