// What the metrics of a document are called for a reader, and in which order
// they are shown.

package report

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// metric is the presentation of one metric.
type metric struct {
	name  string
	label string
	main  bool // shown in the short table
}

// metrics are in the order in which a reader wants them.
var metrics = []metric{
	{"cpu_per_operation", "CPU per operation", true},
	{"time_per_call", "time per call", true},
	{"latency_mean", "latency mean", false},
	{"latency_p50", "latency p50", true},
	{"latency_p75", "latency p75", false},
	{"latency_p90", "latency p90", false},
	{"latency_p95", "latency p95", true},
	{"latency_p99", "latency p99", true},
	{"latency_p999", "latency p99.9", false},
	{"latency_max", "latency max", false},
	{"throughput", "throughput", false},
	{"capacity", "capacity", true},
	{"memory_mean", "memory mean", false},
	{"memory_peak", "memory peak", true},
	{"allocation_per_operation", "allocation per op", false},
	{"gc_count", "GC count", false},
	{"context_switches", "context switches per op", false},
	{"export_bytes_per_operation", "export per op", true},
	{"startup_time", "start-up time", true},
	{"first_operation_time", "first operation", false},
	{"idle_cpu", "idle CPU", true},
	{"cpu_utilisation", "CPU utilisation", false},
	{"cpu_per_span", "CPU per span", true},
	{"blocked_time", "blocked time", false},
	{"delivered_share", "delivered share", false},
	{"delivered_rate", "delivered rate", false},
	{"slope", "slope", true},
	{"base", "base", true},
	{"r2", "r²", false},
}

// rank is the place of a metric in the order; unknown ones come last.
func rank(name string) int {
	for i, m := range metrics {
		if m.name == name {
			return i
		}
	}
	return len(metrics)
}

// isMain reports whether the short table shows the finding: the metrics that
// people decide by, over all roles.
func isMain(f *finding.Finding) bool {
	if f.Headline {
		return true
	}
	i := rank(f.Metric)
	return f.Role == "" && i < len(metrics) && metrics[i].main
}

// metricLabel is the metric's name for a reader, without its role.
func metricLabel(name string) string {
	if i := rank(name); i < len(metrics) {
		return metrics[i].label
	}
	return strings.ReplaceAll(name, "_", " ")
}

// label is the finding's metric and role for a reader.
func label(f *finding.Finding) string {
	if f.Role == "" {
		return metricLabel(f.Metric)
	}
	return metricLabel(f.Metric) + ", " + f.Role
}
