// This file puts the headline of one variant into a clause: its CPU per operation, or
// its capacity. It says no more than the interval of the verdict supports.

package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// clause says what one variant costs.
func clause(s subject, heads []finding.Finding) string {
	if len(heads) > 1 {
		return span(s, heads)
	}
	f := heads[0]
	on := " on " + where(f)
	what := finding.MetricName(f.Metric)
	switch standingOf(f) {
	case untold:
		return s.verb("changes", "change") + "the " + what + " by an amount that cannot be told (" + answered{}.reasons(&f.Verdict) + ")" + on
	case figures:
		return figuresClause(s, f) + on
	case unsure:
		return s.verb("makes", "make") + "a difference in " + what + " that is not significant " + corrected(f) + ": " + finding.FormatInterval(*f.Shown(), f.Unit, f.ByRatio()) + on
	case hidden:
		if !useful(f) {
			return s.verb("makes", "make") + "an inconclusive difference in " + what + ": " + rangeText(f) + on
		}
		return s.verb("makes", "make") + "no difference in " + what + " larger than " + boundText(f) + on
	}
	if f.Metric == metric.Capacity {
		return capacityClause(s, f) + on
	}
	text := amount(f) + " " + ofWhat(f)
	switch {
	case f.ByRatio():
		text += ", " + finding.FormatInterval(*f.Relative, f.Unit, true) + ","
	case f.Metric == metric.Slope || f.Amount:
		text = finding.FormatSize(estimate.Magnitude(*f.Absolute), f.Unit, false) + " " + ofWhat(f)
	}
	if size(f) < 0 {
		return s.verb("saves", "save") + text + on
	}
	return s.verb("costs", "cost") + text + on
}

// ofWhat is what a headline is an amount of.
func ofWhat(f finding.Finding) string {
	switch f.Metric {
	case metric.TimePerCall:
		return "per call"
	case metric.Slope:
		return perFurtherCall
	}
	return "of CPU per operation"
}

// corrected says for how many comparisons an interval was corrected.
func corrected(f finding.Finding) string {
	if f.Verdict.Claims > 1 {
		return fmt.Sprintf("after correction for %d comparisons", f.Verdict.Claims)
	}
	return "yet"
}

// figuresClause tells a difference without claiming it.
func figuresClause(s subject, f finding.Finding) string {
	direction := "higher"
	if f.Absolute != nil && f.Absolute.Estimate < 0 {
		direction = "lower"
	}
	text := fmt.Sprintf("in %s (figures only), %s %s was %s %s", Blocks(f.Blocks), finding.MetricName(f.Metric), s.with,
		finding.FormatValue(math.Abs(f.Absolute.Estimate), f.Unit), direction)
	if f.ByRatio() {
		text += " (" + finding.FormatInterval(finding.Interval{Estimate: f.Relative.Estimate}, f.Unit, true) + ")"
	}
	return text
}

// capacityClause says what of the capacity is lost: "costs 38 % of the capacity (35 to
// 41), 1,520/s instead of 2,450/s,".
func capacityClause(s subject, f finding.Finding) string {
	instead := fmt.Sprintf(", %s instead of %s,", finding.FormatValue(f.Value, f.Unit), finding.FormatValue(f.Baseline, f.Unit))
	i, relative := *f.Absolute, false
	if f.ByRatio() {
		i, relative = *f.Relative, true
	}
	estimate, ends, _ := strings.Cut(finding.FormatSize(estimate.Magnitude(i), f.Unit, relative), " (")
	if size(f) < 0 {
		return s.verb("costs", "cost") + estimate + " of the capacity (" + ends + instead
	}
	return s.verb("raises", "raise") + "the capacity by " + estimate + " (" + ends + instead
}
