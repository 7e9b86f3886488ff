// Where the spans went, and what the harness has to say against itself, in
// lines of text.

package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// ledgers writes the ledgers of one operation, a line each.
func (t *terminal) ledgers(operation string) {
	var shown []*finding.Ledger
	for i := range t.doc.Ledgers {
		if l := &t.doc.Ledgers[i]; l.Operation == operation && (t.opts.All || !isEmptyLedger(l)) {
			shown = append(shown, l)
		}
	}
	if len(shown) == 0 {
		return
	}
	t.line("")
	t.ledgerLines(shown)
}

func (t *terminal) ledgerLines(shown []*finding.Ledger) {
	names := make([]string, len(shown))
	width := 0
	for i, l := range shown {
		names[i] = shorten(visible(ledgerName(t.doc, l)), 28)
		width = max(width, widthOf(names[i]))
	}
	for i, l := range shown {
		lead := indent + "spans  " + names[i] + strings.Repeat(" ", width-widthOf(names[i])) + "  "
		s := plain
		if l.LostShare > 0 {
			s = yellow
		}
		t.paragraph(lead, ledgerText(l), s)
	}
}

// otherLedgers writes those of starting and stopping and of operations without
// findings: all of them with All, otherwise those in which something was lost.
func (t *terminal) otherLedgers() {
	with := map[string]bool{}
	for _, f := range t.doc.Findings {
		with[f.Operation] = true
	}
	byOperation := map[string][]*finding.Ledger{}
	var order []string
	for i := range t.doc.Ledgers {
		l := &t.doc.Ledgers[i]
		if with[l.Operation] || !(t.opts.All || l.LostShare > 0) {
			continue
		}
		if byOperation[l.Operation] == nil {
			order = append(order, l.Operation)
		}
		byOperation[l.Operation] = append(byOperation[l.Operation], l)
	}
	for _, operation := range order {
		t.line("")
		t.title(operation)
		t.ledgerLines(byOperation[operation])
	}
}

// ledgerName is the variant, and the hop where the document has several.
func ledgerName(doc *finding.Document, l *finding.Ledger) string {
	for _, other := range doc.Ledgers {
		if other.Hop != l.Hop {
			return l.Variant + ", " + l.Hop
		}
	}
	return l.Variant
}

// isEmptyLedger reports whether no span was expected and none came.
func isEmptyLedger(l *finding.Ledger) bool {
	return !slices.ContainsFunc(l.Entries, func(e finding.Entry) bool { return e.Spans != 0 || e.High != 0 })
}

// ledgerText is "expected 48,000 · delivered 48,000 · nothing lost (exact)".
// Entries of zero spans are left out, but for what was expected and delivered.
func ledgerText(l *finding.Ledger) string {
	var parts []string
	for _, e := range l.Entries {
		if e.Spans == 0 && e.High == 0 && e.Name != ledger.Expected && e.Name != ledger.Delivered {
			continue
		}
		parts = append(parts, e.Text+" "+spansText(e))
	}
	verdict := l.Verdict
	if l.Exact && verdict != "" {
		verdict += " (exact)"
	}
	if verdict != "" {
		parts = append(parts, verdict)
	}
	return strings.Join(parts, " · ")
}

// spansText is an entry's number, or its interval where it is one. Fewer than none are
// missing where more came than the fewest that there could be.
func spansText(e finding.Entry) string {
	if e.Name == ledger.Unaccounted && e.Low < 0 && e.High > 0 {
		return "up to " + finding.FormatCount(e.High)
	}
	if e.High > e.Low {
		return finding.FormatCount(e.Low) + " to " + finding.FormatCount(e.High)
	}
	return finding.FormatCount(e.Spans)
}

// mostAlike is how many warnings of one code are shown in the short report.
const mostAlike = 3

// warnings writes each warning with its advice, the gravest first.
func (t *terminal) warnings() {
	left := map[string]int{}
	shown := map[string]int{}
	for _, w := range sortedWarnings(t.doc) {
		if !t.opts.All && shown[w.Code] == mostAlike {
			left[w.Code]++
			continue
		}
		shown[w.Code]++
		t.line("")
		mark, s := "! ", yellow
		if w.Severity == "note" {
			mark, s = "· ", plain
		}
		if w.Severity == "spoiled" {
			s = red
		}
		text := w.Text
		if w.Where != "" {
			text = w.Where + ": " + text
		}
		t.paragraph(mark, text, s)
		t.paragraph("  ", w.Advice, dim)
	}
	for _, code := range slices.Sorted(maps.Keys(left)) {
		t.paragraph("  ", "and "+counted(left[code], "more warning")+" like it ("+code+"); --all shows them", dim)
	}
	t.failures()
}

func (t *terminal) failures() {
	for _, text := range slices.Concat(failures(t.doc), t.doc.Runs.Dropped) {
		t.line("")
		t.paragraph("! ", text, plain)
	}
}

// failures are the runs that failed. A cause that the answer tells is not told
// again: it can be long.
func failures(doc *finding.Document) []string {
	out := make([]string, 0, len(doc.Runs.Failure))
	for _, text := range doc.Runs.Failure {
		where, cause, _ := strings.Cut(text, ": ")
		cause = strings.TrimRight(strings.TrimSpace(cause), ".: ")
		if cause != "" && strings.Contains(doc.Answer, cause) {
			text = where + ": as said at the top"
		}
		out = append(out, finding.PlainText(text))
	}
	return out
}

// sortedWarnings has the spoiled first and the notes last.
func sortedWarnings(doc *finding.Document) []finding.Warning {
	order := []string{"spoiled", "warning", "note"}
	all := slices.Clone(doc.Warnings)
	slices.SortStableFunc(all, func(a, b finding.Warning) int {
		rank := func(w finding.Warning) int {
			if w.Code == "interrupted" { // what is missing, before what is wrong with the rest
				return -1
			}
			return slices.Index(order, w.Severity)
		}
		return cmp.Compare(rank(a), rank(b))
	})
	return all
}

// grave counts the warnings that are more than notes.
func grave(doc *finding.Document) int {
	n := 0
	for _, w := range doc.Warnings {
		if w.Severity != "note" {
			n++
		}
	}
	return n
}
