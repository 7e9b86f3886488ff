// This file tells in words of runs that failed.

package words

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// Failures tells each failure; one that had the same cause as another before it
// refers to that, because causes can be long.
func Failures(failed []*record.Record) []string {
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
