// Warnings, the gravest first.

package parts

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

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
