// What stands below the figures: warnings, and how to repeat them.

package markdown

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/report/model"
)

// warnings lists the warnings, notes folded away.
func (m *writer) warnings(all []model.Warning) {
	isNote := func(w model.Warning) bool { return w.Tone == model.Plain }
	grave := slices.DeleteFunc(slices.Clone(all), isNote)
	for _, w := range grave {
		m.line("- ⚠ " + warningText(w))
	}
	if len(grave) > 0 {
		m.line("")
	}
	m.details("Notes", func() {
		for _, w := range all {
			if isNote(w) {
				m.line("- " + warningText(w))
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
