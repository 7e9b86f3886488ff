// This file reads quantities of a phase: what its processes used, by role, less what
// they use when idle.

package dataset

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// CPU is the CPU seconds that the window cost: all from its start to the quiet
// after it, less what the processes use when idle over the time without load, where that is known. Over the window
// itself nothing is taken off: what a process does beside its work is part of
// what it costs while it works.
func (p *Phase) CPU(of role.Charge) float64 {
	return p.Used(of, func(u record.Usage) float64 { return u.CPUSeconds })
}

// Used sums a quantity over processes, less its idle rate over the time without load where that is known.
func (p *Phase) Used(of role.Charge, quantity func(record.Usage) float64) float64 {
	var sum float64
	for _, u := range p.Usage {
		if !of.Of(u.Role, u.Whose()) {
			continue
		}
		sum += quantity(u)
		if idle := p.Idle[u.Process]; idle.Seconds > 0 {
			sum -= quantity(idle) / idle.Seconds * p.off()
		}
	}
	return sum
}

// off is for how long a phase had no load: while others of its block had it, and in its drain; never longer than the usage
// says that it read, so that a clock that jumped takes nothing off that was never used.
func (p *Phase) off() float64 {
	most := p.PausedSeconds + p.DrainSeconds
	for _, u := range p.Usage {
		most = min(most, max(0, u.Seconds))
	}
	return most
}

// Over is a quotient; false where there is nothing to divide by.
func Over(sum, by float64) (float64, bool) {
	if by <= 0 {
		return 0, false
	}
	return sum / by, true
}

// Roles returns the roles of all processes, sorted, the harness's last.
func (s *Set) Roles() []role.Role {
	seen := map[role.Role]bool{}
	for _, byBlock := range s.Runs {
		for _, r := range byBlock {
			for _, p := range r.ByCell {
				for _, u := range p.Usage {
					seen[u.Role] = true
				}
			}
		}
	}
	roles := slices.Sorted(maps.Keys(seen))
	slices.SortStableFunc(roles, func(a, b role.Role) int {
		switch {
		case a.Harness() == b.Harness():
			return 0
		case b.Harness():
			return -1
		}
		return 1
	})
	return roles
}

// LagAt is the generator's lag at a percentile; its mean for 0.
func (p *Phase) LagAt(percentile float64) (float64, bool) {
	if percentile == 0 {
		return p.Lag.Mean()
	}
	return p.Lag.At(percentile)
}
