// This file counts the runs that the findings rest on, and tells why others failed.
package analysis

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// wholeBlocks is the number of blocks with a good run of every variant.
func (s *study) wholeBlocks() int {
	n := 0
	for block := range s.runs[s.baseline] {
		whole := true
		for _, v := range s.variants {
			whole = whole && s.runs[v.Name][block] != nil
		}
		if whole {
			n++
		}
	}
	return n
}

// counted says which runs the findings rest on.
func (s *study) counted() finding.Runs {
	out := finding.Runs{Failed: len(s.failed), Blocks: s.wholeBlocks(), Stopped: s.stopped()}
	for _, v := range s.variants {
		one := finding.VariantRuns{Variant: v.Name, Good: len(s.all[v.Name]), Blocks: len(s.blocksOf(v.Name, s.baseline))}
		for _, r := range s.failed {
			if r.Variant == v.Name {
				one.Failed++
			}
		}
		for _, d := range s.dropped {
			if d.variant == v.Name {
				one.Dropped++
			}
		}
		out.Good += one.Good
		out.Variants = append(out.Variants, one)
	}
	for _, d := range s.dropped {
		out.Dropped = append(out.Dropped, d.String())
	}
	out.Failure = words.Failures(s.failed)
	return out
}
