// Markdown for a pull request: the verdict first, a compact table, and the rest
// folded away. It is made for GitHub's renderer.

package report

import (
	"io"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Markdown writes the answer for a pull request.
func Markdown(w io.Writer, doc *finding.Document) error {
	m := &markdown{}
	m.banner(bannerOf(doc))
	m.line(statusMark(budgetKinds(doc)) + " **" + cellText(doc.Answer) + "**")
	m.line("")
	base := baseline(doc)
	e := doc.Experiment
	m.line(cellText(strings.Join([]string{e.Workload, e.Load, runsText(doc.Runs), "against " + base}, " · ")))
	if doc.Quick {
		m.line("")
		m.line(quickText)
	}
	m.table(headlineTable(doc, base))
	m.apart(doc)
	if jointly(doc) {
		m.line(jointText)
		m.line("")
	}
	m.warnings(doc.Warnings, failures(doc))
	m.details("All figures", func() {
		for _, g := range groups(doc) {
			m.line("**" + cellText(g.title()) + "**")
			m.table(allTable(doc, g))
		}
	})
	m.details("Where the spans went", func() { m.ledgers(doc) })
	m.details("How to repeat it", func() { m.repeat(doc) })
	return m.to(w)
}

// banner says of whom no span came, before everything else.
func (m *markdown) banner(b banner) {
	if b.Title == "" {
		return
	}
	m.line("⛔ **" + cellText(b.Title) + "**")
	m.line("")
	for _, text := range b.Lines {
		m.line("- " + cellText(text))
	}
	m.line("")
}

// apart says what the mark of a variant means, and who lost how much.
func (m *markdown) apart(doc *finding.Document) {
	if len(doc.Untraced) > 0 {
		m.line(untracedText)
		m.line("")
	}
	if len(doc.Unsent) > 0 {
		m.line(unsentText)
		m.line("")
	}
	if len(doc.Lossy) == 0 {
		return
	}
	m.line(lossyText)
	m.line("")
	m.details("Who lost spans, and where", func() {
		m.grid(dropEmpty(apartTable(doc.Lossy)))
	})
}

// headlineTable has a row for each operation and variant: the headline, and every
// metric with a budget; those that lost too many spans below the others.
func headlineTable(doc *finding.Document, base string) markTable {
	t := markTable{heads: []markHead{{"", false}, {"metric", false}, {base, true}, {"with tracing", true}, {"difference", true}, {"verdict", false}}}
	for _, g := range groups(doc) {
		var lossy [][]string
		for _, f := range g.findings {
			if f.Against != base || !f.Headline && f.Verdict.Budget == nil {
				continue
			}
			difference := shownDifference(f)
			if doc.NotTracing(f) { // which stands in the table of all figures
				difference = finding.Missing
			}
			row := []string{g.title() + ", " + markedVariant(doc, g, f.Variant), label(f), shownValue(f, f.Baseline), shownValue(f, f.Value), difference, markVerdict(f)}
			if lossyOf(doc, g, f.Variant) != nil {
				lossy = append(lossy, row)
				continue
			}
			t.rows = append(t.rows, row)
		}
		t.rows = append(t.rows, lossy...)
	}
	return t
}

// allTable has a row for each finding of a group.
func allTable(doc *finding.Document, g *group) markTable {
	t := markTable{heads: []markHead{{"metric", false}, {"variant", false}, {"over", false}, {"its value", true}, {"value", true}, {"difference", true}, {"verdict", false}}}
	for _, f := range g.findings {
		t.rows = append(t.rows, []string{label(f), markedUntraced(doc, g, f.Variant), markedUntraced(doc, g, f.Against), shownValue(f, f.Baseline), shownValue(f, f.Value), shownDifference(f), markVerdict(f)})
	}
	return t
}

// shownValue is a value, missing where nothing was measured.
func shownValue(f *finding.Finding, v float64) string {
	if f.Blocks == 0 {
		return finding.Missing
	}
	return finding.FormatValue(v, f.Unit)
}

func shownDifference(f *finding.Finding) string {
	if i := f.Shown(); i != nil {
		return finding.FormatInterval(*i, f.Unit, f.ByRatio())
	}
	return finding.Missing
}

// markVerdict is the verdict with its mark.
func markVerdict(f *finding.Finding) string {
	return strings.TrimSpace(verdictMark(f.Verdict.Kind) + " " + shortVerdict(f.Verdict, longBadge(f)))
}

// shortVerdict is the badge where the figures beside it say the rest; where more
// blocks would settle it how many, and where there is a reason the whole of it.
func shortVerdict(v finding.Verdict, badge string) string {
	switch {
	case v.Kind == finding.CannotTell && v.MoreBlocks > 0:
		return "cannot tell yet: about " + counted(v.MoreBlocks, "block") + " more"
	case v.Kind == finding.CannotTell, v.Kind == finding.Overloaded, v.Kind == finding.None:
		return v.Text
	}
	return badge
}

// warnings lists the warnings, notes folded away.
func (m *markdown) warnings(all []finding.Warning, failed []string) {
	sorted := sortedWarnings(&finding.Document{Warnings: all})
	grave := slices.DeleteFunc(slices.Clone(sorted), func(w finding.Warning) bool { return w.Severity == "note" })
	for _, w := range grave {
		m.line("- ⚠ " + warningText(w))
	}
	for _, text := range failed {
		m.line("- ⚠ " + cellText(text))
	}
	if len(grave)+len(failed) > 0 {
		m.line("")
	}
	m.details("Notes", func() {
		for _, w := range sorted {
			if w.Severity == "note" {
				m.line("- " + warningText(w))
			}
		}
	})
}

func warningText(w finding.Warning) string {
	text := w.Text
	if w.Where != "" {
		text = w.Where + ": " + text
	}
	if w.Advice != "" {
		text += " – " + w.Advice
	}
	return cellText(text) + " (" + codeText(w.Code) + ")"
}

func (m *markdown) ledgers(doc *finding.Document) {
	t := markTable{heads: []markHead{{"operation", false}, {"variant", false}, {"spans", false}}}
	for i := range doc.Ledgers {
		if l := &doc.Ledgers[i]; !isEmptyLedger(l) {
			t.rows = append(t.rows, []string{operationLabel(l.Operation), ledgerName(doc, l), withPages(ledgerText(l), l)})
		}
	}
	m.table(t)
}

// repeat writes the commands as code, behind a fence that none of them holds.
func (m *markdown) repeat(doc *finding.Document) {
	if len(doc.Repeat) == 0 {
		return
	}
	fence := "```"
	for strings.Contains(strings.Join(doc.Repeat, "\n"), fence) {
		fence += "`"
	}
	m.line(fence + "sh")
	for _, command := range doc.Repeat {
		m.line(visible(command))
	}
	m.line(fence)
}

// budgetKinds are the verdicts against a budget.
func budgetKinds(doc *finding.Document) []finding.Kind {
	var kinds []finding.Kind
	for _, f := range doc.Findings {
		if f.Verdict.Budget != nil {
			kinds = append(kinds, f.Verdict.Kind)
		}
	}
	return kinds
}

// statusMark is how the budget was kept, in a character.
func statusMark(kinds []finding.Kind) string {
	switch {
	case slices.Contains(kinds, finding.Over):
		return "❌"
	case slices.ContainsFunc(kinds, func(k finding.Kind) bool { return k != finding.Within }):
		return "❔"
	case len(kinds) > 0:
		return "✅"
	}
	return "ℹ️"
}
