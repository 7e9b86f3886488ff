// This file puts verdicts into a word or a few, for places that have no room for the sentence.

package wording

import (
	"math"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Badge is a finding's verdict in at most a few words. That no difference was
// seen is never said without the bound: a wide interval hides much.
func Badge(f *finding.Finding) string {
	v := f.Verdict
	switch {
	case v.Wide(f.ByRatio()):
		return inconclusive
	case v.Kind == finding.NoDifference && v.Bound != nil:
		return "under " + finding.FormatBound(*v.Bound, f.Unit, f.ByRatio())
	case unsureVerdict(v):
		return "not significant after correction for " + Counted(v.Claims, "comparison")
	case hopeless(f):
		return inconclusive
	case short(v):
		return "needs " + Blocks(v.MoreBlocks) + " more"
	case v.Inconclusive(f.ByRatio()) && v.Budget != nil:
		return inconclusive + ", budget" + limit(v)
	case v.Inconclusive(f.ByRatio()):
		return inconclusive
	}
	return verdictWord(v)
}

// inconclusive is the word for an interval that is too wide to answer.
const inconclusive = "inconclusive"

// LongBadge is the badge where there is room for it.
func LongBadge(f *finding.Finding) string {
	if v := f.Verdict; v.Kind == finding.NoDifference && v.Bound != nil && !v.Wide(f.ByRatio()) {
		return "no difference > " + finding.FormatBound(*v.Bound, f.Unit, f.ByRatio())
	}
	return Badge(f)
}

// unsureVerdict reports whether only the correction for several claims keeps a verdict
// from being given: the finding's own interval excludes zero.
func unsureVerdict(v finding.Verdict) bool {
	return v.Kind == finding.CannotTell && v.Budget == nil && v.Low != nil && v.Claims > 1
}

// short reports whether there are too few blocks for an interval that allows for all
// claims, however clear this one is.
func short(v finding.Verdict) bool {
	return v.Kind == finding.CannotTell && v.Low == nil && v.MoreBlocks > 0 && (v.Claims > 1 || v.Budget != nil)
}

// verdictWord is a kind of verdict in at most a few words.
func verdictWord(v finding.Verdict) string {
	switch v.Kind {
	case finding.Costs:
		return "costs"
	case finding.Saves:
		return "saves"
	case finding.NoDifference:
		return "no difference larger than its bound"
	case finding.Within:
		return "within" + limit(v)
	case finding.Over:
		return "over" + limit(v)
	case finding.CannotTell:
		return "cannot tell"
	case finding.Overloaded:
		return "overloaded"
	}
	return ""
}

// limit is a budget as its owner wrote it: 5 %, not 5.00 %.
func limit(v finding.Verdict) string {
	if v.Budget == nil {
		return ""
	}
	if v.BudgetUnit != "" {
		return " " + finding.FormatBound(*v.Budget, v.BudgetUnit, false)
	}
	percent := math.Round(*v.Budget*1e6) / 1e4
	return " " + strconv.FormatFloat(percent, 'f', -1, 64) + " %"
}

// KindWord returns the meaning of the mark of a kind of verdict.
func KindWord(kind finding.Kind) string {
	if kind == finding.CannotTell {
		return inconclusive + ", or cannot tell"
	}
	return verdictWord(finding.Verdict{Kind: kind})
}

// ShortVerdict is the badge where the figures beside it say the rest; where more
// blocks would settle it how many, and where there is a reason the whole of it.
func ShortVerdict(v finding.Verdict, badge string) string {
	switch {
	case v.Kind == finding.CannotTell && v.MoreBlocks > 0:
		return inconclusive + ": about " + Blocks(v.MoreBlocks) + " more"
	case v.Kind == finding.CannotTell, v.Kind == finding.Overloaded, v.Kind == finding.None:
		return v.Text
	}
	return badge
}

// LongVerdict is ShortVerdict of a finding.
func LongVerdict(f *finding.Finding) string {
	if hopeless(f) {
		return inconclusive
	}
	return ShortVerdict(f.Verdict, LongBadge(f))
}

// Remark returns the reason behind a badge; "" if the badge says it all.
func Remark(f *finding.Finding) string {
	switch f.Verdict.Kind {
	case finding.NoDifference, finding.CannotTell, finding.Overloaded:
		if hopeless(f) {
			return "the interval is too wide"
		}
		text := f.Verdict.Text
		said := []string{"cannot tell: ", "inconclusive: ", LongBadge(f)}
		if f.Verdict.Bound != nil {
			said = append(said, "no difference larger than "+finding.FormatBound(*f.Verdict.Bound, f.Unit, f.ByRatio()))
		}
		for _, one := range said { // by the badge
			text = strings.TrimPrefix(text, one)
		}
		return strings.TrimLeft(text, ":,; ")
	}
	return ""
}

// hopeless reports whether the few blocks that a correction asks for would tell nothing: the interval is too wide.
func hopeless(f *finding.Finding) bool { return short(f.Verdict) && f.TooWide() }

// ChangeBadge is the verdict in a few words.
func ChangeBadge(c *finding.Change) string {
	v := c.Verdict
	switch v.Kind {
	case finding.NoDifference:
		switch {
		case v.Wide(c.Relative != nil):
			return inconclusive
		case v.Bound != nil:
			return "under " + finding.FormatBound(*v.Bound, c.Unit, c.Relative != nil)
		}
	case finding.Costs:
		return "worse"
	case finding.Saves:
		return "better"
	case finding.None:
		return ""
	}
	if unsureVerdict(v) {
		return "not significant after correction for " + Counted(v.Claims, "comparison")
	}
	switch {
	case short(v) && c.TooWide():
		return inconclusive
	case short(v):
		return "needs " + Blocks(v.MoreBlocks) + " more"
	case v.Inconclusive(c.Relative != nil) && v.Budget != nil:
		return inconclusive + ", budget" + limit(v)
	case v.Inconclusive(c.Relative != nil):
		return inconclusive
	}
	return verdictWord(v)
}
