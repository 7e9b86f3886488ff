// Who looks, and what was seen where.

package warn

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// looker is what the checks look at.
type looker struct {
	*effect.Maker
	results string // the folder, as a user names it
	leftOut []finding.LeftOut

	shadowed []finding.Shadowed
}

// hit is one thing that a check found.
type hit struct{ text, where string }

// place names where something was seen.
func place(at cell.At, variant string) string {
	switch {
	case at == cell.At{}:
		return variant
	case variant == "":
		return at.String()
	}
	return at.String() + ", " + variant
}

// perVariant makes one hit a variant of what is true of some of its runs; text
// gets the worst value.
func (s *looker) perVariant(threshold float64, of func(*dataset.Run) float64, text func(worst float64) string) []hit {
	var hits []hit
	for _, v := range s.Variants {
		worst, n := 0.0, 0
		runs := s.RunsOf(v.Name)
		for _, r := range runs {
			if value := of(r); value > threshold {
				worst, n = max(worst, value), n+1
			}
		}
		if n > 0 {
			hits = append(hits, hit{fmt.Sprintf("%s (%d of %d runs)", text(worst), n, len(runs)), v.Name})
		}
	}
	return hits
}

// perCell makes one hit a cell and variant of what is true of some phases.
func (s *looker) perCell(threshold float64, of func(*dataset.Phase) float64, text func(worst float64) string) []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			worst, n := 0.0, 0
			phases := s.PhasesOf(v.Name, at)
			for _, p := range phases {
				if value := of(p); value > threshold {
					worst, n = max(worst, value), n+1
				}
			}
			if n > 0 {
				hits = append(hits, hit{fmt.Sprintf("%s (%d of %d runs)", text(worst), n, len(phases)), place(at, v.Name)})
			}
		}
	}
	return hits
}
