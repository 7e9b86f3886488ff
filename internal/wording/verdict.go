package wording

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// answered is what the words of a verdict depend on beside it.
type answered struct {
	unit, metric string
	higher       bool   // more is better
	relative     bool   // the interval is a ratio less 1
	change       bool   // of what a variant costs, from one result or variant to another
	than         string // " than before"
	each         string // where more blocks would have to be
}

// FillVerdict puts the verdict on a finding into words.
func FillVerdict(f *finding.Finding) {
	answered{unit: f.Unit, metric: f.Metric, higher: f.Better == metric.Higher, relative: f.ByRatio()}.fill(&f.Verdict)
}

// FillChange puts the verdict on a change into words; paired says that it is between variants of one result.
func FillChange(c *finding.Change, paired bool) {
	a := answered{
		unit: c.Unit, metric: c.Metric, higher: c.Better == metric.Higher, relative: c.Relative != nil, change: true,
		than: " than before", each: " in each result",
	}
	if paired {
		a.than, a.each = " than "+c.Against, ""
	}
	a.fill(&c.Verdict)
}

func (a answered) fill(v *finding.Verdict) {
	for i := range v.Reasons {
		v.Reasons[i].Text = a.reason(v.Reasons[i], v)
	}
	v.Text = a.text(v)
}

func (a answered) text(v *finding.Verdict) string {
	var text string
	switch v.Kind {
	case finding.Costs, finding.Saves:
		text = a.differs(v)
	case finding.NoDifference:
		if v.Wide(a.relative) {
			return "inconclusive: " + finding.FormatInterval(interval(v), a.unit, a.relative)
		}
		text = "no difference larger than " + finding.FormatBound(*v.Bound, a.unit, a.relative)
		if a.change {
			text = "no change larger than " + finding.FormatBound(*v.Bound, a.unit, a.relative)
		}
	case finding.Within, finding.Over:
		if v.Estimate == nil { // counted, not estimated
			return string(v.Kind) + " the budget of " + a.allowed(v) + a.lost() + ": " + a.reasons(v)
		}
		text = string(v.Kind) + " the budget of " + a.allowed(v) + ": " + finding.FormatInterval(interval(v), a.unit, a.relative)
	case finding.CannotTell:
		if v.Inconclusive(a.relative) {
			return "inconclusive: " + a.reasons(v)
		}
		return "cannot tell: " + a.reasons(v)
	default:
		return a.reasons(v)
	}
	for _, r := range v.Reasons {
		if r.Code == finding.WhyModes {
			text += ", in modes"
		}
	}
	return text
}

// interval is the one that the verdict was read off.
func interval(v *finding.Verdict) finding.Interval {
	return finding.Interval{Estimate: *v.Estimate, Low: v.Low, High: v.High}
}

// allowed is the budget: "5 %", or of what is more than before "5 % more than before".
func (a answered) allowed(v *finding.Verdict) string {
	text := finding.FormatBound(*v.Budget, a.unit, v.BudgetUnit == "")
	if a.change {
		text += " more" + a.than
	}
	return text
}

// lost names a limit on lost spans.
func (a answered) lost() string {
	if a.metric == metric.DeliveredShare {
		return " lost"
	}
	return ""
}

// differs is "costs 3.1 % (2.0 to 4.2)", or of a change "costs 3.1 % more than before (2.0 to 4.2)".
func (a answered) differs(v *finding.Verdict) string {
	size, ends := finding.FormatParts(claim.Magnitude(interval(v)), a.unit, a.relative)
	worse := v.Kind == finding.Costs
	if !a.change {
		verb := "saves "
		switch {
		case a.higher && worse:
			verb = "lower by "
		case a.higher:
			verb = "higher by "
		case worse:
			verb = "costs "
		}
		return strings.TrimSpace(verb + size + " " + ends)
	}
	verb, word := "costs ", "less"
	switch {
	case a.higher && worse:
		verb, word = "", "lower"
	case a.higher:
		verb, word = "", "higher"
	case worse:
		word = "more"
	}
	return strings.TrimSpace(verb + size + " " + word + a.than + " " + ends)
}

// reasons are those of a verdict, in words.
func (a answered) reasons(v *finding.Verdict) string {
	var parts []string
	for _, r := range v.Reasons {
		if r.Text != "" {
			parts = append(parts, r.Text)
		}
	}
	return strings.Join(parts, "; ")
}

// reason is one of them: those of the judge depend on what was asked.
func (a answered) reason(r finding.Reason, v *finding.Verdict) string {
	n := func(name string) string { return Blocks(int(r.Figure(name))) }
	switch r.Code {
	case finding.WhyFewBlocks:
		text := Reason(r)
		if a.change {
			text += fmt.Sprintf(", an interval needs %d%s", int(r.Figure("least")), a.each)
		}
		return text
	case finding.WhyCorrection:
		if a.change {
			return n("more") + " more needed" + a.each + " for all comparisons at once"
		}
		return fmt.Sprintf("%s more needed for %d comparisons at once", n("more"), int(r.Figure("claims")))
	case finding.WhyNotSure:
		comparisons := fmt.Sprintf("%d comparisons", int(r.Figure("claims")))
		if a.change {
			comparisons = "all comparisons made"
		}
		return "not significant after correction for " + comparisons + ": " + finding.FormatInterval(interval(v), a.unit, a.relative)
	case finding.WhyStraddles:
		return finding.FormatInterval(interval(v), a.unit, a.relative) + " straddles the budget of " + finding.FormatBound(*v.Budget, a.unit, v.BudgetUnit == "")
	case finding.WhyMoreBlocks:
		return "about " + n("blocks") + " more" + a.each + " would decide it"
	case finding.WhyTooClose:
		if !a.change && v.Budget == nil {
			return ""
		}
		return "more blocks would not decide it: it is too close to the limit"
	case finding.WhyBetweenEnds:
		if a.metric == metric.CPUPerSpan {
			return finerCount
		}
		return finerSearch
	}
	return Reason(r)
}
