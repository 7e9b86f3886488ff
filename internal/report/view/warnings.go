// What the harness has to say against itself.

package view

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// warnings are those of a result, the gravest first, then the runs that failed and the blocks left out.
func warnings(doc *finding.Document) []model.Warning {
	all := parts.Warnings(doc.Warnings)
	for _, text := range failures(doc) {
		all = append(all, model.Warning{Severity: "failed run", Tone: model.Bad, Text: text})
	}
	for _, text := range doc.Runs.Dropped {
		all = append(all, model.Warning{Severity: "block left out", Tone: model.Doubtful, Text: text})
	}
	return all
}

// failures are the runs that failed. A cause that the summary tells is not told
// again: it can be long.
func failures(doc *finding.Document) []string {
	out := make([]string, 0, len(doc.Runs.Failure))
	for _, text := range doc.Runs.Failure {
		where, cause, _ := strings.Cut(text, ": ")
		cause = strings.TrimRight(strings.TrimSpace(cause), ".: ")
		if cause != "" && strings.Contains(doc.FullSummary, cause) {
			text = where + ": as said at the top"
		}
		out = append(out, finding.PlainText(text))
	}
	return out
}
