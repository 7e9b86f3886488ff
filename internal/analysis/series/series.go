// Package series owns what is drawn: latency by percentile, figures over levels with their knees, and how searches for a
// capacity went. It must not know verdicts.
package series

import "github.com/tracetax/tracetax/internal/analysis/delivery"

// Maker draws what there is of each variant, by the records and by what became of spans.
type Maker struct{ *delivery.Book }
