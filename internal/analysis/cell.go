// This file orders the phases of a run: by operation, and by the level of what is
// varied between the phases of one operation.
package analysis

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/metric"
)

// loop is how the operations of a phase are made to happen.
type loop int

const (
	openLoop   loop = iota // at a given rate
	closedLoop             // by a number of connections kept busy
	searching              // at the rates of a search for the capacity
	saturating             // by the workload itself, one after the other
	paced                  // by the workload itself, at a given rate
)

// regime is how the table of metrics calls it.
func (l loop) regime() metric.Regimes {
	return [...]metric.Regimes{openLoop: metric.Open, closedLoop: metric.Closed, searching: metric.Search, saturating: metric.Unthrottled, paced: metric.FixedRate}[l]
}

// drives reports whether the workload makes its operations itself.
func (l loop) drives() bool { return l == saturating || l == paced }

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

// loopOf tells how the operations of a cell were made to happen; where nothing was
// run yet, how they will be.
func (s *study) loopOf(at cell.At) loop {
	seen := false
	for _, byBlock := range s.all {
		for _, r := range byBlock {
			p := r.phases[at]
			switch {
			case p == nil:
				continue
			case p.Capacity != nil:
				return searching
			case p.Load.Driven != nil && p.OfferedRate > 0:
				return paced
			case p.Load.Driven != nil:
				return saturating
			case p.OfferedRate > 0:
				return openLoop
			}
			seen = true
		}
	}
	if seen {
		return closedLoop
	}
	return s.loop()
}

// loop is how the experiment's operations are made to happen.
func (s *study) loop() loop {
	load := s.in.Experiment.Load
	self := s.in.Experiment.Workload != nil && s.in.Experiment.Workload.Self
	switch {
	case load.Capacity != nil:
		return searching
	case self && load.Rate <= 0 && len(load.Rates) == 0 && load.Relative == nil:
		return saturating
	case self:
		return paced
	case load.Rate > 0 || len(load.Rates) > 0 || load.Relative != nil:
		return openLoop
	}
	return closedLoop
}
