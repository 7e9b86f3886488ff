// Verdicts as cells, marks and tones.

package parts

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/words"
)

// Kinds are all verdicts that say something, the worst first.
var Kinds = []finding.Kind{
	finding.Over, finding.Overloaded, finding.Costs, finding.CannotTell, finding.NoDifference, finding.Saves, finding.Within,
}

// VerdictMark says the same in one character, so no meaning hangs on colour.
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
	kind := f.Verdict.ShownKind(f.ByRatio())
	c := model.Cell{Mark: VerdictMark(kind), Text: words.LongBadge(f), Tone: ToneOf(kind), Long: words.LongVerdict(f)}
	for _, text := range []string{words.Remark(f), f.Note} {
		if text != "" {
			c.More = append(c.More, text)
		}
	}
	return c
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
