// This file finds what an operation was varied over.

package dataset

import (
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/metric"
)

// Axis is what one operation was varied over.
type Axis struct {
	Parameter string
	Cells     []cell.At
	X         []float64
}

// AxisOf returns an operation's levels, smallest first; false where there are not
// two of them, or where they are not one number each.
func (s *Set) AxisOf(operation string) (Axis, bool) {
	var a Axis
	for _, at := range s.Cells() {
		if at.Operation != operation {
			continue
		}
		name, x, ok := at.Level.Swept()
		if !ok || a.Parameter != "" && name != a.Parameter {
			return Axis{}, false
		}
		a.Parameter = name
		a.Cells, a.X = append(a.Cells, at), append(a.X, x)
	}
	return a, len(a.Cells) > 1
}

// Sloped reports whether a line is fitted through the levels of an operation. What is
// claimed of it is the line: a verdict on every level by itself would make all of them
// wider for no question that anybody asks.
func (s *Set) Sloped(operation string) bool {
	a, ok := s.AxisOf(operation)
	return ok && a.Parameter == cell.Depth && metric.Driven.Has(s.RegimeOf(a.Cells[0]))
}
