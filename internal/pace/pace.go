// Package pace owns one question: was an offered rate held? It is pure and a leaf
// beside record: the search for a capacity and the analysis of a run ask it, so
// that a rate means the same to both. It does not know who asked, nor what follows.
//
// docs/warnings.md says why the answer is what it is.
package pace

import "github.com/tracetax/tracetax/internal/record"

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
	Load    *record.Load // of which Intended is above 0
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
