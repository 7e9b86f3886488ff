// This file says how long the warm-up was, where pilots found it.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/warmup"
)

// warmups are what the pilots for the warm-up came to, none where it was given.
func (s *study) warmups() []warmup.Pilot {
	most := s.in.Experiment.Load.WarmupMost
	if most == 0 {
		return nil
	}
	var out []warmup.Pilot
	for _, p := range warmup.Pilots(s.in.Records, most) {
		if s.has(p.Variant) {
			out = append(out, p)
		}
	}
	return out
}

// has reports whether a variant is one of those that are analysed.
func (s *study) has(variant string) bool {
	for _, v := range s.variants {
		if v.Name == variant {
			return true
		}
	}
	return false
}

// findNeverSteady looks for pilots in which a variant did not get steady.
func (s *study) findNeverSteady() []hit {
	var hits []hit
	for _, p := range s.warmups() {
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
