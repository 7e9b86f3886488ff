// This file puts a result into one short sentence: what tracing costs, whether that is over the budget, and whether spans
// were lost.

package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
