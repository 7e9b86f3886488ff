// Verdicts in a word or a mark, for places that have no room for the sentence.

package parts

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

// Kinds are all verdicts that say something, the worst first.
var Kinds = []finding.Kind{
	finding.Over, finding.Overloaded, finding.Costs, finding.CannotTell, finding.NoDifference, finding.Saves, finding.Within,
}

// badge is a finding's verdict in at most a few words. That no difference was
// seen is never said without the bound: a wide interval hides much.
func badge(f *finding.Finding) string {
	v := f.Verdict
	switch {
	case v.Wide(f.ByRatio()):
		return inconclusive
	case v.Kind == finding.NoDifference && v.Bound != nil:
		return "under " + finding.FormatBound(*v.Bound, f.Unit, f.ByRatio())
	case Unsure(v):
		return "not significant after correction for " + Counted(v.Claims, "comparison")
	case short(v) && f.TooWide():
		return inconclusive
	case short(v):
		return "needs " + Counted(v.MoreBlocks, "block") + " more"
	case v.Inconclusive(f.ByRatio()):
		return inconclusive
	}
	return VerdictWord(v)
}

// inconclusive is the word for an interval that is too wide to answer.
const inconclusive = "inconclusive"

// LongBadge is the badge where there is room for it.
func LongBadge(f *finding.Finding) string {
	if v := f.Verdict; v.Kind == finding.NoDifference && v.Bound != nil && !v.Wide(f.ByRatio()) {
		return "no difference > " + finding.FormatBound(*v.Bound, f.Unit, f.ByRatio())
	}
	return badge(f)
}

// Unsure reports whether only the correction for several claims keeps a verdict
// from being given: the finding's own interval excludes zero.
func Unsure(v finding.Verdict) bool {
	return v.Kind == finding.CannotTell && v.Budget == nil && v.Low != nil && v.Claims > 1
}

// short reports whether there are too few blocks for an interval that allows for all
// claims, however clear this one is.
func short(v finding.Verdict) bool {
	return v.Kind == finding.CannotTell && v.Budget == nil && v.Low == nil && v.MoreBlocks > 0 && v.Claims > 1
}

// VerdictWord is a kind of verdict in at most a few words.
func VerdictWord(v finding.Verdict) string {
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

// KindWord is what the mark of a kind of verdict stands for.
func KindWord(kind finding.Kind) string {
	if kind == finding.CannotTell {
		return inconclusive + ", or cannot tell"
	}
	return VerdictWord(finding.Verdict{Kind: kind})
}

// VerdictMark says the same in one character, so that no meaning hangs on colour.
func VerdictMark(k finding.Kind) string {
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

// ToneOf is what a verdict means to its reader.
func ToneOf(k finding.Kind) model.Tone {
	switch k {
	case finding.Over, finding.Overloaded:
		return model.Bad
	case finding.Costs:
		return model.Dear
	case finding.CannotTell:
		return model.Doubtful
	case finding.Saves:
		return model.Cheap
	case finding.Within:
		return model.Good
	case finding.NoDifference:
		return model.Same
	}
	return model.Plain
}

// VerdictCell is a finding's verdict where there is room for it and for what was remarked.
func VerdictCell(f *finding.Finding) model.Cell {
	v := f.Verdict
	text := LongBadge(f)
	kind := v.ShownKind(f.ByRatio())
	c := model.Cell{Mark: VerdictMark(kind), Text: text, Tone: ToneOf(kind), Long: ShortVerdict(v, text)}
	if short(v) && f.TooWide() {
		c.Long = inconclusive
	}
	switch v.Kind {
	case finding.NoDifference, finding.CannotTell, finding.Overloaded:
		if v.Text != "" {
			c.More = append(c.More, v.Text)
		}
	}
	if f.Note != "" {
		c.More = append(c.More, f.Note)
	}
	return c
}

// ShortVerdict is the badge where the figures beside it say the rest; where more
// blocks would settle it how many, and where there is a reason the whole of it.
func ShortVerdict(v finding.Verdict, badge string) string {
	switch {
	case v.Kind == finding.CannotTell && v.MoreBlocks > 0:
		return inconclusive + ": about " + Counted(v.MoreBlocks, "block") + " more"
	case v.Kind == finding.CannotTell, v.Kind == finding.Overloaded, v.Kind == finding.None:
		return v.Text
	}
	return badge
}

// Kept is how budgets were kept: Faint where there is none.
func Kept(kinds []finding.Kind) model.Tone {
	switch {
	case slices.Contains(kinds, finding.Over):
		return model.Bad
	case slices.ContainsFunc(kinds, func(k finding.Kind) bool { return k != finding.Within }):
		return model.Doubtful
	case len(kinds) > 0:
		return model.Good
	}
	return model.Faint
}

// Warnings, the gravest first.

// Warnings has the spoiled first and the notes last.
func Warnings(warnings []finding.Warning) []model.Warning {
	order := []string{"spoiled", "warning", "note"}
	all := slices.Clone(warnings)
	slices.SortStableFunc(all, func(a, b finding.Warning) int {
		rank := func(w finding.Warning) int {
			if w.Code == "interrupted" { // what is missing, before what is wrong with the rest
				return -1
			}
			return slices.Index(order, w.Severity)
		}
		return cmp.Compare(rank(a), rank(b))
	})
	tones := map[string]model.Tone{"spoiled": model.Bad, "note": model.Plain}
	out := make([]model.Warning, 0, len(all))
	for _, w := range all {
		tone, known := tones[w.Severity]
		if !known {
			tone = model.Doubtful
		}
		out = append(out, model.Warning{Severity: w.Severity, Tone: tone, Code: w.Code, Where: w.Where, Text: w.Text, Advice: w.Advice})
	}
	return out
}
