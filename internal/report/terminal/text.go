// Text for a terminal: cut and wrapped by the width that it takes on the screen, and coloured.

package terminal

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tracetax/tracetax/internal/report/model"
)

// style is a way to set a piece of text off; the zero value is plain.
type style string

// The styles, as the parameters of the SGR control sequence.
const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	green  style = "32"
	yellow style = "33"
	red    style = "31"
)

// styles are the colours of the tones.
var styles = map[model.Tone]style{
	model.Strong: bold, model.Faint: dim, model.Good: green, model.Bad: red,
	model.Dear: yellow, model.Cheap: green, model.Same: dim, model.Doubtful: yellow,
}

func styleOf(tone model.Tone) style { return styles[tone] }

// painter applies styles, or leaves them out.
type painter struct{ color bool }

func (p painter) paint(text string, s style) string {
	if !p.color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// widthOf is the number of columns that s takes.
func widthOf(s string) int { return displaywidth.String(s) }

// shorten cuts s to at most width columns, out of its middle: names of a kind
// often differ at their ends.
func shorten(s string, width int) string {
	if widthOf(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	var graphemes []string
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		graphemes = append(graphemes, g.Value())
	}
	head, tail := "", ""
	room := width - 1
	for i, j := 0, len(graphemes)-1; i <= j; {
		next := graphemes[i]
		front := widthOf(head) <= widthOf(tail)
		if !front {
			next = graphemes[j]
		}
		if widthOf(next) > room {
			break
		}
		room -= widthOf(next)
		if front {
			head, i = head+next, i+1
		} else {
			tail, j = next+tail, j-1
		}
	}
	return head + "…" + tail
}

// wrap breaks text into lines of at most width columns, between words; a word
// that is wider stands alone. A width of 0 is no limit.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case width > 0 && widthOf(line)+1+widthOf(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
