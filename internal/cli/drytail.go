//go:build linux

// Which percentiles of latency a run will tell: of a plan, before anything runs.

package cli

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// dryTail is up to which percentile the latencies of an experiment can be told.
type dryTail struct {
	Highest float64 `json:"highest,omitempty"`        // percentile that all runs will have; absent: none
	Next    float64 `json:"next,omitempty"`           // the one after it; absent: there is none
	Needs   float64 `json:"needs_s,omitempty"`        // seconds of load that this one takes, at the lowest rate
	Has     float64 `json:"has_requests"`             // requests of a run, of the operation and level that has the fewest
	Takes   float64 `json:"takes_requests,omitempty"` // those that the next one takes
}

// told are the percentiles that reports have.
var toldPercentiles = []float64{50, 75, 90, 95, 99, 99.9}

// tailOf returns the percentiles that an experiment's requests can support; nil without latencies or without a known rate.
func tailOf(e *config.Experiment) *dryTail {
	l := e.Load
	if l.Relative != nil || !metric.Open.Has(e.Regime()) {
		return nil
	}
	fewest, rate := math.Inf(1), 0.0
	for _, o := range e.Operations {
		for _, level := range l.Steps() {
			each := cmp.Or(o.Rate, level.Load.Rate)
			if n := each * cmp.Or(o.Duration, l.Duration).Seconds(); each > 0 && n < fewest {
				fewest, rate = n, each
			}
		}
	}
	if math.IsInf(fewest, 1) {
		return nil
	}
	t := dryTail{Has: math.Floor(fewest)}
	for _, p := range toldPercentiles {
		if stats.QuantileSupported(uint64(fewest), p) {
			t.Highest = p
			continue
		}
		t.Next, t.Takes = p, stats.QuantileTakes(p)
		t.Needs = math.Ceil(t.Takes / rate)
		break
	}
	if delay := e.Slicing(); delay > 0 && (t.Next == 0 || t.Next > tailInSlices) {
		t.Highest, t.Next, t.Takes = 95, tailInSlices, stats.QuantileTakes(tailInSlices)
		t.Needs = max(math.Ceil(t.Takes/rate), delay.Seconds())
	}
	return &t
}

// tailInSlices is the lowest percentile that slices do not tell where tracers export meanwhile.
const tailInSlices = 99

// String says it in a line of a dry run.
func (t *dryTail) String() string {
	text := "no percentile of latency"
	if t.Highest > 0 {
		text = fmt.Sprintf("latency up to p%g", t.Highest)
	}
	if t.Next == 0 {
		return text
	}
	needs := time.Duration(t.Needs * float64(time.Second))
	if t.Has >= t.Takes {
		return fmt.Sprintf("%s; p%g takes windows of two delays of the tracers: --duration %v", text, t.Next, needs)
	}
	return fmt.Sprintf("%s; p%g takes %.0f requests in a run, and there are %.0f: --duration %v", text, t.Next, t.Takes, t.Has, needs)
}
