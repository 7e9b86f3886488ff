package dataset

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/role"
)

// Charges are whom costs are charged to by themselves: each role, and each of a role's services where there are several
// that were not treated alike: something stands beside some, or a variant is on some.
func (s *Set) Charges() []role.Charge {
	services := map[string]bool{}
	of := map[role.Charge]bool{}
	apart := slices.ContainsFunc(s.Variants, func(v config.Variant) bool { return v.On != nil })
	for _, byBlock := range s.Runs {
		for _, r := range byBlock {
			for _, p := range r.ByCell {
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
	for _, r := range s.Roles() {
		out = append(out, role.Charge{Role: r})
		for _, service := range slices.Sorted(maps.Keys(services)) {
			if one := (role.Charge{Role: r, Service: service}); apart && len(services) > 1 && of[one] {
				out = append(out, one)
			}
		}
	}
	return out
}
