// The result of one stretch of load, for a person who ran it alone.

package load

import (
	"cmp"
	"runtime"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/steady"
)

// Limits beyond which a Summary blames the generator.
const (
	lateAbove = time.Millisecond // p99 of the lag
	lateShare = 0.1              // and of the latency's p99
	busyAbove = 0.9              // of its threads' time, running or waiting for a CPU
	enough    = 20               // values that must lie above a quantile
	fewest    = 20               // fewest operations that show a backlog: with fewer, one pause delays most

	backlogShare = 0.02 // of the time of asking: tolerated excess of the time of answering
)

// Limit is the reason why the load was not as asked for.
type Limit string

// The limits.
const (
	NoLimit          Limit = ""
	GeneratorLate    Limit = "generator late"    // open loop: latencies include its own lateness
	GeneratorBusy    Limit = "generator busy"    // a faster generator would have asked more
	ServerOverloaded Limit = "server overloaded" // it did not keep up with the rate
	NothingAnswered  Limit = "nothing answered"  // so the speed is unknown
)

// ByGenerator reports whether the generator itself was the limit: the load then does not show what the service can do.
func (l Limit) ByGenerator() bool { return l == GeneratorLate || l == GeneratorBusy }

// Summary of a Load.
type Summary struct {
	Asked         float64    `json:"asked,omitempty"`            // operations/s; 0 for a closed loop
	Reached       float64    `json:"reached"`                    // completed operations/s
	Overtime      float64    `json:"overtime_seconds,omitempty"` // open loop: from the end of the schedule to the last answer
	Latency       []Quantile `json:"latency"`
	LatencyMax    float64    `json:"latency_max_seconds"`
	LagP50        float64    `json:"lag_p50_seconds,omitempty"` // open loop, as the next two; a closed one has no lag
	LagP99        float64    `json:"lag_p99_seconds,omitempty"`
	LagMax        float64    `json:"lag_max_seconds,omitempty"`
	CPUSeconds    float64    `json:"cpu_seconds"`               // of the generator's process
	CPUPerRequest float64    `json:"cpu_per_operation_seconds"` // of these, per operation due, sent or not
	Limit         Limit      `json:"limit,omitempty"`
}

// Quantile is one point of a latency distribution.
type Quantile struct {
	Percentile float64 `json:"percentile"`
	Seconds    float64 `json:"seconds"`
	Censored   bool    `json:"censored,omitempty"` // it lies among operations timed out: Seconds is a lower bound
}

// Summarize summarizes l, the result of t, with the CPU time of the generator's process. Its wait for a CPU, if known, counts
// as its limit too.
func Summarize(t Task, l record.Load, cpu CPUTime) (Summary, error) {
	t = t.WithDefaults()
	latency, err := l.Latency.Decode()
	if err != nil {
		return Summary{}, err
	}
	lag, err := l.Lag.Decode()
	if err != nil {
		return Summary{}, err
	}
	s := Summary{
		Asked:      t.Rate,
		Reached:    reached(t, l, latency),
		Latency:    quantiles(latency, l.TimedOut),
		LatencyMax: seconds(latency.Max()),
		CPUSeconds: cpu.Ran.Seconds(),
	}
	if t.Rate > 0 {
		s.Overtime = max(0, l.WallSeconds-asking(t, l))
		s.LagP50 = seconds(lag.ValueAtQuantile(50))
		s.LagP99 = seconds(lag.ValueAtQuantile(99))
		s.LagMax = seconds(lag.Max())
	}
	if l.Intended > 0 {
		s.CPUPerRequest = s.CPUSeconds / float64(l.Intended)
	}
	s.Limit = limit(t, l, s, latency, cpu)
	return s, nil
}

// reached returns the rate of completed operations. In an open loop whose rate was held they count over the length of the
// schedule: last answers after its end are latency, not a lower rate. If a backlog remained, they count until it was worked
// off.
func reached(t Task, l record.Load, latency *hdrhistogram.Histogram) float64 {
	over := l.WallSeconds
	switch {
	case t.Rate == 0:
	case l.TimedOut > 0 || backlog(t, l, latency):
		over = max(over, asking(t, l))
	default:
		over = asking(t, l)
	}
	if over == 0 {
		return 0
	}
	return float64(l.Completed) / over
}

// farGap is a number of average gaps that a random one hardly ever exceeds.
const farGap = 20

// asking returns the length of an open loop's schedule in seconds, up to its end.
func asking(t Task, l record.Load) float64 {
	gap, whole := 1/t.Rate, t.Duration.Seconds()
	if t.Arrivals == Poisson && t.Duration > 0 && l.Intended != t.Count && l.WallSeconds+farGap*gap >= whole {
		return whole // the number of operations in it is random
	}
	return float64(l.Intended) * gap
}

func quantiles(h *hdrhistogram.Histogram, timedOut uint64) []Quantile {
	var qs []Quantile
	n := float64(h.TotalCount())
	for _, p := range []float64{50, 75, 90, 95, 99, 99.9, 99.99} {
		above := n * (1 - p/100)
		if above < enough-1e-6 {
			break
		}
		qs = append(qs, Quantile{
			Percentile: p,
			Seconds:    seconds(h.ValueAtQuantile(p)),
			Censored:   above < float64(timedOut),
		})
	}
	return qs
}

func limit(t Task, l record.Load, s Summary, latency *hdrhistogram.Histogram, cpu CPUTime) Limit {
	switch {
	case l.Completed == 0:
		return NothingAnswered
	case t.Rate == 0 && alwaysBusy(t, l, cpu):
		return GeneratorBusy
	case t.Rate == 0:
		return NoLimit
	case s.LagP99 > max(lateAbove.Seconds(), lateShare*seconds(latency.ValueAtQuantile(99))):
		return GeneratorLate
	case l.Intended < fewest, !(l.TimedOut > 0 || backlog(t, l, latency)):
		return NoLimit
	case alwaysBusy(t, l, cpu):
		return GeneratorBusy // answers wait to be read, so the connections seem busy
	}
	return ServerOverloaded
}

// alwaysBusy reports whether the generator's threads had almost no time left.
func alwaysBusy(t Task, l record.Load, cpu CPUTime) bool {
	return (cpu.Ran + cpu.Waited).Seconds() > busyAbove*float64(min(t.Threads, runtime.NumCPU()))*l.WallSeconds
}

// backlog reports whether a backlog grew while the server was asked.
func backlog(t Task, l record.Load, latency *hdrhistogram.Histogram) bool {
	if l.Intended < fewest {
		return false
	}
	o := steady.Offer{Rate: t.Rate, Seconds: asking(t, l), Load: &l, Latency: steady.LatenciesOf(latency)}
	return o.Lateness() > backlogShare*o.Seconds || o.Growth() > backlogShare*t.Rate
}

func seconds(ns int64) float64 { return time.Duration(ns).Seconds() }

// The CPU time of a process over a stretch of time.

// CPUTime is the CPU time of one or several threads.
type CPUTime struct {
	Ran    time.Duration
	Waited time.Duration // ready to run, while its CPU ran something else; 0 if unknown
}

// Threads is the CPU time of each living thread of a process until now, by its number.
type Threads map[int]CPUTime

// Since returns the CPU time of the process since before was read: the time that all its threads ran, and the time that the n
// busiest of them waited for a CPU. The wait of others, such as a garbage collector, delays nothing.
func (t Threads) Since(before Threads, n int) CPUTime {
	var sum CPUTime
	var each []CPUTime
	for id, now := range t {
		d := CPUTime{Ran: max(now.Ran-before[id].Ran, 0), Waited: max(now.Waited-before[id].Waited, 0)}
		sum.Ran += d.Ran
		each = append(each, d)
	}
	slices.SortFunc(each, func(x, y CPUTime) int { return cmp.Compare(y.Ran, x.Ran) })
	for _, d := range each[:min(n, len(each))] {
		sum.Waited += d.Waited
	}
	return sum
}
