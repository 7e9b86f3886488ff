// The answers by status, where several are right.

package view

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/words"
)

// answersOf has a line for each variant whose answers to an operation are counted by their status.
func answersOf(doc *finding.Document, operation string) (lines [][]model.Cell) {
	for _, a := range doc.Answers {
		if a.Operation != operation {
			continue
		}
		name := a.Variant
		if level := parts.Parameter(a.Parameter); level != "" {
			name += ", " + level
		}
		lines = append(lines, []model.Cell{{Text: "answers"}, {Text: name}, {Text: words.Answers(a)}})
	}
	return lines
}
