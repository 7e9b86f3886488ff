// This file reckons with capacities that are only known to lie between two rates: the
// highest that passed and the lowest that did not. Whatever rate between them is the
// true one, an interval that covers the worst of them covers it.
package effect

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
)

// resolutionNote says that a capacity is a bracket; "" where it is not.
func resolutionNote(samples []finding.Sample) string {
	share := estimate.Resolution(samples)
	if share <= 0 {
		return ""
	}
	return fmt.Sprintf("each search knows its rate only to lie between one that passed and one that did not, up to %s apart: the interval covers both",
		finding.FormatBound(share, "1", true))
}
