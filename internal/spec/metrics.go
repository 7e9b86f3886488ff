// The metrics of findings.json, as far as a file may name them.
package spec

import "slices"

// measuredMetrics are the metrics that may be published and claimed about: those of
// a budget, and these. A test holds them against what the analysis makes.
var measuredMetrics = []string{
	metricThroughput, "operations_completed", metricCapacity, "idle_cpu", "cpu_per_span", "delivered_share", "delivered_rate",
	"blocked_time", "gc_count", "gc_time", "heap_peak", "heap_live", "slope", "base", "r2",
}

// metricNames are the names of all metrics that a file may name, sorted.
func metricNames() []string {
	names := slices.Clone(measuredMetrics)
	for _, name := range limited {
		names = append(names, name)
	}
	names = append(names, moreLimited...)
	slices.Sort(names)
	return slices.Compact(names)
}
