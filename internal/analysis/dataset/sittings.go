// Blocks that are apart in time.

package dataset

import (
	"slices"
	"time"
)

// recess is from how long between two blocks on they belong to two sittings, where the experiment has none: it was interrupted.
const recess = 5 * time.Minute

// Sittings are the blocks of each sitting, in the order of time.
func (s *Set) Sittings() [][]int {
	type stay struct {
		block      int
		from, till time.Time
	}
	stays := map[int]*stay{}
	for _, runs := range s.All {
		for block, r := range runs {
			one := stays[block]
			if one == nil {
				one = &stay{block, r.Started, r.Ended}
				stays[block] = one
			}
			if r.Started.Before(one.from) {
				one.from = r.Started
			}
			if r.Ended.After(one.till) {
				one.till = r.Ended
			}
		}
	}
	var inTime []*stay
	for _, one := range stays {
		inTime = append(inTime, one)
	}
	slices.SortFunc(inTime, func(a, b *stay) int {
		if c := a.from.Compare(b.from); c != 0 {
			return c
		}
		return a.block - b.block
	})
	least := recess
	if d := s.Experiment.Design; d.Sittings > 1 {
		least = d.Pause / 2
	}
	var out [][]int
	var till time.Time
	for i, one := range inTime {
		if i == 0 || one.from.Sub(till) >= least {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], one.block)
		if one.till.After(till) {
			till = one.till
		}
	}
	return out
}
