// This file has the words for a reader: what the metrics are called, and text
// from outside made plain.
package finding

import (
	"regexp"
	"strings"
)

// metricNames are what a reader calls the metrics.
var metricNames = map[string]string{
	"cpu_per_operation":          "CPU per operation",
	"latency_p999":               "latency p99.9",
	"allocation_per_operation":   "allocation per op",
	"gc_count":                   "GC count per million ops",
	"gc_time":                    "GC time per op",
	"blocked_time":               "blocked time per op",
	"time_per_call_r2":           "time per call r²",
	"context_switches":           "context switches per op",
	"export_bytes_per_operation": "export per op",
	"startup_time":               "start-up time",
	"first_operation_time":       "first operation",
	"idle_cpu":                   "idle CPU",
	"cpu_utilisation":            "CPU utilisation",
	"cpu_per_span":               "CPU per span",
	"r2":                         "r²",
}

// MetricName is what a reader calls a metric: "latency p75" for latency_p75.
func MetricName(metric string) string {
	if name, ok := metricNames[metric]; ok {
		return name
	}
	return strings.ReplaceAll(metric, "_", " ")
}

// escape is a control sequence of a terminal: CSI (colours, cursor), OSC
// (titles, links), or a single one.
var escape = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// PlainText takes the control sequences of a terminal out of a text, whole: of
// a log in colour the words are left.
func PlainText(text string) string { return escape.ReplaceAllString(text, "") }
