// This file owns what pilot runs found, and the rates that came of it.

package dataset

import (
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/warmup"
)

// Pilot is what the last search of a variant's pilots came to.
type Pilot struct {
	Variant string
	Found   *record.Capacity
}

// Piloted lists what the pilots found of an operation.
func (s *Set) Piloted(operation string) []Pilot {
	var out []Pilot
	for _, v := range s.Variants {
		var last *record.Capacity
		for i := range s.Records {
			r := &s.Records[i]
			if r.Kind != record.Pilot || r.Variant != v.Name || r.Failed() {
				continue
			}
			for j := range r.Phases {
				if p := &r.Phases[j]; p.Operation == operation && p.Capacity != nil {
					last = p.Capacity
				}
			}
		}
		if last != nil {
			out = append(out, Pilot{v.Name, last})
		}
	}
	return out
}

// HasPilots reports whether any pilot searched for a rate.
func (s *Set) HasPilots() bool {
	return slices.ContainsFunc(s.Operations(), func(operation string) bool { return len(s.Piloted(operation)) > 0 })
}

// RateOf is the rate at which an operation was measured.
func (s *Set) RateOf(operation string) (float64, bool) {
	var rates []float64
	for _, v := range s.Variants {
		for _, p := range s.PhasesOf(v.Name, cell.At{Operation: operation}) {
			if p.OfferedRate > 0 {
				rates = append(rates, p.OfferedRate)
			}
		}
	}
	return stats.Center(rates), len(rates) > 0
}

// Warmups are what the pilots for the warm-up came to, none where it was given.
func (s *Set) Warmups() []warmup.Pilot {
	most := s.Experiment.Load.WarmupMost
	if most == 0 {
		return nil
	}
	var out []warmup.Pilot
	for _, p := range warmup.Pilots(s.Records, most) {
		if s.has(p.Variant) {
			out = append(out, p)
		}
	}
	return out
}
