// This file reads what a search for a rate says of its phase.

package dataset

import (
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// LosesOnPurpose reports whether a cell's search makes spans be lost on purpose.
func (s *Set) LosesOnPurpose(at cell.At) bool {
	for _, byBlock := range s.All {
		for _, r := range byBlock {
			p := r.ByCell[at]
			if p == nil {
				continue
			}
			if p.Capacity != nil && p.Capacity.Goal == string(config.GoalLossless) {
				return true
			}
		}
	}
	return false
}

// Unsteady reports whether a search came to nothing because its probes contradict
// each other.
func (p *Phase) Unsteady() bool { return p.Capacity != nil && p.Capacity.Outcome == record.Unsteady }

// Bracket is where the capacity that a phase found lies; nil where it is the rate
// itself, or where none was found.
func (p *Phase) Bracket() *finding.Range {
	if p.Capacity == nil {
		return nil
	}
	return estimate.Bracket(p.Capacity)
}
