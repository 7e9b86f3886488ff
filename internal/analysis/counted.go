// This file counts the runs that the findings rest on, and tells why others failed.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
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
	out.Failure = failureTexts(s.failed)
	return out
}

// failureTexts tells each failure; one that had the same cause as another before it
// refers to that, because causes can be long.
func failureTexts(failed []*record.Record) []string {
	var out []string
	first := map[string]string{}
	for _, r := range failed {
		where, cause := failureText(r)
		if before, told := first[cause]; told {
			out = append(out, where+": as in "+before)
			continue
		}
		first[cause] = where
		out = append(out, where+": "+cause)
	}
	return out
}

// failureText says where a run failed and why.
func failureText(r *record.Record) (where, cause string) {
	where = fmt.Sprintf("block %d, %s, attempt %d", r.Block, r.Variant, r.Attempt)
	if r.Kind == record.Calibration || r.Kind == record.Pilot {
		where = fmt.Sprintf("%s of %s, attempt %d", r.Kind, r.Variant, r.Attempt)
	}
	return where, r.Failure.Stage + ": " + finding.PlainText(r.Failure.Message)
}
