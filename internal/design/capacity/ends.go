package capacity

// The highest rate that passed and the lowest that did not.

import (
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// ends returns the highest rate probed that passed and the lowest one above it
// that did not; 0 where there is none. For a CPU target a rate passes here that
// was held with no more CPU than the target. Where a rate was found, the one that
// did not pass is one at which the service failed, not the generator.
func (s *Search) ends(probes []record.Probe, outcome record.Outcome) (passing, failing float64) {
	if outcome == record.NoSpans {
		return 0, 0 // the one probe said nothing of its rate
	}
	if s.goal.Goal != config.GoalCPU {
		all := s.groups(probes)
		pass, fail, _ := edges(all)
		if pass != nil {
			passing = pass.rate
		}
		if fail != nil {
			failing = fail.rate
			own := slices.IndexFunc(all, func(g group) bool { return g.rate >= fail.rate && !g.passes() && !g.byGenerator() })
			if outcome == record.Found && own >= 0 {
				failing = all[own].rate
			}
		}
		return passing, failing
	}
	slack := within
	if s.goal.Method == config.MethodStaircase {
		slack = 0
	}
	under := func(p *record.Probe) bool { return p.Held && p.Utilisation <= s.goal.CPU+slack }
	for i := range probes {
		if p := &probes[i]; under(p) {
			passing = max(passing, p.Rate)
		}
	}
	for i := range probes {
		p := &probes[i]
		if !under(p) && p.Rate > passing && (failing == 0 || p.Rate < failing) {
			failing = p.Rate
		}
	}
	return passing, failing
}
