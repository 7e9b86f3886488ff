// The results of pilot runs, and the rates that follow.

package dataset

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/steady"
)

// Pilot is the result of the last search of a variant's pilots.
type Pilot struct {
	Variant string
	Found   *record.Search
}

// Piloted lists what the pilots found of an operation.
func (s *Set) Piloted(operation string) []Pilot {
	var out []Pilot
	for _, v := range s.Variants {
		var last *record.Search
		for i := range s.Records {
			r := &s.Records[i]
			if r.Kind != record.Pilot || r.Variant != v.Name || r.Failed() {
				continue
			}
			for j := range r.Phases {
				if p := &r.Phases[j]; p.Operation == operation && p.Capacity != nil {
					last = p.Capacity
				}
			}
		}
		if last != nil {
			out = append(out, Pilot{v.Name, last})
		}
	}
	return out
}

// HasPilots reports whether any pilot searched for a rate.
func (s *Set) HasPilots() bool {
	return slices.ContainsFunc(s.Operations(), func(operation string) bool { return len(s.Piloted(operation)) > 0 })
}

// RateOf is the rate at which an operation was measured.
func (s *Set) RateOf(operation string) (float64, bool) {
	var rates []float64
	for _, v := range s.Variants {
		for _, p := range s.PhasesOf(v.Name, cell.At{Operation: operation}) {
			if p.OfferedRate > 0 {
				rates = append(rates, p.OfferedRate)
			}
		}
	}
	return stats.Center(rates), len(rates) > 0
}

// Warmups are the results of the pilots for the warm-up; none where it was given.
func (s *Set) Warmups() []steady.Warmup {
	most := s.Experiment.Load.WarmupMost
	if most == 0 {
		return nil
	}
	var out []steady.Warmup
	for _, p := range steady.Warmups(s.Records, most) {
		if s.has(p.Variant) {
			out = append(out, p)
		}
	}
	return out
}

// The search for a rate in a phase.

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

// Bracket returns the bounds of the capacity that a phase found; nil if it is exact,
// or none was found.
func (p *Phase) Bracket() *finding.Range {
	if p.Capacity == nil {
		return nil
	}
	return claim.Bracket(p.Capacity)
}

// Variants that could not hold the offered rate.

// overloadShare is the part of a variant's runs that did not hold the rate, from
// which on it is overloaded.
const overloadShare = 0.5

// OverloadOf returns the reason that one of the pair could not hold the rate; nil if both did.
func (s *Set) OverloadOf(p Pair, at cell.At) *finding.Reason {
	return cmp.Or(s.Overloaded(p.Variant, at), s.Overloaded(p.Against, at))
}

// Overloaded returns a reason if a variant could not hold the rate in half of its runs or more; else
// nil. A single run may have met a pause of the machine. A search chooses its rates itself.
func (s *Set) Overloaded(variant string, at cell.At) *finding.Reason {
	return s.overloaded(variant, at, s.Offers)
}

// OverloadOfWork is OverloadOf without what was timed apart: CPU, memory and bytes are of the same work where the rest held the rate.
func (s *Set) OverloadOfWork(p Pair, at cell.At) *finding.Reason {
	rest := func(p *Phase) []steady.Offer {
		offers := s.Offers(p)
		return offers[:min(1, len(offers))]
	}
	return cmp.Or(s.overloaded(p.Variant, at, rest), s.overloaded(p.Against, at, rest))
}

func (s *Set) overloaded(variant string, at cell.At, offers func(*Phase) []steady.Offer) *finding.Reason {
	phases := s.PhasesOf(variant, at)
	var bad int
	var reached []float64
	for _, p := range phases {
		least, held, all := math.Inf(1), true, offers(p)
		for _, offer := range all {
			least, held = min(least, offer.Share()*offer.Rate), held && offer.Held()
		}
		if len(all) == 0 {
			continue
		}
		if reached = append(reached, least); !held {
			bad++
		}
	}
	if bad == 0 || float64(bad) < overloadShare*float64(len(phases)) {
		return nil
	}
	return &finding.Reason{Code: finding.WhyOverloaded, Variant: variant, Figures: []finding.Figure{
		{Name: "offered", Value: phases[0].OfferedRate, Unit: "1/s"}, {Name: "reached", Value: stats.Center(reached), Unit: "1/s"},
	}}
}

// BelowRate returns in how many of its runs a variant did not hold the rate of a cell, and how many runs there are.
func (s *Set) BelowRate(variant string, at cell.At) (missed, runs int) {
	phases := s.PhasesOf(variant, at)
	for _, p := range phases {
		if held, asked := s.Held(p); asked && !held {
			missed++
		}
	}
	return missed, len(phases)
}

// Held reports whether a phase held its rate; asked is false where there was none.
func (s *Set) Held(p *Phase) (held, asked bool) {
	offers := s.Offers(p)
	return !slices.ContainsFunc(offers, func(o steady.Offer) bool { return !o.Held() }), len(offers) > 0
}

// Offers are the rate that a phase was offered, and what came of it: in its window, and in what was timed apart; none for a
// closed loop, and for a search.
func (s *Set) Offers(p *Phase) []steady.Offer {
	if p.OfferedRate <= 0 || p.Load.Intended == 0 || p.Capacity != nil {
		return nil
	}
	seconds := s.Experiment.LoadOf(p.Operation).Duration.Seconds()
	if s.Experiment.Load.Calls > 0 { // which may end the window before
		seconds = min(seconds, float64(p.Load.Intended)/p.OfferedRate)
	}
	offer := func(rate, seconds float64, load *record.Load, windows []record.Window, leftOut bool, latency steady.Latencies) steady.Offer {
		kept := len(windows)
		if leftOut {
			kept = len(slices.DeleteFunc(slices.Clone(windows), func(w record.Window) bool { return w.Disturbed }))
		}
		if kept < len(windows) && s.Experiment.Load.Calls == 0 { // what is left out was not asked for
			seconds *= float64(kept) / float64(len(windows))
		}
		return steady.Offer{Rate: rate, Seconds: seconds, Windows: kept, Load: load, Latency: latency}
	}
	if p.Timed == nil {
		return []steady.Offer{offer(p.OfferedRate, seconds, &p.Load, p.Windows, p.Undisturbed != nil, p.Latency.pace)}
	}
	rate, timed := p.OfferedRate, seconds
	if s := p.Timed.Seconds; s > 0 { // the same operations, among those of the others
		rate, timed = rate*timed/s, s
	}
	return []steady.Offer{
		offer(p.OfferedRate, cmp.Or(p.AtOnceSeconds, seconds), &p.Load, p.Windows, p.Undisturbed != nil, p.queued.pace),
		offer(rate, timed, p.Clocked(), p.Timed.Windows, p.Timed.Undisturbed != nil, p.Latency.pace),
	}
}
