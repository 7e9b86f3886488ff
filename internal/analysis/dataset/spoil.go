// This file leaves out blocks that the machine spoiled. It looks at signals only that no variant's own work can move: leaving
// runs out by what the app does, or what follows from it, would choose the result. The load generator's lag is none of them,
// for the spans of a variant keep the sink busy beside it; nor are the load of the machine and what others use of its CPUs,
// part of which is the kernel's work for the program. These warn. Of windows, what others use is held against the other windows of
// the block, and those that stand out are left out (see package run); a block of which too many do is spoiled.

package dataset

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// What spoils a run, and how many blocks may be left out for it.
const (
	spoiledSteal = 0.1 // of the CPU time for which there was work, taken by the host: a variant that works more has more of both
	Droppable    = 5   // of the planned blocks at most one in so many
	leastSpoiled = 2   // but so many at least
)

// Spoil is a block that the harness spoiled.
type Spoil struct {
	Block   int
	Variant string // whose run it was
	Reason  finding.Reason
	badness float64 // times the threshold
}

// spoil leaves the worst of the spoiled blocks out, as many as may be, and no block without which there would be no interval.
// Of those that were made in the place of others every one that is spoiled is left out: otherwise it would bring another one
// back.
func (s *Set) spoil() {
	worst, planned, made := map[int]Spoil{}, map[int]bool{}, map[int]bool{}
	for _, r := range s.Failed {
		if r.Block > 0 && s.planned(r.Block) {
			planned[r.Block] = true
		}
	}
	for _, v := range s.Variants {
		for block, r := range s.All[v.Name] {
			made[block] = true
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
	most, spoiled := mostSpoiled(len(planned)), 0
	for _, one := range found {
		if s.planned(one.Block) {
			spoiled++
		}
	}
	busy := spoiled > most // no mishap: the machine is like this, and the blocks without disturbed windows are no better
	spare := len(made) - min(len(planned), stats.MinBlocks(claim.Confidence))
	for _, one := range found {
		switch {
		case len(s.Dropped) >= spare:
			s.Spoiled = append(s.Spoiled, one)
		case !s.planned(one.Block):
			s.Dropped = append(s.Dropped, one)
		case busy && one.Reason.Code == finding.SpoiltWindows:
			s.Spoiled = append(s.Spoiled, one)
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

// mostSpoiled bounds the planned blocks that may be left out: a fifth, rounded up, and two at least, but no more than half of
// them.
func mostSpoiled(planned int) int {
	return min(max(leastSpoiled, (planned+Droppable-1)/Droppable), planned/2)
}

// Again returns the number of planned blocks to make again: the spoiled ones. It is 0 if more are than may be left out,
// which is no single mishap, and where blocks are made until a precision is reached. Blocks that were made again do not change it.
func (s *Set) Again() int {
	n, most := 0, mostSpoiled(s.Experiment.Design.Blocks)
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

// spoilOf is the worst that spoiled a run.
func (s *Set) spoilOf(r *Run) (Spoil, bool) {
	share := s.taken(r)
	worst := Spoil{
		Block: r.Block, Variant: r.Variant, badness: share / spoiledSteal,
		Reason: finding.Reason{Code: finding.SpoiltSteal, Variant: r.Variant, Figures: []finding.Figure{
			{Name: "block", Value: float64(r.Block), Unit: "count"}, {Name: "share", Value: share, Unit: "1"},
		}},
	}
	spoiled := share > spoiledSteal
	for i := range r.Phases {
		p := Phase{Phase: &r.Phases[i]}
		n := p.Disturbed()
		if n == 0 || p.LeftOut() {
			continue
		}
		if badness := float64(n*Droppable) / float64(len(p.Turns())); !spoiled || badness > worst.badness {
			worst.badness = badness
			worst.Reason = finding.Reason{Code: finding.SpoiltWindows, Variant: r.Variant, Figures: []finding.Figure{
				{Name: "block", Value: float64(r.Block), Unit: "count"},
				{Name: "disturbed", Value: float64(n), Unit: "count"}, {Name: "windows", Value: float64(len(p.Turns())), Unit: "count"},
			}}
		}
		spoiled = true
	}
	return worst, spoiled
}

// taken returns the share of the wanted CPU time that the host stole. A share of all time would depend on the work: idle
// time is not stolen. If the work is unknown, CPUs are assumed to have worked half of the time.
func (s *Set) taken(r *Run) float64 {
	h := r.Harness
	worked := h.WorkedSeconds
	if worked <= 0 {
		worked = h.Seconds * s.CPUs / 2
	}
	share, _ := Over(h.StealSeconds, h.StealSeconds+worked) // 0 where it took nothing
	return share
}

// Steal is the share of the machine's CPU time that the host took.
func (s *Set) Steal(r *Run) float64 {
	if r.Harness.Seconds <= 0 {
		return 0
	}
	return r.Harness.StealSeconds / r.Harness.Seconds / s.CPUs
}
