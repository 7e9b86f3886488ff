package capacity

// The highest rate that passes: doubled until one fails, then bisected on a
// logarithmic scale, and confirmed.

import (
	"fmt"

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

// noSpans says why losses cannot be looked for.
const noSpans = "no span is to come, or it is not known exactly how many an operation makes"

// bracket goes on with a search for the highest rate that passes.
func (s *Search) bracket(probes []record.Probe) state {
	if s.goal.Goal == config.GoalLossless && spanless(&probes[0]) {
		return end(record.NoSpans, noSpans)
	}
	all := s.groups(probes)
	pass, fail, again := edges(all)
	if again == nil && pass != nil && fail != nil && fail.rate/pass.rate <= 1+s.goal.Resolution+1e-9 && s.settled(pass) {
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
	case !s.settled(pass):
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
	if !s.settled(pass) {
		return probe(purposeVerify, pass.rate)
	}
	return end(record.AboveMax, fmt.Sprintf("at %s it still passed", perSecond(pass.rate)))
}
