// This file leaves out blocks that the harness itself spoiled. It looks at the
// harness's signals only: choosing runs by how the app behaved would choose the
// result.

package dataset

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// What spoils a run, and how many blocks may be left out for it.
const (
	spoiledSteal = 0.05  // share of the machine's CPU time taken by the host
	spoiledLag   = 0.050 // seconds that the generator's own lag reaches at its 99th percentile
	Droppable    = 5     // of the planned blocks at most one in so many
)

// Spoil is a block that the harness spoiled.
type Spoil struct {
	Block   int
	Variant string // whose run it was
	Reason  finding.Reason
	badness float64 // times the threshold
}

// spoil leaves the worst of the spoiled blocks out, as many as may be. Of those that were made in the place of others every
// one that is spoiled is left out: otherwise it would bring another one back.
func (s *Set) spoil() {
	worst, planned := map[int]Spoil{}, map[int]bool{}
	for _, r := range s.Failed {
		if r.Block > 0 && s.planned(r.Block) {
			planned[r.Block] = true
		}
	}
	for _, v := range s.Variants {
		for block, r := range s.All[v.Name] {
			if s.planned(block) {
				planned[block] = true
			}
			if found, bad := s.spoilOf(r); bad && found.badness > worst[block].badness {
				worst[block] = found
			}
		}
	}
	found := slices.SortedFunc(maps.Values(worst), func(a, b Spoil) int {
		return cmp.Or(cmp.Compare(b.badness, a.badness), cmp.Compare(a.Block, b.Block))
	})
	most := len(planned) / Droppable
	for _, one := range found {
		switch {
		case !s.planned(one.Block):
			s.Dropped = append(s.Dropped, one)
		case most > 0:
			s.Dropped = append(s.Dropped, one)
			most--
		default:
			s.Spoiled = append(s.Spoiled, one)
		}
	}
	s.Runs = map[string]map[int]*Run{}
	for variant, byBlock := range s.All {
		s.Runs[variant] = map[int]*Run{}
		for block, r := range byBlock {
			if !slices.ContainsFunc(s.Dropped, func(d Spoil) bool { return d.Block == block }) {
				s.Runs[variant][block] = r
			}
		}
	}
}

// planned reports whether a block is not in the place of another one.
func (s *Set) planned(block int) bool { return s.Stops() || block <= s.Experiment.Design.Blocks }

// Again is how many planned blocks are to be made again: those that are spoiled. It is 0 if over a fifth are, which is no
// single mishap, and where blocks are made until a precision is reached. Blocks that were made again do not change it.
func (s *Set) Again() int {
	n, most := 0, s.Experiment.Design.Blocks/Droppable
	for _, one := range slices.Concat(s.Dropped, s.Spoiled) {
		if s.planned(one.Block) {
			n++
		}
	}
	if s.Stops() || n > most {
		return 0
	}
	return n
}

func (s *Set) spoilOf(r *Run) (Spoil, bool) {
	out := Spoil{Block: r.Block, Variant: r.Variant}
	says := func(code finding.Code, operation, name string, value float64, unit string) finding.Reason {
		return finding.Reason{Code: code, Variant: r.Variant, Operation: operation, Figures: []finding.Figure{
			{Name: "block", Value: float64(r.Block), Unit: "count"}, {Name: name, Value: value, Unit: unit},
		}}
	}
	if share := s.Steal(r); share > spoiledSteal {
		out.badness = share / spoiledSteal
		out.Reason = says(finding.SpoiltSteal, "", "share", share, "1")
	}
	for _, at := range s.Cells() {
		p := r.ByCell[at]
		if p == nil {
			continue
		}
		lag, ok := p.Lag.At(99)
		if ok && lag > spoiledLag && lag/spoiledLag > out.badness {
			out.badness = lag / spoiledLag
			out.Reason = says(finding.SpoiltLate, at.String(), "lag", lag, "s")
		}
	}
	return out, out.badness > 0
}

// Steal is the share of the machine's CPU time that the host took.
func (s *Set) Steal(r *Run) float64 {
	if r.Harness.Seconds <= 0 {
		return 0
	}
	return r.Harness.StealSeconds / r.Harness.Seconds / s.CPUs
}
