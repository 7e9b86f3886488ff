package capacity

// Losses by chance: a long probe loses a few spans at a rate that a short one held.

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// A loss of 62 spans in two million is no reason to try the same rate again, lower by 62
// spans: the rates that pass and fail are apart by the resolution.
func TestHiccupIsNotTriedUntilItPasses(t *testing.T) {
	goal := config.RateSearch{Goal: config.GoalLossless, From: 2000, Resolution: 0.15, Confirm: 30 * time.Second}
	s := New(goal, Options{Duration: 5 * time.Second})
	var probes []record.Probe
	for {
		p, more := s.Next(probes)
		if !more {
			break
		}
		p.Expected, p.Passed, p.Held, p.Quiet = 10*p.Rate*p.Seconds, true, true, true
		p.Load = record.Load{Intended: uint64(p.Rate * p.Seconds), Started: uint64(p.Rate * p.Seconds), Completed: uint64(p.Rate * p.Seconds)}
		long := p.Seconds >= 30
		if p.Rate > 7500 || long && p.Rate > 6500 {
			p.Lost, p.Passed = 62, false
		}
		probes = append(probes, p)
	}
	c := s.Result(probes)
	if c.Outcome != record.Found || c.Rate > 6500 || c.Failing/c.Passing < 1.14 || c.Failing/c.Passing > 1.16 {
		t.Errorf("%s: passes %g, fails %g (%s)", c.Outcome, c.Passing, c.Failing, c.Note)
		show(t, c)
	}
}
