// In which order the metrics of a document are shown, and which of them first.

package report

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// rank is the place of a metric in the order; unknown ones come last.
func rank(name string) int { return metric.Rank(name) }

// isMain reports whether the short table shows the finding: the metrics that
// people decide by, over all roles.
func isMain(f *finding.Finding) bool {
	if f.Headline {
		return true
	}
	row, _ := metric.Of(f.Metric)
	return f.Role == "" && row.Main
}

// label is the finding's metric and role for a reader.
func label(f *finding.Finding) string {
	if f.Role == "" {
		return finding.MetricName(f.Metric)
	}
	return finding.MetricName(f.Metric) + ", " + f.Charged()
}
