// This file owns what pilot runs found, and the rates that came of it.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// pilotRun is what the last search of a variant's pilots came to.
type pilotRun struct {
	variant string
	found   *record.Capacity
}

// piloted lists what the pilots found of an operation.
func (s *study) piloted(operation string) []pilotRun {
	var out []pilotRun
	for _, v := range s.variants {
		var last *record.Capacity
		for i := range s.in.Records {
			r := &s.in.Records[i]
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
			out = append(out, pilotRun{v.Name, last})
		}
	}
	return out
}

// hasPilots reports whether any pilot searched for a rate.
func (s *study) hasPilots() bool {
	return slices.ContainsFunc(s.operations(), func(operation string) bool { return len(s.piloted(operation)) > 0 })
}

// rateOf is the rate at which an operation was measured.
func (s *study) rateOf(operation string) (float64, bool) {
	var rates []float64
	for _, v := range s.variants {
		for _, p := range s.phasesOf(v.Name, cell.At{Operation: operation}) {
			if p.OfferedRate > 0 {
				rates = append(rates, p.OfferedRate)
			}
		}
	}
	return stats.Center(rates), len(rates) > 0
}
