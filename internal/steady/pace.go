// Package steady owns two questions on a load: was an offered rate held, and how long does a warm-up have to be? It is pure,
// beside record and stats: the search for a capacity and the analysis of a run ask it, so a rate means the same to both. It
// does not know who asked, nor what follows.
//
// docs/warnings.md says why the answer is what it is.
package steady

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// What is not holding the rate.
const (
	HeldShare     = 0.98 // of the operations asked for, completed in the time that the schedule takes
	TimeOutShare  = 0.01 // of the operations asked for
	backlogGrowth = 3.0  // times the fastest operation's duration, that a backlog grows to at least
	backlogReach  = 0.6  // of the lateness, that the latency at the 90th percentile of a backlog reaches
	backlogMiddle = 0.1  // of the operations, that met the middle half of a backlog
)

// Offer is a rate that was offered, and what came of it.
type Offer struct {
	Rate    float64      // operations/s asked for, above 0
	Seconds float64      // length of the schedule; 0: as long as the operations take at the rate
	Windows int          // equally long parts that the schedule was made in, each begun when all before was answered; 0 is 1
	Load    *record.Load // with Intended above 0
	Latency Latencies
}

// Held reports whether the rate was held: nearly all operations were completed
// in the time of the schedule, and next to none timed out.
func (o Offer) Held() bool {
	return o.Share() >= HeldShare && float64(o.Load.TimedOut) <= TimeOutShare*float64(o.Load.Intended)
}

// Share is the part of the rate that was held: completed of the operations asked
// for, in the time that the schedule takes. Time beyond the schedule counts only
// where it comes from a backlog: the last operations of a slow service that keeps
// up end after the schedule too. A backlog that is seen to grow counts by how fast
// it does, where that says less.
func (o Offer) Share() float64 {
	schedule := o.Schedule()
	kept := schedule / (schedule + o.Lateness())
	return float64(o.Load.Completed) / float64(o.Load.Intended) * min(kept, 1-o.Growth()/o.Rate)
}

// Schedule is the time over which the operations were asked, in seconds.
func (o Offer) Schedule() float64 {
	if o.Seconds > 0 {
		return o.Seconds
	}
	return float64(o.Load.Intended) / o.Rate
}

// Lateness is for how many seconds a backlog was worked off after the schedule's
// end; 0 where the last operations are merely slow. Of a schedule in windows it is that of all
// their ends: each has last operations, which are so large a part of a short one that its latencies do not tell
// them from a backlog. How that went does.
func (o Offer) Lateness() float64 {
	late := max(0, (o.Load.WallSeconds-o.Schedule())/o.windows()-o.Latency.Least)
	if !o.Latency.grewTo(late) || o.Windows > 1 && late <= o.Latency.Most && o.Growth() <= 0 {
		return 0
	}
	return late * o.windows()
}

func (o Offer) windows() float64 { return max(1, float64(o.Windows)) }

// What has to be known of the latencies: a backlog shows in them.

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
// A backlog passes through every size on its way, so latencies lie all
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

// How fast the backlog grew, from how many operations were due and not ended at
// each tenth of the schedule. It does not matter how long an operation takes.

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
	if slope > o.Rate*(1-rounding) {
		return o.Rate
	}
	return slope
}

// rounding is how much arithmetic may take off a slope: a backlog of all that was asked for leaves a rate of exactly 0.
const rounding = 1e-9

func medianSlope(x, y []float64) float64 {
	var slopes []float64
	for i := range x {
		for j := range i {
			slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
		}
	}
	return stats.Median(slopes)
}

// scatter is the deviation of the points from their line, as normal values would
// have it whose median distance is the same.
func scatter(x, y []float64, slope float64) float64 {
	const normal = 1.4826
	rest := make([]float64, len(x))
	for i := range x {
		rest[i] = y[i] - slope*x[i]
	}
	middle := stats.Median(rest)
	for i := range rest {
		rest[i] = math.Abs(rest[i] - middle)
	}
	return normal * stats.Median(rest)
}
