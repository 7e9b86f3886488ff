// In which order the metrics of a document are shown, and which of them first.

package report

import "github.com/tracetax/tracetax/internal/finding"

// metric is the presentation of one metric.
type metric struct {
	name string
	main bool // shown in the short table
}

// metrics are in the order in which a reader wants them.
var metrics = []metric{
	{"capacity", true},
	{"cpu_per_operation", true},
	{"time_per_call", true},
	{"time_per_call_p50", false},
	{"time_per_call_p90", false},
	{"time_per_call_p99", false},
	{"blocked_time", false},
	{"latency_mean", false},
	{"latency_p50", true},
	{"latency_p75", false},
	{"latency_p90", false},
	{"latency_p95", true},
	{"latency_p99", true},
	{"latency_p999", false},
	{"latency_max", false},
	{"throughput", false},
	{"operations_completed", false},
	{"memory_mean", false},
	{"memory_peak", true},
	{"allocation_per_operation", false},
	{"gc_count", false},
	{"gc_time", false},
	{"heap_peak", false},
	{"heap_live", false},
	{"context_switches", false},
	{"export_bytes_per_operation", true},
	{"startup_time", true},
	{"first_operation_time", false},
	{"idle_cpu", true},
	{"cpu_utilisation", false},
	{"cpu_per_span", true},
	{"delivered_share", false},
	{"delivered_rate", false},
	{"slope", true},
	{"base", true},
	{"r2", false},
	{"time_per_call_slope", false},
	{"time_per_call_base", false},
	{"time_per_call_r2", false},
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

// label is the finding's metric and role for a reader.
func label(f *finding.Finding) string {
	if f.Role == "" {
		return finding.MetricName(f.Metric)
	}
	return finding.MetricName(f.Metric) + ", " + f.Role
}
