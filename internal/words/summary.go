// This file puts a result into one short sentence: what tracing costs, whether that is over the budget, and whether spans
// were lost.

package words

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// summaryWords is how many words a summary has at most.
const summaryWords = 25

// Summary is one sentence of 25 words at most; "" where there is nothing that so few words can tell.
func Summary(doc *finding.Document) string {
	all := headlines(doc.Findings)
	heads, _ := rankedHeads(doc, tracedHeads(doc, all))
	text := ""
	switch names := untracedNames(doc); {
	case len(heads) == 1:
		text = summaryOfOne(heads[0])
	case len(heads) > 1:
		text = summaryOfMany(heads, true)
		if len(strings.Fields(text)) >= summaryWords {
			text = summaryOfMany(heads, false)
		}
	case len(names) > 0:
		text = "no span came with " + FewNames(names) + ", so what tracing costs cannot be told"
	case len(elsewhereNames(doc)) > 0:
		text = FewNames(elsewhereNames(doc)) + " sent spans elsewhere, so what tracing costs cannot be told"
	}
	if text == "" {
		return ""
	}
	text = strings.Join(strings.Fields(cmp.Or(doc.Experiment.Workload, doc.Experiment.Name, "this program")+": "+text), " ")
	if len(strings.Fields(text)) > summaryWords {
		return ""
	}
	budget, loss, gap := summaryBudget(doc), summaryLoss(doc), ""
	short, _, _ := strings.Cut(budget, ",")
	if len(heads) > 0 && len(gapsClause(doc, all)) > 0 {
		gap = "not all compared"
	}
	lost := ""
	if loss != "" {
		lost = "spans were lost"
	}
	for _, clauses := range [][]string{{text, budget, loss, gap}, {text, short, loss, gap}, {text, short, lost, gap}, {text, short, lost}, {text, short}} {
		whole := strings.Join(slices.DeleteFunc(clauses, func(s string) bool { return s == "" }), "; ")
		if len(strings.Fields(whole)) <= summaryWords {
			return whole + "."
		}
	}
	return text + "."
}

// summaryOfOne is what one variant costs on one operation.
func summaryOfOne(f finding.Finding) string {
	what := summaryMetric(f)
	switch standingOf(f) {
	case figures:
		direction := "higher"
		if size(f) < 0 {
			direction = "lower"
		}
		return finding.MetricName(f.Metric) + " with " + f.Variant + " was " + share(f) + " " + direction + " (" + Blocks(f.Blocks) + ": no interval)"
	case untold:
		text := "what " + f.Variant + " adds to the " + finding.MetricName(f.Metric) + " cannot be told"
		if r := f.Verdict.Reason(); r.Code == finding.WhyOverloaded {
			text += ": " + r.Variant + " did not hold the rate"
		}
		return text
	case unsure:
		return "what " + f.Variant + " adds to the " + finding.MetricName(f.Metric) + " is inconclusive (" + rangeText(f) + ")"
	case hidden:
		if !useful(f) {
			return "what " + f.Variant + " adds to the " + finding.MetricName(f.Metric) + " is inconclusive (95 % CI " + rangeText(f) + ")"
		}
		return f.Variant + " makes no difference in " + finding.MetricName(f.Metric) + " larger than " + boundText(f)
	}
	size, ends := finding.FormatApart(estimate.Magnitude(*f.Shown()), f.Unit, f.ByRatio())
	_, unit, spaced := strings.Cut(size, " ")
	if spaced {
		unit = " " + unit
	}
	return f.Variant + " " + addsText(f) + " " + what + " (95 % CI " + strings.Trim(ends, "()") + unit + ")"
}

// summaryOfMany is the range of what several headlines come to, its ends by name where there is room.
func summaryOfMany(heads []finding.Finding, room bool) string {
	clear := slices.DeleteFunc(slices.Clone(heads), func(f finding.Finding) bool { s := standingOf(f); return s != seen && s != figures })
	if len(clear) == 0 {
		return fmt.Sprintf("none of %d differences in %s is clear", len(heads), finding.MetricName(heads[0].Metric))
	}
	slices.SortStableFunc(clear, func(a, b finding.Finding) int { return cmp.Compare(size(a), size(b)) })
	s := subject{many: slices.ContainsFunc(heads, func(f finding.Finding) bool { return f.Variant != heads[0].Variant })}
	least, most := clear[0], clear[len(clear)-1]
	who := "tracing"
	if !s.many {
		who = heads[0].Variant
	}
	at := func(f finding.Finding) string {
		if !room {
			return signedShare(f)
		}
		return signedShare(f) + " (" + s.named(f) + ")"
	}
	text := who + " changes " + finding.MetricName(most.Metric) + " by " + at(least)
	if figureOnly(most) {
		text = finding.MetricName(most.Metric) + " with " + who + " differed by " + at(least)
	}
	if len(clear) > 1 {
		text += " to " + at(most)
	}
	if figureOnly(most) {
		text += ", without intervals"
	}
	if rest := len(heads) - len(clear); rest > 0 {
		text += fmt.Sprintf("; %d of %d not clear", rest, len(heads))
	}
	return text
}

// summaryMetric is what a headline is an amount of.
func summaryMetric(f finding.Finding) string {
	switch f.Metric {
	case metric.Capacity:
		return "of the capacity"
	case metric.CPUPerOperation:
		return "CPU per operation"
	}
	return ofWhat(f)
}

// addsText is "adds 54 %", "saves 3 %", or of a capacity "costs 38 %".
func addsText(f finding.Finding) string {
	verb := "adds "
	switch {
	case f.Metric == metric.Capacity && size(f) < 0:
		verb = "costs "
	case f.Metric != metric.Capacity && size(f) < 0:
		verb = "saves "
	}
	return verb + share(f)
}

// summaryBudget says how the budget was kept.
func summaryBudget(doc *finding.Document) string {
	var over, open, all []finding.Finding
	for _, f := range doc.Findings {
		if f.Verdict.Budget == nil {
			continue
		}
		all = append(all, f)
		switch f.Verdict.Kind {
		case finding.Over:
			over = append(over, f)
		case finding.Within:
		default:
			open = append(open, f)
		}
	}
	switch {
	case len(all) == 1:
		return "budget " + finding.FormatBound(*all[0].Verdict.Budget, "1", true) + ": " + keptText(all[0])
	case len(over) > 0:
		return fmt.Sprintf("over %d of %d budgets", len(over), len(all))
	case len(open) > 0:
		return fmt.Sprintf("%d of %d budgets inconclusive", len(open), len(all))
	case len(all) > 0:
		return "within all budgets"
	}
	return ""
}

// keptText is how one budget was kept.
func keptText(f finding.Finding) string {
	v := f.Verdict
	switch {
	case v.Kind == finding.Within, v.Kind == finding.Over:
		return string(v.Kind)
	case v.MoreBlocks > 0:
		return "inconclusive, about " + Blocks(v.MoreBlocks) + " more"
	case v.Inconclusive(f.ByRatio()):
		return "inconclusive"
	}
	return "cannot be told"
}

// summaryLoss says who lost the most spans, for sure.
func summaryLoss(doc *finding.Document) string {
	if len(doc.Lossy) == 0 {
		return ""
	}
	worst := slices.MaxFunc(doc.Lossy, func(a, b finding.Lossy) int { return cmp.Compare(a.LostShare, b.LostShare) })
	return worst.Variant + " lost " + finding.FormatValue(worst.LostShare, "1") + " of its spans"
}

// This file names what a clause of the summary is about.

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

// where names the operation of a headline, at its level.
func where(f finding.Finding) string {
	return cell.AtOf(f.Operation, f.Parameter).String()
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
		return " for " + FewNames(names)
	}
	return " on " + FewNames(names)
}

// This file puts the headline of one variant into a clause: its CPU per operation, or
// its capacity. It says no more than the interval of the verdict supports.

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
