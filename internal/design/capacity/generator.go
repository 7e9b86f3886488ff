package capacity

// Whether the generator was the limit, and not the service.

import (
	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

const (
	lateBy    = 5e-3 // seconds, the generator's lateness at the 90th percentile from which on it counts
	lateBusy  = 1e-3 // the same at the median, for a generator that is busy
	busyShare = 0.95 // of its CPU, from which a generator is busy
)

// generatorBound reports whether the generator could not ask what it was told to:
// most of the latency was its own, or it was busy and late, or the limit of a
// latency was missed by no more than the generator's own lag. Where the workload
// is self-driving there is no generator: what is late is the workload.
func (s *Search) generatorBound(p *record.Probe) bool {
	if p.Load.Driven != nil {
		return false
	}
	lag, err := p.Load.Lag.Decode()
	if err != nil || lag.TotalCount() == 0 {
		return false
	}
	latency, err := p.Load.Latency.Decode()
	if err != nil {
		return false
	}
	if quantile(lag, 90) > max(lateBy, quantile(latency, 90)/2) {
		return true
	}
	if s.goal.Goal == config.GoalLatency {
		at, limit := quantile(latency, s.goal.Percentile), s.goal.Limit.Seconds()
		if at > limit && at-quantile(lag, s.goal.Percentile) <= limit {
			return true
		}
	}
	return generatorBusy(p) && quantile(lag, 50) > lateBusy
}

// failedByGenerator reports whether a probe failed as it could not be made as it
// should.
func (s *Search) failedByGenerator(p *record.Probe) bool {
	if p.Passed || p.Held && s.goal.Goal != config.GoalLatency {
		return false
	}
	return s.generatorBound(p)
}

func generatorBusy(p *record.Probe) bool {
	for _, u := range p.Usage {
		if u.Role == role.Load && u.Seconds > 0 && u.CPUSeconds > busyShare*u.Seconds {
			return true
		}
	}
	return false
}

func quantile(h *hdrhistogram.Histogram, percentile float64) float64 {
	return float64(h.ValueAtQuantile(percentile)) * 1e-9
}
