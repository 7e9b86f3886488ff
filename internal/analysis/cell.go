// This file orders the phases of a run: by operation, and by the level of what is
// varied between the phases of one operation.
package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// cell is one operation at one level of what is varied between phases. Levels are
// never mixed. The zero value stands for the whole run.
type cell struct{ operation, level string }

// String names the cell for a reader: "json, connections 4".
func (c cell) String() string {
	if c.level == "" {
		return c.operation
	}
	return c.operation + ", " + c.level
}

// loop is how the operations of a phase are made to happen.
type loop int

const (
	openLoop   loop = iota // at a given rate
	closedLoop             // by a number of connections kept busy
	searching              // at the rates of a search for the capacity
	saturating             // by the workload itself, one after the other
	paced                  // by the workload itself, at a given rate
)

// drives reports whether the workload makes its operations itself.
func (l loop) drives() bool { return l == saturating || l == paced }

// levelOf is a parameter as a name of a level: "connections 4".
func levelOf(parameter map[string]string) string {
	var parts []string
	for _, name := range sortedKeys(parameter) {
		parts = append(parts, name+" "+parameter[name])
	}
	return strings.Join(parts, ", ")
}

// sweptOf is the one thing that is varied and its value; false where there is none,
// or more than one, or where it is no number.
func sweptOf(parameter map[string]string) (name string, x float64, ok bool) {
	if len(parameter) != 1 {
		return "", 0, false
	}
	name = slices.Collect(maps.Keys(parameter))[0]
	x, err := strconv.ParseFloat(strings.TrimSuffix(parameter[name], "/s"), 64)
	return name, x, err == nil && sane(x)
}

// cells returns every operation at each of its levels: the operations in the
// experiment's order, the levels by their size. An operation without any phase has
// one cell.
func (s *study) cells() []cell { return s.places }

// findCells makes the list of cells.
func (s *study) findCells() []cell {
	levels := map[string]map[string]bool{}
	for _, byBlock := range s.all {
		for _, r := range byBlock {
			for at := range r.phases {
				if levels[at.operation] == nil {
					levels[at.operation] = map[string]bool{}
				}
				levels[at.operation][at.level] = true
			}
		}
	}
	var out []cell
	for _, operation := range s.operations() {
		names := sortedKeys(levels[operation])
		if len(names) == 0 {
			names = []string{""}
		}
		slices.SortStableFunc(names, s.byLevel)
		for _, level := range names {
			out = append(out, cell{operation, level})
		}
	}
	return out
}

// byLevel orders levels by the number that is varied.
func (s *study) byLevel(a, b string) int {
	nameA, x, _ := sweptOf(s.parameters[a])
	nameB, y, _ := sweptOf(s.parameters[b])
	return cmp.Or(strings.Compare(nameA, nameB), cmp.Compare(x, y), strings.Compare(a, b))
}

// loopOf tells how the operations of a cell were made to happen; where nothing was
// run yet, how they will be.
func (s *study) loopOf(at cell) loop {
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
