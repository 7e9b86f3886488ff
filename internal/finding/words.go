// This file has the words for a reader: what the metrics are called, and text
// from outside made plain.
package finding

import (
	"regexp"

	"github.com/tracetax/tracetax/internal/metric"
)

// MetricName is what a reader calls a metric: "latency p75" for latency_p75.
func MetricName(name string) string { return metric.Title(name) }

// escape is a control sequence of a terminal: CSI (colours, cursor), OSC
// (titles, links), or a single one.
var escape = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// PlainText takes the control sequences of a terminal out of a text, whole: of
// a log in colour the words are left.
func PlainText(text string) string { return escape.ReplaceAllString(text, "") }
