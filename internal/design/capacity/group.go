package capacity

// The probes of a search by their rates, and what each rate comes to.

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

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

// groups are the probes by rate.
//
// A short probe that lost nothing says less than a long one: it does not count where
// there is a long one. That one loses anything is said by a probe of any length.
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
