// This file reads quantities of a phase: what its processes used, by role, less what
// they use when idle.
package analysis

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/spec"
)

// cpu is the CPU seconds that the window cost: all from its start to the quiet
// after it, less what the processes use when idle over the drain. Over the window
// itself nothing is taken off: what a process does beside its work is part of
// what it costs while it works.
func (p *phase) cpu(of role.Charge) float64 {
	return p.used(of, func(u record.Usage) float64 { return u.CPUSeconds })
}

// used sums a quantity over processes, less its idle rate over the drain.
func (p *phase) used(of role.Charge, quantity func(record.Usage) float64) float64 {
	var sum float64
	for _, u := range p.Usage {
		if !of.Of(u.Role, u.Whose()) {
			continue
		}
		sum += quantity(u)
		if idle := p.idle[u.Process]; idle.Seconds > 0 {
			sum -= quantity(idle) / idle.Seconds * p.drain()
		}
	}
	return sum
}

// drain is the length of the drain; never longer than the usage says that it
// read, so that a clock that jumped takes nothing off that was never used.
func (p *phase) drain() float64 {
	most := p.DrainSeconds
	for _, u := range p.Usage {
		most = min(most, max(0, u.Seconds))
	}
	return most
}

// memory sums a size over the processes that are charged. Peaks of several processes may not
// have come at once: the sum is an upper bound. Where it is not known of one of them there is no
// sum; a part of the processes holds nothing where none of them is there.
func memory(size func(record.Memory) uint64) func(role.Charge) reading {
	return func(charged role.Charge) reading {
		return func(r *run, _ *phase) (float64, bool) {
			var sum float64
			for _, m := range r.Memory {
				if !charged.Of(m.Role, m.Whose()) {
					continue
				}
				if size(m) == 0 {
					return 0, false
				}
				sum += float64(size(m))
			}
			return sum, sum > 0 || len(r.Memory) > 0 && charged != (role.Charge{})
		}
	}
}

// idleCPU is the CPU seconds per second that the processes use when nothing is asked of them,
// each over the time for which it was read, which is not quite what was asked for.
func (r *run) idleCPU() (float64, bool) {
	var sum float64
	known := false
	for _, u := range r.Start.Idle {
		if u.Role.Harness() {
			continue
		}
		rate, ok := over(u.CPUSeconds, u.Seconds)
		if !ok {
			return 0, false
		}
		sum, known = sum+rate, true
	}
	return sum, known
}

func over(sum, by float64) (float64, bool) {
	if by <= 0 {
		return 0, false
	}
	return sum / by, true
}

// roles returns the roles of all processes, sorted, the harness's last.
func (s *study) roles() []role.Role {
	seen := map[role.Role]bool{}
	for _, byBlock := range s.runs {
		for _, r := range byBlock {
			for _, p := range r.phases {
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

// charges are whom costs are charged to by themselves: each role, and each of a role's services where
// there are several and they were not treated alike: something stands beside some, or a variant is on some.
func (s *study) charges() []role.Charge {
	services := map[string]bool{}
	of := map[role.Charge]bool{}
	apart := slices.ContainsFunc(s.variants, func(v spec.Variant) bool { return v.On != nil })
	for _, byBlock := range s.runs {
		for _, r := range byBlock {
			for _, p := range r.phases {
				for _, u := range p.Usage {
					apart = apart || u.Service != ""
					if u.Role == role.App || u.Service != "" {
						services[u.Whose()], of[role.Charge{Role: u.Role, Service: u.Whose()}] = true, true
					}
				}
			}
		}
	}
	var out []role.Charge
	for _, r := range s.roles() {
		out = append(out, role.Charge{Role: r})
		for _, service := range slices.Sorted(maps.Keys(services)) {
			if one := (role.Charge{Role: r, Service: service}); apart && len(services) > 1 && of[one] {
				out = append(out, one)
			}
		}
	}
	return out
}
