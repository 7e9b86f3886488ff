// This file puts a comparison into one sentence, and into ranks.

package compare

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// changeSummary says what changed in the headline metric, and how the budget was
// kept.
func changeSummary(doc *finding.Comparison) string {
	var parts []string
	for i, side := range doc.News {
		text := headlineChanges(doc, i)
		if len(doc.News) > 1 && doc.Mode != byVariants {
			text = side.Name + ": " + text
		}
		parts = append(parts, text)
	}
	text := "Since " + doc.Base.Name + ", "
	if doc.Mode == byVariants {
		text = "Compared with " + doc.Base.Name + ", "
	}
	text += strings.Join(parts, "; ")
	if clause := changeBudget(doc); clause != "" {
		text += "; " + clause
	}
	if doc.Elsewhere {
		text = "Between different machines, ratios only. " + text
	}
	return text + "."
}

// headlineChanges is about one new result.
func headlineChanges(doc *finding.Comparison, index int) string {
	var more, less, same, open []string
	var bound *finding.Change
	metric, any := "", false
	for i := range doc.Changes {
		c := &doc.Changes[i]
		if c.New != index || !c.Headline || c.Of != finding.OfCost || c.Role != "" {
			continue
		}
		metric, any = c.Metric, true
		name := strings.TrimSuffix(c.Variant+" on "+levelName(c), " on ")
		low, high := c.Verdict.Low, c.Verdict.High
		switch {
		case low == nil || high == nil || c.Verdict.Kind == finding.CannotTell && c.Verdict.Budget == nil || c.Verdict.Wide(c.Relative != nil):
			open = append(open, name)
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
	if doc.Mode == byVariants {
		up, down, changed = "is higher", "is lower", "does not differ"
	}
	var out []string
	if len(more) > 0 {
		out = append(out, up+" for "+words.FewNames(more))
	}
	if len(less) > 0 {
		out = append(out, down+" for "+words.FewNames(less))
	}
	if len(same) > 0 {
		out = append(out, changed+" by more than "+finding.FormatBound(widest(bound), bound.Unit, bound.Relative != nil)+" for "+words.FewNames(same))
	}
	text := finding.MetricName(metric) + " " + strings.Join(out, ", and ")
	switch {
	case len(open) == 0:
		return text
	case len(out) == 0:
		return "it cannot be told how " + finding.MetricName(metric) + " changed for " + words.FewNames(open)
	}
	return text + ", and it cannot be told for " + words.FewNames(open)
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
	return finding.FormatSize(estimate.Magnitude(i), c.Unit, c.Relative != nil)
}

func widest(c *finding.Change) float64 { return max(-*c.Verdict.Low, *c.Verdict.High) }

// countChanges is the summary where the headline metric is not compared.
func countChanges(doc *finding.Comparison, index int) string {
	worse, better, all := 0, 0, 0
	for _, c := range doc.Changes {
		if c.New != index || c.Of == finding.OfBaseline {
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
	return fmt.Sprintf("of %s %d got worse and %d better", words.Counted(all, "figure"), worse, better)
}

func changeBudget(doc *finding.Comparison) string {
	var over, open []string
	kept, more := 0, 0
	where := " in each result"
	if doc.Mode == byVariants {
		where = ""
	}
	for i := range doc.Changes {
		c := &doc.Changes[i]
		if c.Verdict.Budget == nil {
			continue
		}
		name := strings.TrimSuffix(finding.MetricName(c.Metric)+" of "+c.Variant+" on "+levelName(c), " of  on ")
		name = strings.TrimSuffix(name, " on ")
		switch c.Verdict.Kind {
		case finding.Over:
			over = append(over, name)
		case finding.Within:
			kept++
		default:
			open = append(open, name)
			more = max(more, c.Verdict.MoreBlocks)
		}
	}
	switch {
	case len(over) > 0:
		return "over budget: " + words.FewNames(over)
	case len(open) > 0 && more > 0:
		return "it cannot be told whether the budget is kept by " + words.FewNames(open) + ": it takes about " + words.Blocks(more) + " more" + where + ", or a few more than that"
	case len(open) > 0:
		return "it cannot be told whether the budget is kept by " + words.FewNames(open)
	case kept > 0:
		return "within the budget"
	}
	return ""
}
