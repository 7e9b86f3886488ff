// The metrics of findings.json, as far as a file may name them.

package config

import (
	"slices"

	"github.com/tracetax/tracetax/internal/metric"
)

// metricNames are the names of all metrics that may be published and claimed about, sorted.
func metricNames() []string {
	return slices.Sorted(slices.Values(metric.Where(func(r metric.Row) bool { return r.Limited || r.Named })))
}
