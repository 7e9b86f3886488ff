// The forms of Markdown: tables, folds, and text from outside made harmless.

package markdown

import (
	"strings"

	"github.com/tracetax/tracetax/internal/report/model"
)

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
	m.line("<details><summary>" + summary + "</summary>")
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
