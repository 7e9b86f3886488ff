// The answer as text: one sentence, a table per operation, the ledger, the
// warnings, and where the rest is.

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// TerminalOptions say what the terminal is like. The zero value suits a pipe.
type TerminalOptions struct {
	Width int  // columns; 0 is no limit
	Color bool // the caller has looked at NO_COLOR and at what the output is
	All   bool // every metric and role, every ledger and warning
}

// terminal is a report being written.
type terminal struct {
	doc   *finding.Document
	opts  TerminalOptions
	brush painter
	text  strings.Builder
	noted map[string]bool // notes that have been written
}

// Terminal writes the answer for a person.
func Terminal(w io.Writer, doc *finding.Document, opts TerminalOptions) error {
	t := &terminal{doc: doc, opts: opts, brush: painter{opts.Color}, noted: map[string]bool{}}
	t.head()
	all := groups(doc)
	swept := map[string]bool{}
	whole := slices.IndexFunc(all, func(g *group) bool { return g.operation == "" })
	if whole < 0 {
		whole = len(all)
	}
	for i, g := range all {
		if i == whole {
			t.otherSearches(all)
		}
		one := levels(all, g.operation)
		switch {
		case opts.All || g.parameter == "" || one == nil:
			t.group(g)
		case !swept[g.operation]:
			swept[g.operation] = true
			t.sweep(one)
		}
	}
	if whole == len(all) {
		t.otherSearches(all)
	}
	t.sections(drivenSections(doc, opts.All))
	t.legend()
	t.otherLedgers()
	t.warnings()
	t.foot()
	if _, err := io.WriteString(w, t.text.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func (t *terminal) line(s string) { t.text.WriteString(s + "\n") }

// paragraph writes wrapped text: the first line after lead, the others indented
// to its width.
func (t *terminal) paragraph(lead, text string, s style) {
	room := 0
	if t.opts.Width > 0 {
		room = max(20, t.opts.Width-widthOf(lead))
	}
	for i, l := range wrap(visible(text), room) {
		if i == 1 {
			lead = strings.Repeat(" ", widthOf(lead))
		}
		t.line(lead + t.brush.paint(l, s))
	}
}

func (t *terminal) head() {
	e := t.doc.Experiment
	about := []string{e.Workload}
	if e.Workload == "" {
		about[0] = e.Name
	}
	if e.Load != "" {
		about = append(about, e.Load)
	}
	about = append(about, runsText(t.doc.Runs))
	if b := bannerOf(t.doc); b.Title != "" {
		t.paragraph("", b.Title, red)
		for _, text := range b.Lines {
			t.paragraph("  ", text, plain)
		}
		t.line("")
	}
	t.paragraph("", t.doc.Answer, bold)
	t.paragraph("", strings.Join(about, " · "), dim)
	for _, text := range came(t.doc) {
		t.paragraph("", text, dim)
	}
	if t.doc.Quick {
		t.paragraph("", quickText+" Run it without --quick for numbers to act on.", yellow)
	}
}

// quickText says what the figures of a quick run lack.
const quickText = "A quick run: figures only. Too few blocks for intervals and verdicts, and a short warm-up: what is not compiled yet may cost many times what it costs later."

// came says how the rate and the number of blocks came about, and what was made to
// go wrong.
func came(doc *finding.Document) []string {
	var out []string
	for _, text := range doc.Experiment.Pilot {
		out = append(out, "rate: "+text)
	}
	if doc.Experiment.Warmup != "" {
		out = append(out, "warm-up: "+doc.Experiment.Warmup)
	}
	if doc.Runs.Stopped != "" {
		out = append(out, "blocks: "+doc.Runs.Stopped)
	}
	out = append(out, leftOut(doc)...)
	out = append(out, instrumented(doc)...)
	for _, text := range doc.Experiment.Faults {
		out = append(out, "on purpose: "+text)
	}
	return out
}

// runsText counts blocks and runs: "8 blocks, 24 runs and 1 that failed". Blocks that not
// every variant has a run in are counted too, where no other is.
func runsText(r finding.Runs) string {
	text := counted(r.Blocks, "block")
	most := 0
	for _, v := range r.Variants {
		most = max(most, v.Blocks)
	}
	if r.Blocks == 0 && most > 0 {
		text = counted(most, "block") + ", none of them whole"
	}
	text += ", " + counted(r.Good, "run")
	if r.Failed > 0 {
		text += fmt.Sprintf(" and %d that failed", r.Failed)
	}
	return text
}

// counted is a number with its noun: "1 block", "2 blocks".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return finding.FormatCount(int64(n)) + " " + noun + "s"
}

// group writes one operation's tables and ledger.
func (t *terminal) group(g *group) {
	base := baseline(t.doc)
	tables := t.tables(g, base)
	if len(tables) == 0 {
		return
	}
	t.line("")
	t.title(g.title())
	for i, table := range tables {
		if i > 0 {
			t.line("")
		}
		for _, l := range table.lines(t.brush, t.opts.Width) {
			t.line(l)
		}
	}
	t.searches(g.operation, g.parameter)
	t.notes(g, func(f *finding.Finding) bool { return t.opts.All || isMain(f) })
	if g.parameter != "" || t.opts.All || levels(groups(t.doc), g.operation) == nil { // otherwise the levels have told it
		t.ledgers(g.operation)
	}
}

func (t *terminal) title(text string) {
	text = visible(text)
	if t.opts.Width > 0 {
		text = shorten(text, t.opts.Width)
	}
	t.line(t.brush.paint(text, bold))
}
