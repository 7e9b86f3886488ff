// This file looks at what there is between a tracer and the sink: tracers that were waited
// for.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/finding"
)

// noticeable is a wait that a user may ask about, in seconds.
const noticeable = 0.1

// findWaited says of tracers how long their connection took.
func (s *study) findWaited() []hit {
	return s.perVariant(noticeable, func(r *dataset.Run) float64 { return r.Start.ConnectedSeconds }, func(worst float64) string {
		return fmt.Sprintf("the first operation waited up to %s until the tracer was connected", finding.FormatValue(worst, "s"))
	})
}
