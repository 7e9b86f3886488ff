// This file puts the headline of one variant into a clause: its CPU per operation, or
// its capacity. It says no more than the interval of the verdict supports.
package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// usefulBound is the largest share that is worth telling as "no difference
// larger than": beyond it the interval itself says more.
const usefulBound = 0.25

// subject is what a clause is about.
type subject struct {
	name string // "tracing with otel"
	with string // "with otel"
	many bool   // several variants
}

// who names a variant; where no tracer takes part, nothing is traced.
func who(doc *finding.Document, variant string) subject {
	for _, v := range doc.Experiment.Variants {
		if v.Name == variant && v.Tracer == "none" {
			return subject{name: variant, with: "with " + variant}
		}
	}
	return subject{name: "tracing with " + variant, with: "with " + variant}
}

func (s subject) verb(one, more string) string {
	if s.many {
		return s.name + " " + more + " "
	}
	return s.name + " " + one + " "
}

// standing is what may be said of a headline.
type standing int

const (
	seen    standing = iota // the interval excludes zero
	hidden                  // it holds zero
	unsure                  // it excludes zero by itself, not among the claims made with it
	figures                 // there is no interval
	untold                  // there is a reason against the figure itself
)

func standingOf(f finding.Finding) standing {
	v := f.Verdict
	own := shownInterval(f)
	switch {
	case own == nil:
		return untold
	case own.Low == nil || own.High == nil:
		return figures
	case v.Kind == finding.CannotTell && v.Low == nil && v.MoreBlocks == 0:
		return untold
	case *own.Low <= 0 && *own.High >= 0:
		return hidden
	case v.Low == nil && v.Kind == finding.CannotTell:
		return unsure
	case v.Low != nil && v.High != nil && *v.Low <= 0 && *v.High >= 0:
		return unsure
	}
	return seen
}

func figureOnly(f finding.Finding) bool { return standingOf(f) == figures }

// shownInterval is the interval that a reader sees first: relative where there is a
// ratio.
func shownInterval(f finding.Finding) *finding.Interval {
	if f.Relative != nil {
		return f.Relative
	}
	return f.Absolute
}

// ends are those of the verdict's interval, or of the finding's own where the
// verdict has none.
func verdictEnds(f finding.Finding) (low, high float64) {
	if f.Verdict.Low != nil && f.Verdict.High != nil {
		return *f.Verdict.Low, *f.Verdict.High
	}
	i := shownInterval(f)
	return *i.Low, *i.High
}

// bound is the largest difference that could have hidden.
func bound(f finding.Finding) float64 {
	low, high := verdictEnds(f)
	return math.Max(math.Abs(low), math.Abs(high))
}

// useful reports whether a bound is worth telling.
func useful(f finding.Finding) bool { return f.Relative == nil || bound(f) <= usefulBound }

// rangeText is "−3.0 % to +77 %", rounded outwards.
func rangeText(f finding.Finding) string {
	low, high := verdictEnds(f)
	signed := func(v float64) string {
		sign := "+"
		if v < 0 {
			sign = "−"
		}
		return sign + finding.FormatBound(v, f.Unit, f.Relative != nil)
	}
	return signed(low) + " to " + signed(high)
}

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
		return s.verb("changes", "change") + "the " + what + " by an amount that cannot be told (" + strings.TrimPrefix(f.Verdict.Text, "cannot tell: ") + ")" + on
	case figures:
		return figuresClause(s, f) + on
	case unsure:
		return s.verb("makes", "make") + "a difference in " + what + " that is not sure " + among(f) + ": " + finding.FormatInterval(*shownInterval(f), f.Unit, f.Relative != nil) + on
	case hidden:
		if !useful(f) {
			return s.verb("makes", "make") + "a difference in " + what + " that cannot be told yet: " + rangeText(f) + on
		}
		return s.verb("makes", "make") + "no difference in " + what + " larger than " + boundText(f) + on
	}
	if f.Metric == capacity {
		return capacityClause(s, f) + on
	}
	text := finding.FormatValue(math.Abs(f.Absolute.Estimate), f.Unit) + " of CPU per operation"
	if f.Relative != nil {
		text += ", " + finding.FormatInterval(*f.Relative, f.Unit, true) + ","
	}
	if size(f) < 0 {
		return s.verb("saves", "save") + text + on
	}
	return s.verb("costs", "cost") + text + on
}

// among says for how many claims an interval was corrected.
func among(f finding.Finding) string {
	if f.Verdict.Claims > 1 {
		return fmt.Sprintf("among %d claims", f.Verdict.Claims)
	}
	return "yet"
}

// figuresClause tells a difference without claiming it.
func figuresClause(s subject, f finding.Finding) string {
	direction := "higher"
	if f.Absolute != nil && f.Absolute.Estimate < 0 {
		direction = "lower"
	}
	text := fmt.Sprintf("in %s (figures only), %s %s was %s %s", blocks(f.Blocks), finding.MetricName(f.Metric), s.with,
		finding.FormatValue(math.Abs(f.Absolute.Estimate), f.Unit), direction)
	if f.Relative != nil {
		text += " (" + finding.FormatInterval(finding.Interval{Estimate: f.Relative.Estimate}, f.Unit, true) + ")"
	}
	return text
}

// capacityClause says what of the capacity is lost: "costs 38 % of the capacity (35 to
// 41), 1,520/s instead of 2,450/s,".
func capacityClause(s subject, f finding.Finding) string {
	instead := fmt.Sprintf(", %s instead of %s,", finding.FormatValue(f.Value, f.Unit), finding.FormatValue(f.Baseline, f.Unit))
	i, relative := *f.Absolute, false
	if f.Relative != nil {
		i, relative = *f.Relative, true
	}
	estimate, ends, _ := strings.Cut(finding.FormatSize(magnitude(i), f.Unit, relative), " (")
	if size(f) < 0 {
		return s.verb("costs", "cost") + estimate + " of the capacity (" + ends + instead
	}
	return s.verb("raises", "raise") + "the capacity by " + estimate + " (" + ends + instead
}

// where names the operation of a headline, at its level.
func where(f finding.Finding) string {
	return cell{f.Operation, levelOf(f.Parameter)}.String()
}

func (s subject) named(f finding.Finding) string {
	if s.many {
		return f.Variant + " on " + where(f)
	}
	return where(f)
}

// names is " on json and work", or " for otel on json".
func (s subject) names(list []finding.Finding) string {
	var names []string
	for _, f := range list {
		names = append(names, s.named(f))
	}
	if s.many {
		return " for " + fewNames(names)
	}
	return " on " + fewNames(names)
}

// size orders headlines: relative where there is a ratio.
func size(f finding.Finding) float64 {
	if i := shownInterval(f); i != nil {
		return i.Estimate
	}
	return 0
}

func largestBound(heads []finding.Finding) string {
	return boundText(slices.MaxFunc(heads, func(a, b finding.Finding) int { return cmp.Compare(bound(a), bound(b)) }))
}

func boundText(f finding.Finding) string {
	return finding.FormatBound(bound(f), f.Unit, f.Relative != nil)
}

// share is a headline's size without its sign: relative where there is a ratio.
func share(f finding.Finding) string {
	if f.Relative != nil {
		return finding.FormatValue(math.Abs(f.Relative.Estimate), "1")
	}
	return amount(f)
}

func signedShare(f finding.Finding) string {
	return finding.FormatInterval(finding.Interval{Estimate: size(f)}, f.Unit, f.Relative != nil)
}

func amount(f finding.Finding) string {
	return finding.FormatValue(math.Abs(f.Absolute.Estimate), f.Unit)
}
