package capacity

// The rate at a CPU target: a line through the probes, followed to the target,
// and verified there.

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

const (
	aim       = 0.65 // of the target, where the second probe is to lie
	growth    = 8.0  // times the highest rate held, that a probe may go beyond it
	apartBy   = 1.25 // the rates of two probes that a line may be drawn through
	narrowest = 1.1  // times the rate below, which a bracket is not bisected any more
	falseEnd  = 1.1  // times a rate that was not held, within which another confirms it
)

// fit goes on with a search for the rate at a CPU target.
func (s *Search) fit(probes []record.Probe) state {
	if p := lastPassed(probes); p.Passed {
		return s.foundAt(probes, p)
	}
	if found, yes := s.scattered(probes); yes {
		return found
	}
	if len(probes) >= MostFit {
		if held, broken := sorted(probes); broken != nil && len(held) > 0 && s.guess(probes, held) >= broken.Rate && failures(probes, broken.Rate) >= 2 {
			return s.full(held[len(held)-1], broken)
		}
		if crowd, yes := disturbed(&probes[len(probes)-1]); yes {
			return crowd
		}
		return end(record.Unsteady, fmt.Sprintf("no rate within 2 points of the target could be verified in %d probes; the nearest, at %s", MostFit, describe(s.closest(probes))))
	}
	held, broken := sorted(probes)
	if last := &probes[len(probes)-1]; suspicious(last) && times(probes, last.Rate) == 1 {
		return probe(purposeVerify, last.Rate)
	}
	if len(held) == 0 {
		return s.down(probes)
	}
	rate := s.guess(probes, held)
	if broken != nil && rate >= broken.Rate {
		return s.saturated(held, broken, probes)
	}
	if most, limited := s.most(); limited && rate >= most {
		if last := held[len(held)-1]; last.Rate >= most*(1-1e-9) {
			return end(record.AboveMax, fmt.Sprintf("at %s it used %.1f %% of its CPU", perSecond(last.Rate), 100*last.Utilisation))
		}
		return probe(purposeVerify, most)
	}
	if least := s.least(); rate <= least {
		if held[0].Rate <= least*(1+1e-9) {
			return end(record.BelowLeast, fmt.Sprintf("at %s it used %.1f %% of its CPU already", perSecond(held[0].Rate), 100*held[0].Utilisation))
		}
		return probe(purposeVerify, least)
	}
	if len(held) == 1 {
		return probe(purposeProbe, rate)
	}
	return s.narrow(probes, held, rate)
}

// closest is the probe held whose utilisation is nearest the target, the last
// one where none was held.
func (s *Search) closest(probes []record.Probe) *record.Probe {
	at := &probes[len(probes)-1]
	for i := range probes {
		p := &probes[i]
		if p.Held && (!at.Held || math.Abs(p.Utilisation-s.goal.CPU) <= math.Abs(at.Utilisation-s.goal.CPU)) {
			at = p
		}
	}
	return at
}

// guess returns the next rate from the probes held: with one, a second well apart
// from it; with more, the target along the line through them.
func (s *Search) guess(probes []record.Probe, held []*record.Probe) float64 {
	last := held[len(held)-1]
	if len(held) > 1 {
		return min(lineThrough(latest(probes), s.goal.CPU).at(s.goal.CPU), growth*last.Rate)
	}
	share := max(last.Utilisation, 1e-3) / s.goal.CPU
	rate := last.Rate * aim / share
	switch {
	case rate > last.Rate/apartBy && share > aim: // near the target, or above: the second goes below
		rate = last.Rate / 2 / max(1, share)
	case rate < last.Rate*apartBy:
		rate = last.Rate / 2
	}
	return min(rate, growth*last.Rate)
}

// narrow verifies at the rate that the line gives, and bisects where lines have
// not led to the target.
func (s *Search) narrow(probes []record.Probe, held []*record.Probe, rate float64) state {
	below, above := s.around(held)
	if below == nil || above == nil {
		return probe(purposeVerify, rate)
	}
	steep := above.Utilisation-below.Utilisation > 3*within // otherwise what is between them is noise
	if below.Rate >= above.Rate || !steep {
		return probe(purposeVerify, rate)
	}
	if above.Rate/below.Rate <= narrowest { // nearer, what is between them is the machine's change of speed
		return probe(purposeVerify, rate)
	}
	if s.stuck(probes) || rate <= below.Rate || rate >= above.Rate {
		return probe(purposeBisect, math.Sqrt(below.Rate*above.Rate))
	}
	return probe(purposeVerify, rate)
}

// around returns the probe nearest below the target and the one nearest above.
func (s *Search) around(held []*record.Probe) (below, above *record.Probe) {
	for _, p := range held {
		if p.Utilisation <= s.goal.CPU && (below == nil || p.Rate > below.Rate) {
			below = p
		}
		if p.Utilisation > s.goal.CPU && (above == nil || p.Rate < above.Rate) {
			above = p
		}
	}
	return below, above
}

// stuck reports whether the last two probes that a line led to have not halved
// the distance to the target.
func (s *Search) stuck(probes []record.Probe) bool {
	n := len(probes)
	if n < 2 || probes[n-1].Purpose != purposeVerify || probes[n-2].Purpose != purposeVerify {
		return false
	}
	off := func(p record.Probe) float64 { return math.Abs(p.Utilisation - s.goal.CPU) }
	return off(probes[n-1]) > off(probes[n-2])/2
}

// foundAt is the end at a verified rate. The rate at the target itself is read
// off the line that the probes around it give, which may move it by as much as
// the verification leaves open.
func (s *Search) foundAt(probes []record.Probe, p *record.Probe) state {
	l := lineThrough(latest(probes), s.goal.CPU)
	slack := p.Rate * within / s.goal.CPU
	st := end(record.Found, "")
	st.found = min(max(l.at(s.goal.CPU), p.Rate-slack), p.Rate+slack)
	return st
}

// down looks for a rate that is held, while none has been.
func (s *Search) down(probes []record.Probe) state {
	lowest := &probes[0]
	for i := range probes {
		if probes[i].Rate < lowest.Rate {
			lowest = &probes[i]
		}
	}
	if least := s.least(); lowest.Rate > least*(1+1e-9) {
		rate := lowest.Rate / 2
		if r := reached(lowest) * aim; r > 0 {
			rate = min(rate, r)
		}
		return probe(purposeProbe, max(rate, least))
	}
	if crowd, yes := disturbed(lowest); yes {
		return crowd
	}
	if s.failedByGenerator(lowest) {
		return end(record.ByGenerator, "the generator was late at every rate")
	}
	return end(record.BelowLeast, "no rate was held: "+lowest.Why)
}

// saturated looks for the highest rate that is held, where that ends before the
// target.
func (s *Search) saturated(held []*record.Probe, broken *record.Probe, probes []record.Probe) state {
	low := held[0]
	for _, p := range held {
		if p.Rate < broken.Rate {
			low = p
		}
	}
	if broken.Rate/low.Rate <= 1+s.goal.Resolution {
		if failures(probes, broken.Rate) < sure(broken) {
			return probe(purposeVerify, broken.Rate) // once may be a pause of the machine
		}
		return s.full(low, broken)
	}
	// Just below, and then just above, what it reached when it was asked too much.
	for _, factor := range []float64{0.98, 0.98 * (1 + s.goal.Resolution)} {
		if r := reached(broken) * factor; r > low.Rate*1.01 && r < broken.Rate/1.01 {
			return probe(purposeBisect, r)
		}
	}
	return probe(purposeBisect, math.Sqrt(low.Rate*broken.Rate))
}

// full is the end of a search that met another limit before the target.
func (s *Search) full(low, broken *record.Probe) state {
	if crowd, yes := disturbed(broken); yes {
		return crowd
	}
	if s.failedByGenerator(broken) {
		return end(record.ByGenerator, "at "+describe(broken))
	}
	return end(record.Saturated, fmt.Sprintf("%s was held with %.1f %% of its CPU; at %s", perSecond(low.Rate), 100*low.Utilisation, describe(broken)))
}

// sure is the number of failures that it takes to believe one.
func sure(p *record.Probe) int {
	if suspicious(p) {
		return 3
	}
	return 2
}

// failures counts the probes that confirm that a rate is not held.
func failures(probes []record.Probe, rate float64) int {
	n := 0
	for i := range probes {
		if p := &probes[i]; !p.Held && p.Rate >= rate*(1-1e-9) && p.Rate <= rate*falseEnd {
			n++
		}
	}
	return n
}

// The rate at a CPU target on a machine whose speed changes from probe to probe, so
// that a single one within two points of the target would be luck.

const (
	leastScattered = 5    // probes near the target, the fewest that show their scatter
	alongside      = 0.2  // of the rate sought: how far from it a probe is near
	sharp          = 0.03 // utilisation: the most standard error of their line at the target
)

// scattered is the end of a search whose probes near the target scatter around a line,
// as many of them as it takes for the line's standard error there to be small: sharp,
// or twice that where no more probes are made. Probes that were throttled do not count,
// and no rate up to the one found may have been too much.
func (s *Search) scattered(probes []record.Probe) (state, bool) {
	_, broken := sorted(probes)
	held := latest(probes)
	if len(held) < leastScattered {
		return state{}, false
	}
	l := lineThrough(held, s.goal.CPU)
	at := l.at(s.goal.CPU)
	if broken != nil && at >= broken.Rate {
		return state{}, false
	}
	n, squares, above, trust := 0, 0.0, 0, trusted(held, l)
	for _, p := range held {
		if math.Abs(p.Rate/at-1) > alongside || s.throttled(p) != "" {
			continue
		}
		n, squares = n+1, squares+trust(p)*l.off(p)*l.off(p)
		if p.Utilisation > s.goal.CPU {
			above++
		}
	}
	if n < leastScattered || above == 0 || above == n {
		return state{}, false
	}
	scatter := math.Sqrt(squares / float64(n-1))
	sure := scatter / math.Sqrt(float64(n))
	if sure > sharp && (sure > 2*sharp || len(probes) < MostFit) {
		return state{}, false
	}
	st := end(record.Found, fmt.Sprintf("by the line through %d probes near it, which scatter by %.1f points (standard error %.1f points)", n, 100*scatter, 100*sure))
	st.found = at
	return st, true
}
