// Package markdown owns how a report is drawn as Markdown, for a pull request or a page of documentation: the verdict
// first, a compact table, and the rest folded away. It is made for GitHub's renderer. It must not know what was measured.
package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/report/model"
)

// Write draws a page as Markdown.
func Write(w io.Writer, p *model.Page) error {
	m := &writer{}
	m.alarm(p.Alarm)
	m.line(strings.TrimSpace(status(p.Kept) + " **" + escaped(p.Summary) + "**"))
	m.line("")
	for _, text := range p.Answers {
		m.line(escaped(text))
		m.line("")
	}
	m.about(p)
	m.grid(p.Headline)
	for _, n := range p.Marks {
		m.line(escaped(n.Text))
		m.line("")
	}
	for _, s := range p.Sections {
		if s.Depth == model.Shown {
			m.section(s)
		}
	}
	m.reading(p.How)
	m.warnings(p.Warnings)
	for _, s := range p.Sections {
		if s.Depth != model.Shown {
			m.fold(s)
		}
	}
	m.details("How to repeat it", func() { m.repeat(p.How.Repeat) })
	if _, err := io.WriteString(w, m.text.String()); err != nil {
		return fmt.Errorf("writing the Markdown: %w", err)
	}
	return nil
}

// alarm stands before everything else.
func (m *writer) alarm(a model.Alarm) {
	if a.Title == "" {
		return
	}
	m.line("⛔ **" + escaped(a.Title) + "**")
	m.line("")
	m.list(a.Lines)
	m.line("")
}

func (m *writer) list(texts []string) {
	for _, text := range texts {
		m.line("- " + escaped(text))
	}
}

// about is a line, or a list where there is more than one.
func (m *writer) about(p *model.Page) {
	var lines []string
	for _, parts := range p.About {
		lines = append(lines, strings.Join(parts, " · "))
	}
	if len(lines) == 1 {
		m.line(escaped(lines[0]))
		m.line("")
		lines = nil
	}
	m.list(slices.Concat(lines, p.Details))
	for _, text := range p.Notices {
		m.line("")
		m.line(escaped(text))
	}
}

// section is open to everybody.
func (m *writer) section(s model.Section) {
	if len(s.Grids) == 0 {
		return // a chart alone
	}
	m.line("")
	if s.Title != "" {
		m.line("### " + escaped(s.Title))
	}
	m.inside(s)
}

// fold is a section that is folded away.
func (m *writer) fold(s model.Section) {
	m.details(escaped(s.Title), func() {
		if len(s.Grids) > 0 {
			m.inside(s)
		}
	})
}

// inside are a section's tables and notes. What is said of a chart has no place here.
func (m *writer) inside(s model.Section) {
	if s.Chart == nil && len(s.Lead) > 0 {
		m.line(escaped(sentence(s.Lead)))
	}
	for _, g := range s.Grids {
		if g.Fold == model.Closed && s.Depth == model.Shown {
			m.details(escaped(named(g.Caption, g.Remark)), func() { m.table(g) })
		} else {
			m.grid(g)
		}
		m.notes(g.Notes)
	}
	m.notes(s.Notes)
}

func named(caption, remark string) string {
	if remark == "" {
		return caption
	}
	return caption + ": " + remark
}

func sentence(pieces []model.Cell) string {
	var b strings.Builder
	for _, c := range pieces {
		b.WriteString(c.Text)
	}
	return b.String()
}

func (m *writer) notes(notes []model.Note) {
	for _, n := range notes {
		m.line("- " + escaped(n.Lead+n.Text))
	}
}

// reading writes how to read the figures.
func (m *writer) reading(h model.How) {
	if len(h.Reading) == 0 {
		return
	}
	m.line("")
	if h.Title != "" {
		m.line("### " + escaped(h.Title))
		m.line("")
		m.notes(h.Reading)
	} else {
		for _, n := range h.Reading {
			m.line(escaped(n.Text))
		}
	}
	m.line("")
}

// status returns how the budgets were kept, in a character; nothing where that is no question.
func status(kept model.Tone) string {
	switch kept {
	case model.Good:
		return "✅"
	case model.Bad:
		return "❌"
	case model.Doubtful:
		return "❔"
	case model.Faint:
		return "ℹ️"
	}
	return ""
}

// The forms of Markdown: tables, folds, and text from outside made harmless.

// writer is a text being written.
type writer struct{ text strings.Builder }

// line writes a line; two blank ones never follow each other.
func (m *writer) line(s string) {
	if s == "" && (m.text.Len() == 0 || strings.HasSuffix(m.text.String(), "\n\n")) {
		return
	}
	m.text.WriteString(s + "\n")
}

// grid is a table below its caption. A caption without a remark is the head of the names.
func (m *writer) grid(g model.Grid) {
	if len(g.Columns) > 0 && g.Columns[0].Head == "" && g.Remark == "" {
		g.Columns = append([]model.Column{g.Columns[0]}, g.Columns[1:]...)
		g.Columns[0].Head, g.Caption = g.Caption, ""
	}
	if g.Caption != "" && len(g.Rows) > 0 {
		text := "**" + escaped(g.Caption) + "**"
		if g.Remark != "" {
			text += " – " + escaped(g.Remark)
		}
		m.line("")
		m.line(text)
	}
	m.table(g)
}

// table is a table alone: figures aligned to the right. What belongs to the column before goes into it.
func (m *writer) table(g model.Grid) {
	if len(g.Rows) == 0 {
		return
	}
	var heads, rules []string
	for i, c := range g.Columns {
		if c.Close && i > 0 {
			heads[len(heads)-1] = strings.TrimSpace(heads[len(heads)-1] + " " + escaped(c.Head))
			continue
		}
		rule := ":--"
		if c.Right {
			rule = "--:"
		}
		heads, rules = append(heads, escaped(c.Head)), append(rules, rule)
	}
	m.line("")
	m.row(heads)
	m.row(rules)
	for _, row := range g.Rows {
		var cells []string
		for i, c := range row.Cells {
			text := escaped(cellText(c))
			if g.Columns[i].Close && i > 0 {
				cells[len(cells)-1] = strings.TrimSpace(cells[len(cells)-1] + " " + text)
				continue
			}
			cells = append(cells, text)
		}
		m.row(cells)
	}
	m.line("")
}

// cellText is a cell with its mark, at its longest.
func cellText(c model.Cell) string {
	text := c.Text
	if c.Long != "" {
		text = c.Long
	} else if len(c.More) > 0 {
		text += " (" + strings.Join(c.More, "; ") + ")"
	}
	return strings.TrimSpace(c.Mark + " " + text)
}

func (m *writer) row(cells []string) { m.line("| " + strings.Join(cells, " | ") + " |") }

// details folds what content writes away; it writes nothing where content does.
func (m *writer) details(summary string, content func()) {
	before := m.text.String()
	m.text.Reset()
	content()
	inside := m.text.String()
	m.text.Reset()
	m.text.WriteString(before)
	if strings.TrimSpace(inside) == "" {
		return
	}
	m.line("<details><summary>" + model.Held(summary) + "</summary>")
	m.line("") // without it GitHub takes what follows for HTML
	m.text.WriteString(strings.Trim(inside, "\n") + "\n")
	m.line("")
	m.line("</details>")
	m.line("")
}

// escaped makes text from outside fit for one cell or line: what Markdown or HTML
// would take for its own is escaped, also the @ that would call somebody.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range model.OneLine(s) {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@':
			b.WriteString("&#64;")
		case '#':
			b.WriteString("&#35;")
		case '\\', '`', '*', '_', '[', ']', '|', '~', '!', '$':
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(b.String(), "://", ":&#47;&#47;")
}

// codeText is a word of tracetax's own, set as code; a word from elsewhere is not.
func codeText(code string) string {
	if strings.Trim(code, "abcdefghijklmnopqrstuvwxyz-0123456789") != "" {
		return escaped(code)
	}
	return "`" + code + "`"
}

// What stands below the figures: warnings, and how to repeat them.

// warnings lists the warnings, notes folded away.
func (m *writer) warnings(all []model.Warning) {
	isNote := func(w model.Warning) bool { return w.Tone == model.Plain }
	grave := slices.DeleteFunc(slices.Clone(all), isNote)
	for _, w := range grave {
		m.line("- ⚠ " + warningText(w))
		for _, f := range w.Follows {
			m.line("  - " + warningText(f))
		}
	}
	if len(grave) > 0 {
		m.line("")
	}
	m.details("Notes", func() {
		for _, w := range all {
			if isNote(w) {
				m.line("- " + warningText(w))
				for _, f := range w.Follows {
					m.line("  - " + warningText(f))
				}
			}
		}
	})
}

func warningText(w model.Warning) string {
	text := w.Text
	if w.Where != "" {
		text = w.Where + ": " + text
	}
	if w.Advice != "" {
		text += " – " + w.Advice
	}
	if w.Code == "" {
		return escaped(text)
	}
	return escaped(text) + " (" + codeText(w.Code) + ")"
}

// repeat writes the commands as code, behind a fence that none of them holds.
func (m *writer) repeat(commands []string) {
	if len(commands) == 0 {
		return
	}
	fence := "```"
	for strings.Contains(strings.Join(commands, "\n"), fence) {
		fence += "`"
	}
	m.line(fence + "sh")
	for _, command := range commands {
		m.line(model.OneLine(command))
	}
	m.line(fence)
}
