package capacity

// The line U = U₀ + D·X through probes.

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// neighbourhood is how far from the target, in utilisation, a probe still counts
// by more than a third.
const neighbourhood = 0.15

// line is U = base + slope·X.
type line struct {
	base, slope float64
	linear      bool // all probes lie on it, to the accuracy of a verification
}

// at is the rate at which the line reaches a utilisation.
func (l line) at(utilisation float64) float64 { return (utilisation - l.base) / l.slope }

// fitted is the line of a search: the one through all probes held where they lie
// on one, otherwise the tangent at the target.
func fitted(probes []record.Probe, target float64) line {
	held, _ := sorted(probes)
	if len(held) < 2 || same(held[0].Rate, held[len(held)-1].Rate) {
		return line{}
	}
	return lineThrough(held, target)
}

// lineThrough fits probes in the order of their rates. Where a line through all
// of them misses one by more than a verification may, those near the target
// count most.
func lineThrough(held []*record.Probe, target float64) line {
	even := leastSquares(held, func(*record.Probe) float64 { return 1 })
	even.linear = even.slope > 0
	for _, p := range held {
		if math.Abs(p.Utilisation-even.base-even.slope*p.Rate) > within {
			even.linear = false
		}
	}
	if even.linear {
		return even
	}
	l := leastSquares(held, func(p *record.Probe) float64 {
		off := (p.Utilisation - target) / neighbourhood
		return math.Exp(-off*off) + 1e-3
	})
	if l.slope <= 0 {
		nearest := slices.MinFunc(held, func(a, b *record.Probe) int {
			return cmp.Compare(math.Abs(a.Utilisation-target), math.Abs(b.Utilisation-target))
		})
		l = line{slope: max(nearest.Utilisation, 1e-6) / nearest.Rate} // in proportion
	}
	return l
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

// sorted returns the probes that were held, by rate, and the one at the lowest
// rate that was not, nil where there is none. One that was not held says nothing
// where a probe at the same rate or a higher one was held.
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
