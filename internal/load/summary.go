// What one stretch of load comes to, for a person who ran it alone.

package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/record"
)

// Limits of what a Summary calls the generator's fault.
const (
	lateAbove = time.Millisecond // p99 of the lag
	lateShare = 0.1              // and of the latency's p99
	busyAbove = 0.9              // of its threads' time, in a closed loop
	enough    = 20               // values that must lie above a quantile

	backlogShare = 0.02 // of the time of asking, that answering may take longer
)

// Limit is what kept the load from being what was asked for.
type Limit string

// The limits.
const (
	NoLimit          Limit = ""
	GeneratorLate    Limit = "generator late"    // open loop: latencies hold its own lateness
	GeneratorBusy    Limit = "generator busy"    // closed loop: a faster generator would have asked more
	ServerOverloaded Limit = "server overloaded" // it did not keep up with the rate
)

// Summary of a Load.
type Summary struct {
	Asked         float64    `json:"asked,omitempty"` // operations/s; 0 for a closed loop
	Reached       float64    `json:"reached"`         // completed operations/s
	Latency       []Quantile `json:"latency"`
	LatencyMax    float64    `json:"latency_max_seconds"`
	LagP50        float64    `json:"lag_p50_seconds"`
	LagP99        float64    `json:"lag_p99_seconds"`
	LagMax        float64    `json:"lag_max_seconds"`
	CPUSeconds    float64    `json:"cpu_seconds"`               // of the generator's process
	CPUPerRequest float64    `json:"cpu_per_operation_seconds"` // of these, per operation sent
	Limit         Limit      `json:"limit,omitempty"`
}

// Quantile is one point of a latency distribution.
type Quantile struct {
	Percentile float64 `json:"percentile"`
	Seconds    float64 `json:"seconds"`
	Censored   bool    `json:"censored,omitempty"` // it lies among operations timed out: Seconds is a lower bound
}

// Summarize reads l, the result of t, for which the generator's process took cpu.
func Summarize(t Task, l record.Load, cpu time.Duration) (Summary, error) {
	t = t.withDefaults()
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
		Reached:    reached(t, l),
		Latency:    quantiles(latency, l.TimedOut),
		LatencyMax: seconds(latency.Max()),
		LagP50:     seconds(lag.ValueAtQuantile(50)),
		LagP99:     seconds(lag.ValueAtQuantile(99)),
		LagMax:     seconds(lag.Max()),
		CPUSeconds: cpu.Seconds(),
	}
	if l.Started > 0 {
		s.CPUPerRequest = s.CPUSeconds / float64(l.Started)
	}
	s.Limit = limit(t, l, s, latency)
	return s, nil
}

// reached is the rate of completed operations over the time of asking or
// answering, whichever is longer.
func reached(t Task, l record.Load) float64 {
	wall := l.WallSeconds
	if t.Rate > 0 {
		wall = max(wall, float64(l.Intended)/t.Rate)
	}
	if wall == 0 {
		return 0
	}
	return float64(l.Completed) / wall
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

func limit(t Task, l record.Load, s Summary, latency *hdrhistogram.Histogram) Limit {
	switch {
	case t.Rate == 0 && s.CPUSeconds > busyAbove*float64(t.Threads)*l.WallSeconds:
		return GeneratorBusy
	case t.Rate == 0:
		return NoLimit
	case s.LagP99 > max(lateAbove.Seconds(), lateShare*seconds(latency.ValueAtQuantile(99))):
		return GeneratorLate
	case l.TimedOut > 0 || backlog(t, l, latency):
		return ServerOverloaded
	}
	return NoLimit
}

// backlog reports whether a backlog grew while the server was asked: the answers
// went on for a while after the last request was due, and that while is seen in
// half of the latencies but not in the lowest ones (a server that is merely slow
// is slow from the first).
func backlog(t Task, l record.Load, latency *hdrhistogram.Histogram) bool {
	asking := float64(l.Intended) / t.Rate
	after := l.WallSeconds - asking
	return after > backlogShare*asking &&
		seconds(latency.ValueAtQuantile(50)) > after/4 && seconds(latency.ValueAtQuantile(1)) < after/4
}

func seconds(ns int64) float64 { return time.Duration(ns).Seconds() }
