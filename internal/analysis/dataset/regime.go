// This file orders the phases of a run: by operation, and by the level of what is
// varied between the phases of one operation.

package dataset

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/metric"
)

// Cells returns every operation at each of its levels: the operations in the
// experiment's order, the levels by their size. An operation without any phase has
// one cell.
func (s *Set) Cells() []cell.At { return s.places }

// findCells makes the list of cells.
func (s *Set) findCells() []cell.At {
	levels := map[string]map[cell.Level]bool{}
	for _, byBlock := range s.All {
		for _, r := range byBlock {
			for at := range r.ByCell {
				if levels[at.Operation] == nil {
					levels[at.Operation] = map[cell.Level]bool{}
				}
				levels[at.Operation][at.Level] = true
			}
		}
	}
	var out []cell.At
	for _, operation := range s.Operations() {
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

// RegimeOf tells how the operations of a cell were made to happen; where nothing was
// run yet, how they will be.
func (s *Set) RegimeOf(at cell.At) metric.Regimes {
	seen := false
	for _, byBlock := range s.All {
		for _, r := range byBlock {
			p := r.ByCell[at]
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
func (s *Set) regime() metric.Regimes {
	load := s.Experiment.Load
	self := s.Experiment.Workload != nil && s.Experiment.Workload.Self
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

// Operations are the names of all operations, in the experiment's order.
func (s *Set) Operations() []string {
	var names []string
	for _, o := range s.Experiment.Operations {
		names = append(names, o.Name)
	}
	return names
}
