package capacity

// The line U = U₀ + D·X through probes.

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

const (
	neighbourhood = 0.25 // how far from the rate sought, relative to it, a probe still counts by more than a third
	memory        = 8    // probes that a line goes through: the last ones that were held
	rounds        = 8    // in which the line and the weights are brought to agree
	astray        = 4.0  // times a rate, beyond which the next round's is not believed
)

// line is U = base + slope·X.
type line struct {
	base, slope float64
	linear      bool // all probes lie on it, to the accuracy of a verification
}

// at is the rate at which the line reaches a utilisation.
func (l line) at(utilisation float64) float64 { return (utilisation - l.base) / l.slope }

// off returns the height of a probe above the line, in utilisation.
func (l line) off(p *record.Probe) float64 { return p.Utilisation - l.base - l.slope*p.Rate }

// fitted is the line of a search: the one through all probes held where they lie
// on one, otherwise the tangent at the target.
func fitted(probes []record.Probe, target float64) line {
	held, _ := sorted(probes)
	if target > 0 {
		held = latest(probes)
	}
	if len(held) < 2 || same(held[0].Rate, held[len(held)-1].Rate) {
		return line{}
	}
	if target > 0 {
		return lineThrough(held, target)
	}
	return evenly(held)
}

// lineThrough fits probes. Where a line through all of them misses one by more than a
// verification may, those count most whose rates are near the one at which the line
// meets the target. It is the rates that weigh and not what was measured there, lest a
// probe count less for the chance that moved it away from the target.
func lineThrough(held []*record.Probe, target float64) line {
	if even := evenly(held); even.linear {
		return even
	}
	at := proportional(held, func(*record.Probe) float64 { return 1 }).at(target)
	var l line
	trust := func(*record.Probe) float64 { return 1 }
	for range rounds {
		weight := func(p *record.Probe) float64 { return nearness(p.Rate, at) * trust(p) }
		l = leastSquares(held, weight)
		if next := l.at(target); l.slope <= 0 || l.base < -target || next < at/astray || next > at*astray { // no line: noise
			l = proportional(held, weight)
		}
		at = l.at(target)
		trust = trusted(held, l)
	}
	return l
}

// nearness is the weight of a probe for a line that meets the target at a rate. Those
// far away keep a little, so the slope does not hang on probes side by side.
func nearness(rate, at float64) float64 {
	off := (rate/at - 1) / neighbourhood
	return math.Exp(-off*off) + 0.05
}

// trusted weighs down probes that lie far off a line, by the measure of the others:
// the machine was slower, or faster, than usual (Huber's weights, with the
// median of the absolute residuals as the scale).
func trusted(held []*record.Probe, l line) func(*record.Probe) float64 {
	var off []float64
	for _, p := range held {
		off = append(off, math.Abs(l.off(p)))
	}
	slices.Sort(off)
	bound := 1.5 * max(1.4826*off[len(off)/2], within/4)
	return func(p *record.Probe) float64 { return min(1, bound/max(math.Abs(l.off(p)), 1e-9)) }
}

// evenly is the line for which all probes count alike.
func evenly(held []*record.Probe) line {
	l := leastSquares(held, func(*record.Probe) float64 { return 1 })
	l.linear = l.slope > 0 && !slices.ContainsFunc(held, func(p *record.Probe) bool { return math.Abs(l.off(p)) > within })
	return l
}

// proportional is the weighted line through the origin.
func proportional(held []*record.Probe, weight func(*record.Probe) float64) line {
	var xu, xx float64
	for _, p := range held {
		k := weight(p)
		xu, xx = xu+k*p.Rate*max(p.Utilisation, 1e-6), xx+k*p.Rate*p.Rate
	}
	return line{slope: xu / xx}
}

// leastSquares is the weighted regression of utilisation on rate.
func leastSquares(held []*record.Probe, weight func(*record.Probe) float64) line {
	var w, x, u float64
	for _, p := range held {
		k := weight(p)
		w, x, u = w+k, x+k*p.Rate, u+k*p.Utilisation
	}
	x, u = x/w, u/w
	var xx, xu float64
	for _, p := range held {
		k := weight(p)
		xx += k * (p.Rate - x) * (p.Rate - x)
		xu += k * (p.Rate - x) * (p.Utilisation - u)
	}
	if xx <= 0 {
		return line{base: u}
	}
	return line{base: u - xu/xx*x, slope: xu / xx}
}

// latest returns the last probes that were held, by rate: no more of them than memory,
// so what a service took while it was cold is forgotten.
func latest(probes []record.Probe) []*record.Probe {
	var held []*record.Probe
	for i := len(probes) - 1; i >= 0 && len(held) < memory; i-- {
		if probes[i].Held {
			held = append(held, &probes[i])
		}
	}
	slices.SortStableFunc(held, func(a, b *record.Probe) int { return cmp.Compare(a.Rate, b.Rate) })
	return held
}

// sorted returns the probes that were held, by rate, and the one at the lowest
// rate that was not, or nil. One that was not held does not count if a probe at the
// same rate or a higher one was held.
func sorted(probes []record.Probe) (held []*record.Probe, broken *record.Probe) {
	highest := 0.0
	for i := range probes {
		if probes[i].Held {
			held = append(held, &probes[i])
			highest = max(highest, probes[i].Rate)
		}
	}
	slices.SortStableFunc(held, func(a, b *record.Probe) int { return cmp.Compare(a.Rate, b.Rate) })
	for i := range probes {
		p := &probes[i]
		if p.Held || p.Rate <= highest*(1+1e-9) {
			continue
		}
		if broken == nil || p.Rate < broken.Rate {
			broken = p
		}
	}
	return held, broken
}

// same reports whether two rates are one.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(a, b) }

// The probes of a search by their rates, and what each rate comes to.

// group is all probes at one rate.
type group struct {
	rate           float64
	passed, failed int
	late           int           // of failed, as the generator was late
	last           *record.Probe // that agrees with the majority, where there is one
	long           bool          // one of them was long enough to confirm that nothing is lost
}

func (g *group) tied() bool { return g.passed == g.failed }

func (g *group) passes() bool { return g.passed > g.failed }

func (g *group) total() int { return g.passed + g.failed }

func (g *group) own() int { return g.failed - g.late } // failures of the service

// byGenerator reports whether a rate failed more often through the generator
// than through the service.
func (g *group) byGenerator() bool { return g.late > g.own() }

// groups returns the probes by rate.
//
// A short probe without loss does not count if there is a long one. A loss counts in a
// probe of any length.
func (s *Search) groups(probes []record.Probe) []group {
	misled := s.misled(probes)
	var all []group
	for i := range probes {
		p := &probes[i]
		if p.Passed && !s.confirms(p) && (misled || s.longAt(probes, p.Rate)) {
			continue
		}
		at := slices.IndexFunc(all, func(g group) bool { return same(g.rate, p.Rate) })
		if at < 0 {
			at = len(all)
			all = append(all, group{rate: p.Rate})
		}
		all[at].long = all[at].long || s.confirms(p)
		if p.Passed {
			all[at].passed++
		} else {
			all[at].failed++
			if s.failedByGenerator(p) {
				all[at].late++
			}
		}
		if g := &all[at]; g.last == nil || g.passes() == p.Passed && (p.Passed || g.byGenerator() || !s.failedByGenerator(p)) {
			g.last = p
		}
	}
	slices.SortFunc(all, func(a, b group) int { return cmp.Compare(a.rate, b.rate) })
	return all
}

// edges are the highest rate that passes and the lowest that fails; nil where
// there is none. A tie, or a failure below a pass that was seen only once, is to
// be probed again first.
func edges(all []group) (pass, fail, again *group) {
	for i := range all {
		g := &all[i]
		if g.tied() {
			return nil, nil, g
		}
		if !g.passes() && fail == nil {
			fail = g
		}
		if g.passes() && fail != nil && fail.total() < 2 {
			return nil, nil, fail
		}
		if g.passes() && fail == nil {
			pass = g
		}
	}
	return pass, fail, nil
}
