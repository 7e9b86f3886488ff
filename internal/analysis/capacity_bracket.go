// This file reckons with capacities that are only known to lie between two rates: the
// highest that passed and the lowest that did not. Whatever rate between them is the
// true one, an interval that covers the worst of them covers it.
package analysis

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// bracketed reports whether the answer of a search is a bracket. A fit to a CPU
// target reads the rate off a line, which can be as fine as it likes.
func bracketed(c *record.Capacity) bool {
	return c.Method == string(spec.MethodStaircase) || c.Goal != string(spec.GoalCPU)
}

// bracket is where the capacity that a phase found lies; nil where it is the rate
// itself, or where none was found.
func (p *phase) bracket() *finding.Range {
	if p.Capacity == nil {
		return nil
	}
	return bracketOf(p.Capacity)
}

func bracketOf(c *record.Capacity) *finding.Range {
	if c.Outcome != record.Found || !bracketed(c) {
		return nil
	}
	out := &finding.Range{Low: math.Min(c.Passing, c.Rate)}
	if c.Failing > 0 && estimate.Sane(c.Failing) {
		high := math.Max(c.Failing, c.Rate)
		out.High = &high
	}
	return out
}

// resolutionNote says that a capacity is a bracket; "" where it is not.
func resolutionNote(samples []finding.Sample) string {
	share := estimate.Resolution(samples)
	if share <= 0 {
		return ""
	}
	return fmt.Sprintf("each search knows its rate only to lie between one that passed and one that did not, up to %s apart: the interval covers both",
		finding.FormatBound(share, "1", true))
}
