// This file holds the verdict of a finding against its samples.

package selfcheck

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// confidence is that of an interval of the ordinary analysis.
const confidence = 0.95

// asked is the confidence to ask of an interval that is to have the one given: more, where
// the number of blocks was not fixed.
func (h holder) asked(given float64) float64 {
	if e := h.precise; e.Most > 0 && e.Precision > 0 && !h.quick {
		return stats.SequentialConfidence(e.Blocks, e.Most, given)
	}
	return given
}

// answer is what the verdict is given on: the ratio, where it answers.
func (h holder) answer() scale {
	if ratio, ok := h.ratio(); ok && h.ByRatio() {
		return ratio
	}
	return h.difference()
}

// verdict looks at the verdict: its interval, which way it goes, and what it says of both.
func (h holder) verdict() string {
	v := h.Verdict
	if text := h.corrected(); text != "" {
		return text
	}
	told := v.Low != nil
	switch v.Kind {
	case finding.None:
		if told || v.Claims > 0 || v.Bound != nil {
			return "there is an interval for a verdict, and no verdict"
		}
		if _, _, enough := h.answer().interval(h.asked(confidence)); enough && h.judged() {
			return "there is no verdict, and there are blocks enough for one"
		}
	case finding.Costs, finding.Saves, finding.NoDifference:
		if !told {
			return fmt.Sprintf("the verdict is %q, and has no interval", v.Kind)
		}
		return h.direction()
	case finding.Within, finding.Over:
		return h.budget()
	case finding.CannotTell:
		return h.withheld()
	case finding.Overloaded:
		if told {
			return "an interval is given for work that differs"
		}
	default:
		return fmt.Sprintf("there is no verdict %q", v.Kind)
	}
	return ""
}

// judged reports whether the analysis gives a verdict where it has an interval: of the
// metrics of the injected overheads, over all roles. The levels of a sweep may have none.
func (h holder) judged() bool {
	return slices.Contains(lessIsBetter, h.Metric) && h.Role == "" && len(h.Parameter) == 0 && !h.quick && !h.Uncompared
}

// corrected looks at the interval of the verdict, which is corrected for the number of claims.
func (h holder) corrected() string {
	v := h.Verdict
	if v.Low == nil && v.High == nil {
		return ""
	}
	if v.Low == nil || v.High == nil {
		return "the verdict has one end of an interval, and not the other"
	}
	each := 1 - (1-confidence)/float64(max(1, v.Claims))
	if v.Joint {
		each = confidence
	}
	if math.Abs(v.Confidence-each) > 1e-9 {
		return fmt.Sprintf("the verdict is said to have a confidence of %.6g among %d claims, and is to have %.6g", v.Confidence, v.Claims, each)
	}
	on := h.answer()
	low, high, bounded := on.interval(h.asked(each))
	switch {
	case !bounded:
		return "the verdict has an interval, and there are too few blocks for one"
	case !on.same(*v.Low, low):
		return h.differs("the low end of the verdict", *v.Low, low)
	case !on.same(*v.High, high):
		return h.differs("the high end of the verdict", *v.High, high)
	}
	return ""
}

// reasons are the codes of the warnings that are given where a verdict is withheld for what
// its samples do not show.
var reasons = []string{"modes", "lag-differs", "no-straight-line"}

// withheld looks for the reason of a verdict that is withheld, where there is no budget: its
// interval, too few blocks for one, or a warning.
func (h holder) withheld() string {
	v := h.Verdict
	switch {
	case v.Budget != nil:
		return ""
	case v.Low != nil && (*v.Low > 0 || *v.High < 0):
		return "the verdict is withheld, and its interval excludes zero"
	case v.Low != nil || v.Claims == 0 && h.woven:
		return ""
	}
	_, _, bounded := h.answer().interval(h.asked(v.Confidence))
	warned := slices.ContainsFunc(h.warnings, func(w finding.Warning) bool { return slices.Contains(reasons, w.Code) })
	if v.Claims == 0 || bounded && !warned {
		return "the verdict is withheld, and there is no reason for that"
	}
	return ""
}

// direction holds the verdict without a budget against its interval.
func (h holder) direction() string {
	v, own := h.Verdict, h.Shown()
	low, high := *v.Low, *v.High
	worse, better := low > 0, high < 0
	if h.Better == "higher" {
		worse, better = better, worse
	}
	is := finding.NoDifference
	switch {
	case worse:
		is = finding.Costs
	case better:
		is = finding.Saves
	case own != nil && own.Low != nil && (*own.Low > 0 || *own.High < 0):
		is = finding.CannotTell // only the correction makes it hold zero
	}
	if v.Kind != is {
		return fmt.Sprintf("the verdict is %q, and its interval says %q", v.Kind, is)
	}
	size := finding.Interval{Estimate: h.estimate(), Low: &low, High: &high}
	if size.Estimate < 0 {
		least, most := -high, -low
		size = finding.Interval{Estimate: -size.Estimate, Low: &least, High: &most}
	}
	shown := finding.FormatSize(size, h.Unit, h.ByRatio())
	if is == finding.NoDifference {
		bound := max(math.Abs(low), math.Abs(high))
		if v.Bound == nil || !h.answer().same(*v.Bound, bound) {
			return "the bound of the verdict is not the larger end of its interval"
		}
		shown = finding.FormatBound(bound, h.Unit, h.ByRatio())
		if v.Wide(h.ByRatio()) { // what is too wide to tell anything is shown whole
			shown = finding.FormatInterval(finding.Interval{Estimate: h.estimate(), Low: &low, High: &high}, h.Unit, true)
		}
	}
	return h.says(shown)
}

// budget holds the verdict on a budget against its interval. What was lost of the spans has
// none: it is counted, and the ledger has it.
func (h holder) budget() string {
	v := h.Verdict
	switch {
	case v.Budget == nil:
		return fmt.Sprintf("the verdict is %q, and there is no budget", v.Kind)
	case h.Metric == share || len(h.Samples) == 0:
		return ""
	case v.Low == nil:
		return fmt.Sprintf("the verdict is %q, and has no interval", v.Kind)
	}
	within, over := *v.High <= *v.Budget, *v.Low > *v.Budget // one that ends at the budget keeps it
	if h.Better == "higher" {
		within, over = *v.Low >= -*v.Budget, *v.High < -*v.Budget
	}
	if v.Kind == finding.Within && !within || v.Kind == finding.Over && !over {
		return fmt.Sprintf("the verdict is %q, and its interval says otherwise", v.Kind)
	}
	return h.says(finding.FormatInterval(finding.Interval{Estimate: h.estimate(), Low: v.Low, High: v.High}, h.Unit, true))
}

// says looks for the figures in the sentence that users read.
func (h holder) says(figures string) string {
	if !strings.Contains(h.Verdict.Text, figures) {
		return fmt.Sprintf("the verdict reads %q, and its figures are %s", h.Verdict.Text, figures)
	}
	return ""
}

func (h holder) estimate() float64 { return h.answer().centre() }
