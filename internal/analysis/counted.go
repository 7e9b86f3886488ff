// This file counts the runs that the findings rest on, and tells why others failed.

package analysis

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// counted says which runs the findings rest on.
func (s *study) counted() finding.Runs {
	failed := s.FailedThemselves()
	out := finding.Runs{Failed: len(failed), Blocks: s.WholeBlocks(), Stop: s.Stopped()}
	if out.Stop != nil {
		out.Stop.Text = words.Reason(*out.Stop)
		out.Stopped = out.Stop.Text
	}
	for _, v := range s.Variants {
		one := finding.VariantRuns{Variant: v.Name, Good: len(s.All[v.Name]), Blocks: len(s.BlocksOf(v.Name, s.Baseline))}
		for _, r := range failed {
			if r.Variant == v.Name {
				one.Failed++
			}
		}
		for _, d := range s.Dropped {
			if d.Variant == v.Name {
				one.Dropped++
			}
		}
		out.Good += one.Good
		out.Variants = append(out.Variants, one)
	}
	for _, d := range s.Dropped {
		reason := d.Reason
		reason.Text = words.Reason(reason)
		out.Spoilt, out.Dropped = append(out.Spoilt, reason), append(out.Dropped, reason.Text)
	}
	out.Failure = words.Failures(failed)
	return out
}
