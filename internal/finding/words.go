// This file has the words for a reader: what the metrics are called, and text
// from outside made plain.

package finding

import (
	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/metric"
)

// MetricName is what a reader calls a metric: "latency p75" for latency_p75.
func MetricName(name string) string { return metric.Title(name) }

// PlainText takes the control sequences of a terminal out of a text, whole.
func PlainText(text string) string { return excerpt.WithoutEscapes(text) }
