// This file leaves out blocks that the harness itself spoiled. It looks at the
// harness's signals only: choosing runs by how the app behaved would choose the
// result.
package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// What spoils a run, and how many blocks may be left out for it.
const (
	spoiledSteal = 0.05  // share of the machine's CPU time taken by the host
	spoiledLag   = 0.050 // seconds that the generator's own lag reaches at its 99th percentile
	droppable    = 5     // at most one block in so many
)

// spoil is a block that the harness spoiled.
type spoil struct {
	block   int
	variant string // whose run it was
	reason  string
	badness float64 // times the threshold
}

func (s spoil) String() string {
	return fmt.Sprintf("block %d: %s while %s ran", s.block, s.reason, s.variant)
}

// spoil leaves the worst of the spoiled blocks out, as many as may be.
func (s *study) spoil() {
	worst := map[int]spoil{}
	blocks := map[int]bool{}
	for _, v := range s.variants {
		for block, r := range s.all[v.Name] {
			blocks[block] = true
			if found, bad := s.spoilOf(r); bad && found.badness > worst[block].badness {
				worst[block] = found
			}
		}
	}
	var found []spoil
	for _, one := range worst {
		found = append(found, one)
	}
	slices.SortFunc(found, func(a, b spoil) int {
		return cmp.Or(cmp.Compare(b.badness, a.badness), cmp.Compare(a.block, b.block))
	})
	most := min(len(blocks)/droppable, len(found))
	s.dropped, s.spoiled = found[:most], found[most:]
	s.runs = map[string]map[int]*run{}
	for variant, byBlock := range s.all {
		s.runs[variant] = map[int]*run{}
		for block, r := range byBlock {
			if !slices.ContainsFunc(s.dropped, func(d spoil) bool { return d.block == block }) {
				s.runs[variant][block] = r
			}
		}
	}
}

func (s *study) spoilOf(r *run) (spoil, bool) {
	out := spoil{block: r.Block, variant: r.Variant}
	if share := s.steal(r); share > spoiledSteal {
		out.badness = share / spoiledSteal
		out.reason = "the host took " + finding.FormatValue(share, "1") + " of the CPU time"
	}
	for _, at := range s.cells() {
		p := r.phases[at]
		if p == nil {
			continue
		}
		lag, ok := p.lag.at(99)
		if ok && lag > spoiledLag && lag/spoiledLag > out.badness {
			out.badness = lag / spoiledLag
			out.reason = "the load generator was " + finding.FormatValue(lag, "s") + " late at its 99th percentile on " + at.String()
		}
	}
	return out, out.badness > 0
}

// steal is the share of the machine's CPU time that the host took.
func (s *study) steal(r *run) float64 {
	if r.Harness.Seconds <= 0 {
		return 0
	}
	return r.Harness.StealSeconds / r.Harness.Seconds / s.cpus
}
