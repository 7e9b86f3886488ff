// This file orders the phases of a run: by operation, and by the level of what is
// varied between the phases of one operation.
package analysis

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/metric"
)

// cells returns every operation at each of its levels: the operations in the
// experiment's order, the levels by their size. An operation without any phase has
// one cell.
func (s *study) cells() []cell.At { return s.places }

// findCells makes the list of cells.
func (s *study) findCells() []cell.At {
	levels := map[string]map[cell.Level]bool{}
	for _, byBlock := range s.all {
		for _, r := range byBlock {
			for at := range r.phases {
				if levels[at.Operation] == nil {
					levels[at.Operation] = map[cell.Level]bool{}
				}
				levels[at.Operation][at.Level] = true
			}
		}
	}
	var out []cell.At
	for _, operation := range s.operations() {
		of := slices.SortedFunc(maps.Keys(levels[operation]), cell.Level.Compare)
		if len(of) == 0 {
			of = []cell.Level{{}}
		}
		for _, level := range of {
			out = append(out, cell.At{Operation: operation, Level: level})
		}
	}
	return out
}

// regimeOf tells how the operations of a cell were made to happen; where nothing was
// run yet, how they will be.
func (s *study) regimeOf(at cell.At) metric.Regimes {
	seen := false
	for _, byBlock := range s.all {
		for _, r := range byBlock {
			p := r.phases[at]
			switch {
			case p == nil:
				continue
			case p.Capacity != nil:
				return metric.Search
			case p.Load.Driven != nil && p.OfferedRate > 0:
				return metric.FixedRate
			case p.Load.Driven != nil:
				return metric.Unthrottled
			case p.OfferedRate > 0:
				return metric.Open
			}
			seen = true
		}
	}
	if seen {
		return metric.Closed
	}
	return s.regime()
}

// regime is how the experiment's operations are made to happen.
func (s *study) regime() metric.Regimes {
	load := s.in.Experiment.Load
	self := s.in.Experiment.Workload != nil && s.in.Experiment.Workload.Self
	switch {
	case load.Capacity != nil:
		return metric.Search
	case self && load.Rate <= 0 && len(load.Rates) == 0 && load.Relative == nil:
		return metric.Unthrottled
	case self:
		return metric.FixedRate
	case load.Rate > 0 || len(load.Rates) > 0 || load.Relative != nil:
		return metric.Open
	}
	return metric.Closed
}
