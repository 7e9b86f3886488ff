// This file adds up answers by their status, where several are right.

package analysis

import (
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// answers are those of each operation and variant of which the records count them, in the blocks that count.
func (s *study) answers() []finding.Answers {
	var out []finding.Answers
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			if sum := s.answersOf(v.Name, at); len(sum) > 0 {
				out = append(out, finding.Answers{Operation: at.Operation, Parameter: at.Level.Map(), Variant: v.Name, Statuses: sum})
			}
		}
	}
	return out
}

func (s *study) answersOf(variant string, at cell.At) map[int]uint64 {
	sum := map[int]uint64{}
	for _, p := range s.PhasesOf(variant, at) {
		for status, n := range p.Load.Answers {
			sum[status] += n
		}
	}
	return sum
}
