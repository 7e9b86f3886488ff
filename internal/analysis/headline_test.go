package analysis_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
)

// While it lasts, an experiment over two commits tells what the second adds to the first, and not only to the baseline.
func TestHeadlineOfAStep(t *testing.T) {
	s := gateOf(1, 8, 0.001, 0.1)
	in := s.input()
	got := analysis.Headline(in.Experiment, in.Records)
	if !strings.HasPrefix(got, "CPU per operation after: json +") || !strings.Contains(got, "; over before: json +") {
		t.Errorf("%q, want what after adds, over before too", got)
	}
}
