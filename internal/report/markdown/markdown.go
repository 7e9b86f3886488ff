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
	if p.More != "" {
		m.line(escaped(p.More))
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

// reading says how to read the figures.
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

// status is how the budgets were kept, in a character; nothing where nobody asks for it.
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
