// This file puts a comparison into one sentence, and says how budgets were kept.

package wording

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
)

// Change returns the change in the headline metric, and how the budget was kept. noCapacity is why no capacity could be
// compared; "" where one was, or none was searched for.
func Change(doc *finding.Comparison, noCapacity string) string {
	var parts []string
	begin := "Since "
	if doc.Mode == finding.ByVariants {
		begin = "Compared with "
		parts = append(parts, headlineChanges(doc, everyNew))
	} else {
		for i, side := range doc.News {
			text := headlineChanges(doc, i)
			if len(doc.News) > 1 {
				text = side.Name + ": " + text
			}
			parts = append(parts, text)
		}
	}
	if doc.Elsewhere {
		begin = "Between different machines, ratios only. " + begin
	}
	if noCapacity != "" {
		begin = "The change of the capacity is unknown: " + noCapacity + ". Of the rest: " + strings.ToLower(begin[:1]) + begin[1:]
	}
	if clause := changeBudget(doc); clause != "" {
		parts = append(parts, clause)
	}
	return begin + doc.Base.Name + ", " + strings.Join(parts, "; ") + "."
}

// everyNew stands for all new results.
const everyNew = -1

// headlineChanges is about one new result, or all.
func headlineChanges(doc *finding.Comparison, index int) string {
	var more, less, same, open, why []string
	var bound *finding.Change
	metric, any := "", false
	for _, c := range largestFirst(doc, index) {
		if index != everyNew && c.New != index || !c.Headline || c.Of != finding.OfCost || c.Role != "" {
			continue
		}
		metric, any = c.Metric, true
		name := strings.TrimSuffix(c.Variant+" on "+levelName(c), " on ")
		low, high := c.Verdict.Low, c.Verdict.High
		switch {
		case low == nil || high == nil || c.Verdict.Kind == finding.CannotTell && c.Verdict.Budget == nil || c.Verdict.Wide(c.Relative != nil):
			open, why = append(open, name), append(why, c.Verdict.Reason().Text)
		case *low > 0:
			more = append(more, name+" by "+sizeOf(c))
		case *high < 0:
			less = append(less, name+" by "+sizeOf(c))
		default:
			same = append(same, name)
			if bound == nil || widest(c) > widest(bound) {
				bound = c
			}
		}
	}
	if !any {
		return countChanges(doc, index)
	}
	up, down, changed := "went up", "went down", "did not change"
	if doc.Mode == finding.ByVariants {
		up, down, changed = "is higher", "is lower", "does not differ"
	}
	var out []string
	if len(more) > 0 {
		out = append(out, up+" for "+FewNames(more))
	}
	if len(less) > 0 {
		out = append(out, down+" for "+FewNames(less))
	}
	if len(same) > 0 {
		out = append(out, changed+" by more than "+finding.FormatBound(widest(bound), bound.Unit, bound.Relative != nil)+" for "+FewNames(same))
	}
	text := finding.MetricName(metric) + " " + strings.Join(out, ", and ")
	inconclusive := "is inconclusive for " + FewNames(open)
	if why = slices.Compact(why); len(why) == 1 && why[0] != "" {
		inconclusive += " (" + why[0] + ")"
	}
	switch {
	case len(open) == 0:
		return text
	case len(out) == 0 && doc.Mode == finding.ByVariants:
		return "the difference in " + finding.MetricName(metric) + " " + inconclusive
	case len(out) == 0:
		return "the change of " + finding.MetricName(metric) + " " + inconclusive
	}
	return text + ", and " + inconclusive
}

// largestFirst are the changes; of several variants those that differ most come first.
func largestFirst(doc *finding.Comparison, index int) []*finding.Change {
	out := make([]*finding.Change, len(doc.Changes))
	for i := range doc.Changes {
		out[i] = &doc.Changes[i]
	}
	if index == everyNew && len(doc.News) > 1 {
		slices.SortStableFunc(out, func(a, b *finding.Change) int { return cmp.Compare(changeSize(b), changeSize(a)) })
	}
	return out
}

// changeSize returns the size of a change, in its unit.
func changeSize(c *finding.Change) float64 {
	if i := cmp.Or(c.Relative, c.Absolute); i != nil {
		return math.Abs(i.Estimate)
	}
	return 0
}

func levelName(c *finding.Change) string {
	return cell.AtOf(c.Operation, c.Parameter).String()
}

// sizeOf is the size of a change with the interval of its verdict.
func sizeOf(c *finding.Change) string {
	i := finding.Interval{Low: c.Verdict.Low, High: c.Verdict.High}
	switch {
	case c.Relative != nil:
		i.Estimate = c.Relative.Estimate
	case c.Absolute != nil:
		i.Estimate = c.Absolute.Estimate
	}
	return finding.FormatSize(claim.Magnitude(i), c.Unit, c.Relative != nil)
}

func widest(c *finding.Change) float64 { return max(-*c.Verdict.Low, *c.Verdict.High) }

// countChanges is the summary where the headline metric is not compared.
func countChanges(doc *finding.Comparison, index int) string {
	worse, better, all := 0, 0, 0
	for _, c := range doc.Changes {
		if index != everyNew && c.New != index || c.Of == finding.OfBaseline {
			continue
		}
		all++
		switch c.Verdict.Kind {
		case finding.Costs:
			worse++
		case finding.Saves:
			better++
		}
	}
	return fmt.Sprintf("of %s %d got worse and %d better", Counted(all, "figure"), worse, better)
}

func changeBudget(doc *finding.Comparison) string {
	var all budgets
	for i := range doc.Changes {
		c := &doc.Changes[i]
		all.add(c.Metric, c.Variant, levelName(c), &c.Verdict)
	}
	if doc.Mode == finding.ByVariants {
		return all.clause("")
	}
	return all.clause(" in each result")
}

// budgets returns how all limits were kept.
type budgets struct {
	over, open []limited
	kept       bool
	more       int    // blocks that would settle the open ones; 0: none would settle all of them, or it is not known
	never      bool   // more blocks do not settle one of the open ones
	told       string // the figure that the sentence has just told
}

// limited is a figure that has a limit.
type limited struct{ name, limit string }

func (b *budgets) add(metric, variant, at string, v *finding.Verdict) {
	if v.Budget == nil {
		return
	}
	one := limited{figureName(metric, variant, at), limit(*v)}
	switch v.Kind {
	case finding.Over:
		b.over = append(b.over, one)
	case finding.Within:
		b.kept = true
	default:
		b.open, b.more = append(b.open, one), max(b.more, v.MoreBlocks)
		if b.never = b.never || v.MoreBlocks == 0; b.never {
			b.more = 0
		}
	}
}

// figureName is "p99 of otel on json".
func figureName(metric, variant, at string) string {
	name := finding.MetricName(metric)
	if variant != "" {
		name += " of " + variant
	}
	if at != "" {
		name += " on " + at
	}
	return name
}

// clause is "over budget: p99 of otel on json (limit 5 %)", or "over the budget of 5 %" where the sentence has just told that
// figure; "" where there is none. each says where more blocks would have to be.
func (b *budgets) clause(each string) string {
	names := func(all []limited) string {
		var out []string
		for _, one := range all {
			out = append(out, one.name+" (limit"+one.limit+")")
		}
		return FewNames(out)
	}
	told := func(all []limited) bool { return len(all) == 1 && all[0].name == b.told }
	switch {
	case told(b.over):
		return "over the budget of" + b.over[0].limit
	case len(b.over) > 0:
		return "over budget: " + names(b.over)
	case len(b.open) > 0:
		text := "the budget is inconclusive for " + names(b.open)
		if told(b.open) {
			text = "the budget of" + b.open[0].limit + " is inconclusive"
		}
		if b.more > 0 {
			text += ": about " + Blocks(b.more) + " more" + each + " would decide it"
		}
		return text
	case b.kept:
		return "within the budget"
	}
	return ""
}
