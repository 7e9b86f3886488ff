// This file puts several headlines into one clause: the range, and its ends by
// name.

package words

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// span says what several headlines come to: the range, and the ends by name.
func span(s subject, heads []finding.Finding) string {
	by := map[standing][]finding.Finding{}
	for _, f := range heads {
		by[standingOf(f)] = append(by[standingOf(f)], f)
	}
	if len(by[figures]) == len(heads) {
		return figuresSpan(s, heads)
	}
	what := finding.MetricName(heads[0].Metric)
	text := seenText(s, by[seen])
	bounded := slices.DeleteFunc(slices.Clone(by[hidden]), func(f finding.Finding) bool { return !useful(f) })
	wide := slices.DeleteFunc(slices.Clone(by[hidden]), useful)
	if len(bounded) > 0 {
		switch {
		case text != "":
			text += ", with no difference larger than " + largestBound(bounded) + s.names(bounded)
		case len(bounded) == len(heads):
			text = s.verb("makes", "make") + "no difference in " + what + " larger than " + largestBound(bounded)
		default:
			text = s.verb("makes", "make") + "no difference in " + what + " larger than " + largestBound(bounded) + s.names(bounded)
		}
	}
	var open []string
	for _, f := range wide {
		open = append(open, s.named(f)+": "+rangeText(f))
	}
	for _, f := range by[unsure] {
		open = append(open, s.named(f)+": "+rangeText(f))
	}
	for _, f := range slices.Concat(by[untold], by[figures]) {
		open = append(open, s.named(f))
	}
	switch {
	case len(open) == 0:
		return text
	case len(by[untold])+len(by[figures]) == 0 && text == "":
		return s.verb("makes", "make") + "an inconclusive difference in " + what + " (" + FewNames(open) + ")"
	case len(by[untold])+len(by[figures]) == 0:
		return text + ", and it is inconclusive for " + FewNames(open)
	case text == "":
		return s.verb("changes", "change") + "the " + what + " by an amount that cannot be told yet (" + FewNames(open) + ")"
	}
	return text + ", and it cannot be told yet for " + FewNames(open)
}

// seenText is about the headlines whose interval excludes zero.
func seenText(s subject, list []finding.Finding) string {
	if len(list) == 0 {
		return ""
	}
	list = slices.SortedStableFunc(slices.Values(list), func(a, b finding.Finding) int { return cmp.Compare(size(a), size(b)) })
	least, most := list[0], list[len(list)-1]
	what := finding.MetricName(most.Metric)
	if size(least) < 0 && size(most) > 0 {
		return s.verb("changes", "change") + fmt.Sprintf("the %s by between %s (%s) and %s (%s)",
			what, signedShare(least), s.named(least), signedShare(most), s.amountOn(most))
	}
	if size(most) < 0 {
		least, most = most, least
	}
	before, after := wording(s, most)
	if len(list) == 1 {
		return fmt.Sprintf("%s%s %s (%s)", before, share(most), after, s.amountOn(most))
	}
	return fmt.Sprintf("%s%s (%s) and %s (%s) %s", before+"between ", share(least), s.named(least), share(most), s.amountOn(most), after)
}

// wording is what stands before and after the sizes of headlines that all lie on the
// side of f.
func wording(s subject, f finding.Finding) (before, after string) {
	switch {
	case f.Metric == metric.Capacity && size(f) < 0:
		return s.verb("costs", "cost"), "of the capacity"
	case f.Metric == metric.Capacity:
		return s.verb("raises", "raise") + "the capacity by ", ""
	case f.Metric == metric.Slope && size(f) < 0:
		return s.verb("saves", "save"), perFurtherCall
	case f.Metric == metric.Slope:
		return s.verb("costs", "cost"), perFurtherCall
	case f.Metric == metric.TimePerCall && size(f) < 0:
		return s.verb("saves", "save"), "of the time per call"
	case f.Metric == metric.TimePerCall:
		return s.verb("costs", "cost"), "more time per call"
	case size(f) < 0:
		return s.verb("saves", "save"), "of the CPU per operation"
	}
	return s.verb("costs", "cost"), "more CPU per operation"
}

func figuresSpan(s subject, heads []finding.Finding) string {
	list := slices.SortedStableFunc(slices.Values(heads), func(a, b finding.Finding) int { return cmp.Compare(size(a), size(b)) })
	least, most := list[0], list[len(list)-1]
	fewest := slices.MinFunc(heads, func(a, b finding.Finding) int { return cmp.Compare(a.Blocks, b.Blocks) })
	return fmt.Sprintf("in %s (figures only), %s %s differed by %s (%s) to %s (%s)", Blocks(fewest.Blocks), finding.MetricName(most.Metric), s.with,
		signedShare(least), s.named(least), signedShare(most), s.amountOn(most))
}

// amountOn names where a headline is, and how much it is where a share has been told.
func (s subject) amountOn(f finding.Finding) string {
	if !f.ByRatio() {
		return s.named(f)
	}
	return s.named(f) + ", " + amount(f)
}
