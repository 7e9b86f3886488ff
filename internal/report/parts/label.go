// What metrics, operations and levels are called, and in which order a reader wants them.

package parts

import (
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// Rank is the place of a metric in the order; unknown ones come last.
func Rank(name string) int { return metric.Rank(name) }

// IsMain reports whether the short table shows the finding: the metrics that
// people decide by, over all roles.
func IsMain(f *finding.Finding) bool {
	if f.Headline {
		return true
	}
	row, _ := metric.Of(f.Metric)
	return f.Role == "" && row.Main
}

// Label is the finding's metric and role for a reader.
func Label(f *finding.Finding) string {
	if f.Role == "" {
		return finding.MetricName(f.Metric)
	}
	return finding.MetricName(f.Metric) + ", " + f.Charged()
}

// IsSpare reports whether a metric goes first where there is little room.
func IsSpare(name string) bool {
	row, _ := metric.Of(name)
	return row.Spare
}

// Operation names an operation; "" stands for the whole run.
func Operation(operation string) string {
	if operation == "" {
		return "whole run"
	}
	return operation
}

// At is an operation at its level.
func At(operation string, parameter map[string]string) string {
	name := Operation(operation)
	if level := Parameter(parameter); level != "" {
		name += ", " + level
	}
	return name
}

// Parameter is a parameter as "depth=8, threads=2", its keys sorted.
func Parameter(p map[string]string) string { return cell.LevelOf(p).Join("=", ", ") }
