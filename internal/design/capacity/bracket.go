package capacity

// The highest rate that passes: doubled until one fails, then bisected on a
// logarithmic scale, and confirmed.

import (
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

const (
	mostGrowth  = 4.0  // from one passing rate to the next
	leastGrowth = 1.15 // the same
	freely      = 0.4  // of the busiest resource: below it growth may go up to busy
	busy        = 0.6
	brim        = 0.95 // and above freely up to here
)

// noSpans returns the reason why losses cannot be looked for.
const noSpans = "no span is to come, or it is not known exactly how many an operation makes"

// bracket goes on with a search for the highest rate that passes.
func (s *Search) bracket(probes []record.Probe) state {
	if s.goal.Goal == config.GoalLossless && spanless(&probes[0]) {
		return end(record.NoSpans, noSpans)
	}
	all := s.groups(probes)
	pass, fail, again := edges(all)
	if again == nil && pass != nil && fail != nil && fail.rate/pass.rate <= 1+s.goal.Resolution+1e-9 && s.passedEnough(pass) {
		if at := s.confirmed(all, pass, fail); at != nil {
			return s.highest(pass, at)
		}
		if fail.late >= 2 && fail.byGenerator() {
			return s.beyondGenerator(all, pass, fail)
		}
	}
	if len(probes) >= s.mostBracket() {
		return end(record.Unsteady, fmt.Sprintf("no rate could be confirmed in %d probes", len(probes)))
	}
	last := &probes[len(probes)-1]
	switch {
	case s.doubtful(last) && times(probes, last.Rate) == 1:
		return probe(purposeVerify, last.Rate)
	case again != nil:
		return probe(purposeVerify, again.rate)
	case pass == nil:
		return s.lower(probes, fail)
	case fail == nil:
		return s.higher(pass)
	case fail.rate/pass.rate > 1+s.goal.Resolution+1e-9:
		return probe(purposeBisect, s.between(probes, pass, fail))
	case !s.passedEnough(pass):
		return probe(purposeVerify, pass.rate)
	}
	return probe(purposeVerify, fail.rate)
}

// lower goes down from the lowest rate, which failed.
func (s *Search) lower(probes []record.Probe, fail *group) state {
	least := s.least()
	if fail.rate <= least*(1+1e-9) {
		if fail.total() < 2 {
			return probe(purposeVerify, fail.rate)
		}
		if crowd, yes := disturbed(fail.last); yes {
			return crowd
		}
		if fail.byGenerator() {
			return end(record.ByGenerator, "at "+describe(fail.last))
		}
		if fail.passed > 0 {
			return end(record.Unsteady, "the lowest rate passed once and failed twice: at "+describe(fail.last))
		}
		return end(record.BelowLeast, "at "+describe(fail.last))
	}
	rate := fail.rate / 2
	if r := aim * reached(fail.last); r > 0 {
		rate = min(rate, r)
	}
	if kept := s.keeps(fail.last); kept > 0 && s.misled(probes) {
		rate = kept
	}
	return probe(purposeProbe, max(rate, least))
}

// higher goes up from the highest rate, which passed: the further, the less of
// anything was used.
func (s *Search) higher(pass *group) state {
	factor := 2.0
	if _, used := nearest(pass.last); used > 0 {
		to := busy
		if used >= freely {
			to = brim
		}
		factor = min(max(to/used, leastGrowth), mostGrowth)
	}
	rate := pass.rate * factor
	most, limited := s.most()
	if !limited || rate < most {
		return probe(purposeProbe, rate)
	}
	if pass.rate < most*(1-1e-9) {
		return probe(purposeProbe, most)
	}
	if !s.passedEnough(pass) {
		return probe(purposeVerify, pass.rate)
	}
	return end(record.AboveMax, fmt.Sprintf("at %s it still passed", perSecond(pass.rate)))
}

// The highest rate that passed and the lowest that did not.

// ends returns the highest rate probed that passed and the lowest one above it
// that did not; 0 where there is none. For a CPU target a rate passes here that
// was held with no more CPU than the target. Where a rate was found, the one that
// did not pass is one at which the service failed, not the generator.
func (s *Search) ends(probes []record.Probe, outcome record.Outcome) (passing, failing float64) {
	if outcome == record.NoSpans {
		return 0, 0 // the one probe does not show its rate's outcome
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
	under := func(p *record.Probe) bool { return p.Held && p.Utilisation <= s.goal.CPU+within }
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

// Whether a rate that fails is believed, and whose failure it is.

// near is the largest distance above a passing rate at which a failure confirms
// that it is the highest.
func (s *Search) near(pass *group) float64 { return pass.rate * (1 + 2*s.goal.Resolution) }

// confirmed returns the lowest rate at which the service failed, where it failed
// more than by accident: twice, or at another rate not far above too. Failures of
// the generator do not count.
func (s *Search) confirmed(all []group, pass, fail *group) *group {
	var at *group
	failures := 0
	for i := range all {
		g := &all[i]
		if g.rate < fail.rate || g.rate > s.near(pass)*(1+1e-9) || g.passes() || g.byGenerator() {
			continue
		}
		if at == nil {
			at = g
		}
		failures += g.own()
	}
	if failures < 2 {
		return nil
	}
	return at
}

// beyondGenerator goes on where the generator was late just above the rate that
// passes. Where that is a matter of its lag alone, the service may fail by itself
// a little higher.
func (s *Search) beyondGenerator(all []group, pass, fail *group) state {
	most, limited := s.most()
	above := s.near(pass)
	if fail.last.Held && above > fail.rate*(1+1e-9) && (!limited || above <= most) {
		at := slices.IndexFunc(all, func(g group) bool { return g.rate > fail.rate && g.rate <= above*(1+1e-9) })
		switch {
		case at < 0:
			return probe(purposeVerify, above)
		case all[at].total() < 2 && all[at].own() == 1:
			return probe(purposeVerify, all[at].rate)
		}
	}
	if crowd, yes := disturbed(fail.last); yes {
		return crowd
	}
	return end(record.ByGenerator, "at "+describe(fail.last))
}

// highest is the end at a confirmed rate.
func (s *Search) highest(pass, fail *group) state {
	if crowd, yes := disturbed(fail.last); yes {
		return crowd
	}
	st := end(record.Found, "at "+describe(fail.last))
	st.found = pass.rate
	return st
}
