// Where the spans went.

package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

// ledgersOf has the ledgers of one operation, a line each; without empty ones, but for all of them.
func (b *brief) ledgersOf(operation string) model.Grid {
	var shown []*finding.Ledger
	for i := range b.doc.Ledgers {
		if l := &b.doc.Ledgers[i]; l.Operation == operation && (b.all || !isEmptyLedger(l)) {
			shown = append(shown, l)
		}
	}
	g := ledgerLines(b.doc, shown)
	for _, line := range answersOf(b.doc, operation) {
		g.Add(line...)
	}
	return g
}

// otherLedgers are those of starting and stopping and of operations without
// findings: all of them, or those in which something was lost.
func (b *brief) otherLedgers() []model.Section {
	with := map[string]bool{}
	for _, f := range b.doc.Findings {
		with[f.Operation] = true
	}
	byOperation := map[string][]*finding.Ledger{}
	var order []string
	for i := range b.doc.Ledgers {
		l := &b.doc.Ledgers[i]
		if with[l.Operation] || !(b.all || l.LostShare > 0) {
			continue
		}
		if byOperation[l.Operation] == nil {
			order = append(order, l.Operation)
		}
		byOperation[l.Operation] = append(byOperation[l.Operation], l)
	}
	var out []model.Section
	for _, operation := range order {
		out = append(out, model.Section{Title: operation, Grids: []model.Grid{ledgerLines(b.doc, byOperation[operation])}})
	}
	g := model.Grid{Bare: true, Columns: []model.Column{{}, {Give: true}, {Wrap: true}}}
	for _, p := range b.doc.Packets {
		g.Add(model.Cell{Text: "packets"}, model.Cell{Text: p.Variant}, packetsCell(p))
	}
	for _, p := range b.doc.Proxied {
		g.Add(model.Cell{Text: "calls"}, model.Cell{Text: p.Variant}, proxiedCell(p))
	}
	if len(g.Rows) > 0 {
		out = append(out, model.Section{Title: ledger.All, Grids: []model.Grid{g}})
	}
	return out
}

// proxiedCell returns the counts of the proxies of a variant.
func proxiedCell(p finding.Proxied) model.Cell {
	c := model.Cell{Text: wording.Proxied(p)}
	if m := p.Makes; p.Calls == nil || m != nil && (*p.Calls < m.Low || *p.Calls > m.High) {
		c.Tone = model.Doubtful
	}
	return c
}

// packetsCell returns the packets that a variant captured.
func packetsCell(p finding.Packets) model.Cell {
	c := model.Cell{Text: wording.Packets(p)}
	if p.Unreported != "" || p.DroppedShare() > 0 {
		c.Tone = model.Doubtful
	}
	return c
}

// ledgerLines has a line for each ledger.
func ledgerLines(doc *finding.Document, shown []*finding.Ledger) model.Grid {
	g := model.Grid{Bare: true, Columns: []model.Column{{}, {Give: true}, {Wrap: true}}}
	for _, l := range shown {
		text := model.Cell{Text: ledgerText(l)}
		if l.LostShare > 0 {
			text.Tone = model.Doubtful
		}
		g.Add(model.Cell{Text: "spans"}, model.Cell{Text: ledgerName(doc, l)}, text)
		for _, p := range pagesOf(l) {
			c := pageCell(p)
			c.Text = wording.Way(p) + ": " + c.Text
			g.Add(model.Cell{}, model.Cell{}, c)
		}
		if text := wording.Missing(*l); text != "" {
			g.Add(model.Cell{}, model.Cell{}, model.Cell{Text: text, Tone: model.Doubtful})
		}
	}
	return g
}

// ledgersSection has a row for each ledger.
func ledgersSection(doc *finding.Document) model.Section {
	s := model.Section{ID: "ledger", Title: "Where the spans went", Depth: model.Folded, Chart: &model.Chart{Wide: true}}
	s.Lead = wholeLead(doc)
	g := model.Grid{Stack: true, Columns: []model.Column{
		{Head: "operation"}, {Head: "variant"}, {Head: "hop"}, {Head: "operations", Right: true}, {Head: "spans", Wrap: true}, {Head: "verdict", Wrap: true},
	}}
	for i := range doc.Ledgers {
		l := &doc.Ledgers[i]
		g.Add(model.Cell{Text: parts.Operation(l.Operation)}, model.Cell{Text: l.Variant}, model.Cell{Text: l.Hop}, model.Cell{Text: operationsText(l)}, entriesCell(l), ledgerVerdict(l))
		for _, p := range pagesOf(l) {
			g.Add(model.Cell{Text: parts.Operation(l.Operation)}, model.Cell{Text: l.Variant}, model.Cell{Text: wording.Way(p)}, model.Cell{}, pageCell(p), model.Cell{})
		}
	}
	for _, p := range doc.Packets {
		g.Add(model.Cell{Text: parts.Operation(ledger.All)}, model.Cell{Text: p.Variant}, model.Cell{Text: "packets"}, model.Cell{}, packetsCell(p), model.Cell{})
	}
	for _, p := range doc.Proxied {
		g.Add(model.Cell{Text: parts.Operation(ledger.All)}, model.Cell{Text: p.Variant}, model.Cell{Text: "calls"}, model.Cell{}, proxiedCell(p), model.Cell{})
	}
	for _, a := range doc.Answers {
		g.Add(model.Cell{Text: parts.Operation(a.Operation)}, model.Cell{Text: a.Variant}, model.Cell{Text: parts.Parameter(a.Parameter)},
			model.Cell{}, model.Cell{Text: "answers " + wording.Answers(a)}, model.Cell{})
	}
	s.Grids = parts.Grids(g)
	return s
}

// isWhole reports whether all spans of a ledger came, for sure, whatever way they took: one line says all of it.
func isWhole(l *finding.Ledger) bool {
	return len(l.Outcome) == 1 && l.Outcome[0].Code == finding.PageNothingLost && l.LostShare == 0 && l.LostMost == 0 && !parts.HasBar(l) &&
		!slices.ContainsFunc(l.Pages, func(p finding.Page) bool { return p.Outcome != finding.HopWhole })
}

// pagesOf are the pages of a ledger that say more than its line does.
func pagesOf(l *finding.Ledger) []finding.Page {
	if isWhole(l) {
		return nil
	}
	return l.Pages
}

// wholeLead says of how many ledgers nothing was lost: they have a line in the table, and no bar.
func wholeLead(doc *finding.Document) []model.Cell {
	whole, all, spans := 0, 0, int64(0)
	inAll := map[string]bool{} // variants with a ledger of the whole run, which holds the others'
	for i := range doc.Ledgers {
		if l := &doc.Ledgers[i]; l.Operation == ledger.All && !isEmptyLedger(l) {
			inAll[l.Variant] = true
		}
	}
	for i := range doc.Ledgers {
		l := &doc.Ledgers[i]
		if isEmptyLedger(l) {
			continue
		}
		all++
		if isWhole(l) {
			whole++
			if inAll[l.Variant] == (l.Operation == ledger.All) {
				spans += ledger.Spans(*l, ledger.Delivered)
			}
		}
	}
	switch {
	case whole == 0:
		return nil
	case whole == all:
		return model.Texts("Nothing was lost: all " + finding.FormatCount(spans) + " spans came.")
	}
	return model.Texts(fmt.Sprintf("In %d of %d rows all spans came. Of the others, those from which spans were sampled out, dropped or lost have a bar, and those that may hide a loss a remark.", whole, all))
}

// pageCell returns the fates of spans on the way from one program to the next.
func pageCell(p finding.Page) model.Cell {
	c := model.Cell{Text: wording.Hop(p)}
	if p.Outcome != finding.HopWhole {
		c.Tone = model.Doubtful
	}
	return c
}

func operationsText(l *finding.Ledger) string {
	if l.Operations < 1<<62 {
		return finding.FormatCount(int64(l.Operations))
	}
	return strconv.FormatUint(l.Operations, 10)
}

// entriesCell has an entry for each way that spans went.
func entriesCell(l *finding.Ledger) model.Cell {
	var c model.Cell
	var texts []string
	for _, e := range shownEntries(l) {
		c.Parts = append(c.Parts, model.Part{Name: e.Text, Value: spansText(e), How: e.How})
		texts = append(texts, e.Text+" "+spansText(e))
	}
	c.Text = strings.Join(texts, " · ")
	return c
}

// ledgerVerdict returns the result of a ledger.
func ledgerVerdict(l *finding.Ledger) model.Cell {
	c := model.Cell{Text: l.Verdict}
	if text := wording.Missing(*l); text != "" {
		c.Text += "; " + text
	}
	if l.Exact && l.Verdict != "" {
		c.More = []string{"exact"}
	}
	if l.LostShare > 0 {
		c.Mark, c.Tone = "✗", model.Bad
	}
	return c
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

// shownEntries are those of any spans, and what was expected and delivered.
func shownEntries(l *finding.Ledger) []finding.Entry {
	return slices.DeleteFunc(slices.Clone(l.Entries), func(e finding.Entry) bool {
		return e.Spans == 0 && e.High == 0 && e.Name != ledger.Expected.String() && e.Name != ledger.Delivered.String()
	})
}

// ledgerText is "expected 48,000 · delivered 48,000 · nothing lost (exact)".
func ledgerText(l *finding.Ledger) string {
	var pieces []string
	if entries := entriesCell(l).Text; entries != "" {
		pieces = append(pieces, entries)
	}
	verdict := l.Verdict
	if l.Exact && verdict != "" {
		verdict += " (exact)"
	}
	if verdict != "" {
		pieces = append(pieces, verdict)
	}
	return strings.Join(pieces, " · ")
}

// spansText is an entry's number, or its interval where it is one. Fewer than none are
// missing where more came than the fewest that there could be.
func spansText(e finding.Entry) string {
	if e.Name == ledger.Unaccounted.String() && e.Low < 0 && e.High > 0 {
		return "up to " + finding.FormatCount(e.High)
	}
	if e.High > e.Low {
		return finding.FormatCount(e.Low) + " to " + finding.FormatCount(e.High)
	}
	return finding.FormatCount(e.Spans)
}

// What is said where no span came of what was to be traced: its figures are not the overhead
// of tracing.

const nothingReceived = "No spans received: this is not the overhead of tracing"

const sentElsewhere = "Spans were sent elsewhere than to the sink: differences to what sent them are not the overhead of tracing"

// alarmOf names the variants without a span, and those whose spans went elsewhere. Where that is so of all that is compared, or of some of
// it, reads differently.
func alarmOf(doc *finding.Document) model.Alarm {
	if len(doc.Untraced) == 0 && len(doc.Elsewhere) == 0 {
		return model.Alarm{}
	}
	b := model.Alarm{Title: nothingReceived}
	for _, e := range doc.Elsewhere {
		b.Lines = append(b.Lines, e.Variant+": "+finding.PlainText(e.Text))
	}
	if len(doc.Untraced) == 0 {
		b.Title = sentElsewhere
		return b
	}
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Headline && !doc.NotTracing(f) {
			b.Title = "No spans received of some of it: figures that are marked " + parts.UntracedMark + " are not the overhead of tracing"
			break
		}
	}
	for _, v := range doc.Experiment.Variants {
		if whole := doc.UntracedAt(v.Name, ""); whole != nil {
			b.Lines = append(b.Lines, causes(v.Name, whole)...)
			continue
		}
		var operations []string
		var last *finding.Untraced
		for i := range doc.Untraced {
			if u := &doc.Untraced[i]; u.Variant == v.Name {
				operations, last = append(operations, u.Operation), u
			}
		}
		if last != nil {
			b.Lines = append(b.Lines, causes(v.Name+" on "+strings.Join(operations, ", "), last)...)
		}
	}
	return b
}

// causes tell what is known of one; what is known of an operation is known of all that the
// variant did not trace.
func causes(who string, u *finding.Untraced) []string {
	if len(u.Causes) == 0 {
		return []string{who + ": nothing that was kept says why; see the process's log under logs/"}
	}
	var out []string
	for _, c := range u.Causes {
		out = append(out, who+": "+finding.PlainText(c.Text))
	}
	return out
}

// isUntraced reports whether no span came of a variant on the operation of a group.
func isUntraced(doc *finding.Document, g *Group, variant string) bool {
	return doc.IsUntraced(variant, g.Operation)
}
