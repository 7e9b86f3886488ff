// Figures of several searches for a rate.

package claim

import (
	"math"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// Each collects a figure of the searches that have it.
func Each(made []*record.Search, value func(*record.Search) (float64, bool)) []float64 {
	var out []float64
	for _, c := range made {
		if v, ok := value(c); ok && Sane(v) {
			out = append(out, v)
		}
	}
	return out
}

// Ended counts the searches that ended in one way.
func Ended(made []*record.Search, outcome record.Outcome) int {
	n := 0
	for _, c := range made {
		if c.Outcome == outcome {
			n++
		}
	}
	return n
}

// Bracket returns the bounds of the rate that a search found; nil if it is exact, or none was found.
func Bracket(c *record.Search) *finding.Range {
	rate, known := c.Carries()
	if !known || !bracketed(c) {
		return nil
	}
	out := &finding.Range{Low: math.Min(c.Passing, rate)}
	if c.Failing > 0 && Sane(c.Failing) {
		high := math.Max(c.Failing, rate)
		out.High = &high
	}
	return out
}

// bracketed reports whether the answer of a search is a bracket. A fit to a CPU
// target reads the rate off a line, which can be as fine as it likes; one that was saturated has no line.
func bracketed(c *record.Search) bool {
	return c.Goal != string(config.GoalCPU) || c.Outcome == record.Saturated
}
