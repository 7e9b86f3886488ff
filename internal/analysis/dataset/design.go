// This file reads what the experiment asks of all that is made of its records.

package dataset

import (
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/stats"
)

// Confidence is the confidence to ask of an interval that is to have the one given,
// in spite of stopping at a precision. It is the one place where intervals are
// widened for that.
func (s *Set) Confidence(given float64) float64 {
	if !s.Stops() {
		return given
	}
	d := s.Experiment.Design
	return stats.SequentialConfidence(d.Blocks, d.Most, given)
}

// Stops reports whether the number of blocks is found on the way.
func (s *Set) Stops() bool {
	d := s.Experiment.Design
	return d.Most > 0 && d.Precision > 0
}

// Woven reports whether variants had the load at the same time.
func (s *Set) Woven() bool {
	return s.Experiment.Design.Order == config.Woven || s.Any(func(r *Run) bool { return r.Harness.Order == string(config.Woven) })
}

// has reports whether a variant is one of those that are analysed.
func (s *Set) has(variant string) bool {
	for _, v := range s.Variants {
		if v.Name == variant {
			return true
		}
	}
	return false
}

// Shortest is the length of a variant's windows: what was asked for, or the shortest
// that there was where a number of operations ended them.
func (s *Set) Shortest(variant string) time.Duration {
	load := s.Experiment.Load
	if load.Calls == 0 {
		return load.Duration
	}
	least := load.Duration
	for _, r := range s.All[variant] {
		for _, p := range r.ByCell {
			took := time.Duration(p.Load.WallSeconds * float64(time.Second)).Round(time.Millisecond)
			if least == 0 || took < least {
				least = took
			}
		}
	}
	return least
}

// SearchedPercentile is that of the limit on latency that searches look for.
func (s *Set) SearchedPercentile() float64 {
	if c := s.Experiment.Load.Capacity; c != nil && c.Percentile > 0 {
		return c.Percentile
	}
	return 99
}
