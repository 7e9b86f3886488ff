package capacity

// Whether a rate that fails is believed, and whose failure it is.

import (
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// near is how far above a passing rate a failure still confirms that it is the
// highest.
func (s *Search) near(pass *group) float64 { return pass.rate * (1 + 2*s.goal.Resolution) }

// confirmed returns the lowest rate at which the service failed, where it failed
// more than by accident: twice, or at another rate not far above too. A failure
// of the generator's says nothing of the service.
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
