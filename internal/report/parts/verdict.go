// Verdicts as cells, marks and tones.

package parts

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/wording"
)

// Kinds are all verdicts that say something, the worst first.
var Kinds = []finding.Kind{
	finding.Over, finding.Overloaded, finding.Costs, finding.CannotTell, finding.NoDifference, finding.Saves, finding.Within,
}

// VerdictMark returns a verdict's kind as one character: no meaning depends on colour.
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

// ToneOf returns the meaning of a verdict for its reader.
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
	c := model.Cell{Mark: VerdictMark(kind), Text: wording.LongBadge(f), Tone: ToneOf(kind), Long: wording.LongVerdict(f)}
	for _, text := range []string{wording.Remark(f), f.Note} {
		if text != "" {
			c.More = append(c.More, text)
		}
	}
	return c
}

// Kept returns how budgets were kept: Faint where there is none.
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

// gravity is the order of severities.
var gravity = []string{"spoiled", "warning", "note"}

// Warnings has the spoiled first and the notes last, and below each what may follow from it: that is as grave as the gravest of
// these.
func Warnings(warnings []finding.Warning) []model.Warning {
	below := map[string][]finding.Warning{}
	var first []finding.Warning
	for _, w := range warnings {
		if w.From == "" {
			first = append(first, w)
			continue
		}
		below[w.From] = append(below[w.From], w)
	}
	seen := map[string]bool{} // of several warnings with a code, what follows is below the first
	out := make([]model.Warning, 0, len(first))
	ranks := map[string]int{}
	for _, w := range first {
		one := warning(w)
		rank := slices.Index(gravity, w.Severity)
		if w.Code == "interrupted" { // what is missing, before what is wrong with the rest
			rank = -1
		}
		if !seen[w.Code] {
			for _, f := range below[w.Code] {
				one.Follows = append(one.Follows, warning(f))
				if is := slices.Index(gravity, f.Severity); is < slices.Index(gravity, w.Severity) {
					one.Tone, rank = warning(f).Tone, min(rank, is)
				}
			}
		}
		seen[w.Code] = true
		if before, known := ranks[w.Code]; !known || rank < before {
			ranks[w.Code] = rank
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b model.Warning) int {
		return cmp.Or(cmp.Compare(ranks[a.Code], ranks[b.Code]), cmp.Compare(min(1, len(b.Follows)), min(1, len(a.Follows))))
	})
	return out
}

func warning(w finding.Warning) model.Warning {
	tone, known := map[string]model.Tone{"spoiled": model.Bad, "note": model.Plain}[w.Severity]
	if !known {
		tone = model.Doubtful
	}
	return model.Warning{Severity: w.Severity, Tone: tone, Code: w.Code, Where: w.Where, Text: w.Text, Advice: w.Advice}
}
