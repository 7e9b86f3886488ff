package pace

// What has to be known of the latencies: a backlog shows in them.

import "github.com/HdrHistogram/hdrhistogram-go"

// percents is how many steps there are from the lowest latency to the highest.
const percents = 100

// Latencies is what is read of a latency histogram, in seconds. The zero value
// is that of no latencies.
type Latencies struct {
	Least, Most float64
	at          []float64 // at every percentile from 0 to 100
}

// LatenciesOf reads a histogram of nanoseconds.
func LatenciesOf(h *hdrhistogram.Histogram) Latencies {
	if h.TotalCount() == 0 {
		return Latencies{}
	}
	const ns = 1e-9
	wanted := make([]float64, percents+1)
	for i := range wanted {
		wanted[i] = float64(i)
	}
	l := Latencies{Least: float64(h.Min()) * ns, Most: float64(h.Max()) * ns, at: make([]float64, percents+1)}
	for i, value := range h.ValueAtPercentilesSlice(wanted) {
		l.at[i] = float64(value) * ns
	}
	return l
}

// grewTo reports whether the latencies are those of a backlog that grew until
// the last operation was this late (seconds, beyond the fastest one's duration).
// A backlog passes through every size on its way, so that latencies lie all
// between the fastest and the last; those of a service that keeps up lie where
// they lie from the start. Lateness that no latency explains counts as well.
func (l Latencies) grewTo(late float64) bool {
	if late > l.Most {
		return true
	}
	if late < backlogGrowth*l.Least || l.quantile(90)-l.Least < backlogReach*late {
		return false
	}
	return l.below(l.Least+0.75*late)-l.below(l.Least+0.25*late) >= backlogMiddle
}

func (l Latencies) quantile(percentile int) float64 {
	if len(l.at) == 0 {
		return 0
	}
	return l.at[percentile]
}

// below is the share of latencies up to v, to a percent.
func (l Latencies) below(v float64) float64 {
	share := 0.0
	for i, q := range l.at {
		if q <= v {
			share = float64(i) / percents
		}
	}
	return share
}
