// The forms of Markdown: tables, folds, and text from outside made harmless.

package report

import (
	"fmt"
	"io"
	"strings"
)

// markdown is a text being written.
type markdown struct{ text strings.Builder }

func (m *markdown) line(s string) { m.text.WriteString(s + "\n") }

func (m *markdown) to(w io.Writer) error {
	if _, err := io.WriteString(w, m.text.String()); err != nil {
		return fmt.Errorf("writing the Markdown: %w", err)
	}
	return nil
}

// markTable is a table: the first column is aligned to the left, others to the
// right where their head says so.
type markTable struct {
	heads []markHead
	rows  [][]string
}

type markHead struct {
	text  string
	right bool
}

func (m *markdown) table(t markTable) {
	if len(t.rows) == 0 {
		return
	}
	var heads, rules []string
	for _, h := range t.heads {
		heads = append(heads, cellText(h.text))
		rule := ":--"
		if h.right {
			rule = "--:"
		}
		rules = append(rules, rule)
	}
	m.line("")
	m.row(heads)
	m.row(rules)
	for _, row := range t.rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, cellText(c))
		}
		m.row(cells)
	}
	m.line("")
}

func (m *markdown) row(cells []string) { m.line("| " + strings.Join(cells, " | ") + " |") }

// details folds what content writes away; it writes nothing where content does.
func (m *markdown) details(summary string, content func()) {
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

// cellText makes text from outside fit for one cell or line: what Markdown or HTML
// would take for its own is escaped, also the @ that would call somebody.
func cellText(s string) string {
	var b strings.Builder
	for _, r := range visible(s) {
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
		return cellText(code)
	}
	return "`" + code + "`"
}
