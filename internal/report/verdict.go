// Verdicts in a word or a mark, for places that have no room for the sentence.

package report

import (
	"math"
	"strconv"

	"github.com/tracetax/tracetax/internal/finding"
)

// kinds are all verdicts that say something, the worst first.
var kinds = []finding.Kind{
	finding.Over, finding.Overloaded, finding.Costs, finding.CannotTell, finding.NoDifference, finding.Saves, finding.Within,
}

// badge is a finding's verdict in at most a few words. That no difference was
// seen is never said without the bound: a wide interval hides much.
func badge(f *finding.Finding) string {
	v := f.Verdict
	switch {
	case v.Kind == finding.NoDifference && v.Bound != nil:
		return "under " + finding.FormatBound(*v.Bound, f.Unit, f.ByRatio())
	case unsure(v):
		return "not sure among " + counted(v.Claims, "claim")
	case short(v):
		return "needs " + counted(v.MoreBlocks, "block") + " more"
	}
	return verdictWord(v)
}

// longBadge is the badge where there is room for it.
func longBadge(f *finding.Finding) string {
	if v := f.Verdict; v.Kind == finding.NoDifference && v.Bound != nil {
		return "no difference > " + finding.FormatBound(*v.Bound, f.Unit, f.ByRatio())
	}
	return badge(f)
}

// unsure reports whether only the correction for several claims keeps a verdict
// from being given: the finding's own interval excludes zero.
func unsure(v finding.Verdict) bool {
	return v.Kind == finding.CannotTell && v.Budget == nil && v.Low != nil && v.Claims > 1
}

// short reports whether there are too few blocks for an interval that allows for all
// claims, however clear this one is.
func short(v finding.Verdict) bool {
	return v.Kind == finding.CannotTell && v.Budget == nil && v.Low == nil && v.MoreBlocks > 0 && v.Claims > 1
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
	percent := math.Round(*v.Budget*1e6) / 1e4
	return " " + strconv.FormatFloat(percent, 'f', -1, 64) + " %"
}

// verdictMark says the same in one character, so that no meaning hangs on colour.
func verdictMark(k finding.Kind) string {
	switch k {
	case finding.Costs:
		return "▲"
	case finding.Saves:
		return "▼"
	case finding.NoDifference:
		return "≈"
	case finding.Within:
		return "✓"
	case finding.Over:
		return "✗"
	case finding.CannotTell:
		return "?"
	case finding.Overloaded:
		return "!"
	}
	return ""
}

// verdictStyle is the colour of a verdict on a terminal.
func verdictStyle(k finding.Kind) style {
	switch k {
	case finding.Over, finding.Overloaded:
		return red
	case finding.Costs, finding.CannotTell:
		return yellow
	case finding.Saves, finding.Within:
		return green
	case finding.NoDifference:
		return dim
	}
	return plain
}
