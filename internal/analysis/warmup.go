// This file says how long the warm-up was, where pilots found it.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// findNeverSteady looks for pilots in which a variant did not get steady.
func (s *study) findNeverSteady() []hit {
	var hits []hit
	for _, p := range s.Warmups() {
		if p.Steady {
			continue
		}
		text := fmt.Sprintf("the %s was not steady after %s of load", p.Figure, finding.FormatValue(p.Length.Seconds(), "s"))
		if p.Drift != 0 {
			text += fmt.Sprintf(": it still changed by %+.0f %%", 100*p.Drift)
		}
		hits = append(hits, hit{text, place(cell.At{Operation: p.Operation}, p.Variant)})
	}
	return hits
}
