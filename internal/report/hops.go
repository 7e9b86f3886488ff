// The account of spans hop by hop, where they pass through programs on their way to the sink.

package report

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// pageTexts are the pages of a ledger, each in a line.
func pageTexts(l *finding.Ledger) []string {
	var out []string
	for _, p := range l.Pages {
		out = append(out, words.Page(p))
	}
	return out
}

// withPages is what a ledger comes to, and then its pages, in one text.
func withPages(text string, l *finding.Ledger) string {
	return strings.Join(append([]string{text}, pageTexts(l)...), " · ")
}
