// The format of Bencher, which carries intervals.

package data

import (
	"io"

	"github.com/tracetax/tracetax/internal/finding"
)

// bmfFigure is one measure of a benchmark. An end that is not known is left out.
type bmfFigure struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"lower_value,omitempty"`
	High  *float64 `json:"upper_value,omitempty"`
}

// BMF writes the figures in Bencher Metric Format: by benchmark (workload/operation/variant) and measure (the metric; its
// cost as METRIC_overhead or METRIC_added). They are in the metrics' units.
func BMF(w io.Writer, doc *finding.Document) error {
	all := map[string]map[string]bmfFigure{}
	for _, t := range trackedOf(doc) {
		if all[t.name] == nil {
			all[t.name] = map[string]bmfFigure{}
		}
		all[t.name][t.measure()] = bmfFigure{t.value, t.low, t.high}
	}
	return write(w, all, "the figures")
}
