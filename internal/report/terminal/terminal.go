// Package terminal owns how a report is drawn as lines of text: their width, what gives way where it is narrow, and
// colours. It must not know what was measured.
package terminal

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/tracetax/tracetax/internal/report/model"
)

// Options say what the terminal is like. The zero value suits a pipe.
type Options struct {
	Width int  // columns; 0 is no limit
	Color bool // the caller has looked at NO_COLOR and at what the output is
	All   bool // every warning
}

// writer is a report being written.
type writer struct {
	opts  Options
	brush painter
	all   string // what shows all that is left out here
	text  strings.Builder
}

// Write draws a page for a terminal.
func Write(w io.Writer, p *model.Page, opts Options) error {
	t := &writer{opts: opts, brush: painter{opts.Color}, all: "--all"}
	if p.Results != "" { // not every command that shows a result has the flag
		t.all = "tracetax report " + model.OneLine(p.Results) + " --all"
	}
	t.head(p)
	for _, s := range p.Sections {
		t.section(s)
	}
	if below := slices.Concat(p.How.Reading, p.Marks); len(below) > 0 {
		t.line("")
		t.notes(below)
	}
	t.warnings(p.Warnings)
	t.foot(p)
	if _, err := io.WriteString(w, t.text.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// Wrap wraps text in width columns, 0 is no limit: the first line after lead, the others indented to its width.
func Wrap(lead, text string, width int) string {
	t := writer{opts: Options{Width: width}}
	t.paragraph(lead, text, plain)
	return t.text.String()
}

func (t *writer) line(s string) { t.text.WriteString(s + "\n") }

// paragraph writes wrapped text: the first line after lead, the others indented
// to its width.
func (t *writer) paragraph(lead, text string, s style) {
	room := 0
	if t.opts.Width > 0 {
		room = max(20, t.opts.Width-widthOf(lead))
	}
	for i, l := range wrap(model.OneLine(text), room) {
		if i == 1 {
			lead = strings.Repeat(" ", widthOf(lead))
		}
		t.line(lead + t.brush.paint(l, s))
	}
}

func (t *writer) head(p *model.Page) {
	if p.Alarm.Title != "" {
		t.paragraph("", p.Alarm.Title, red)
		for _, text := range p.Alarm.Lines {
			t.paragraph("  ", text, plain)
		}
		t.line("")
	}
	t.paragraph("", p.Summary, bold)
	for _, parts := range p.About {
		t.paragraph("", strings.Join(parts, " · "), dim)
	}
	for _, text := range p.Details {
		t.paragraph("", text, dim)
	}
	for _, text := range p.Notices {
		t.paragraph("", text, yellow)
	}
}

func (t *writer) section(s model.Section) {
	if t.text.Len() > 0 {
		t.line("")
	}
	if s.Title != "" {
		t.title(s.Title)
	}
	for i, g := range s.Grids {
		if i > 0 {
			t.line("")
		}
		t.grid(g)
	}
	t.notes(s.Notes)
}

func (t *writer) title(text string) {
	text = model.OneLine(text)
	if t.opts.Width > 0 {
		text = shorten(text, t.opts.Width)
	}
	t.line(t.brush.paint(text, bold))
}

// grid writes a table; one for each set of its columns where they do not fit beside each other.
func (t *writer) grid(g model.Grid) {
	for i, part := range parts(g, t.opts.Width) {
		if i > 0 {
			t.line("")
		}
		for _, l := range part.lines(t.brush, t.opts.Width) {
			t.line(l)
		}
	}
	t.bars(g.Bars)
	t.notes(g.Notes)
}

func (t *writer) notes(notes []model.Note) {
	for _, n := range notes {
		t.paragraph(indent+model.OneLine(n.Lead), n.Text, styleOf(n.Tone))
	}
}

// mostAlike bounds the shown warnings of one code, where not all are.
const mostAlike = 3

// warnings writes each warning with its advice.
func (t *writer) warnings(all []model.Warning) {
	left := map[string]int{}
	shown := map[string]int{}
	var rest []model.Warning
	for _, w := range all {
		if w.Code == "" {
			rest = append(rest, w)
			continue
		}
		if !t.opts.All && shown[w.Code] == mostAlike {
			left[w.Code]++
			continue
		}
		shown[w.Code]++
		t.warning(w)
	}
	for _, code := range slices.Sorted(maps.Keys(left)) {
		warnings := "warnings"
		if left[code] == 1 {
			warnings = "warning"
		}
		t.paragraph("  ", fmt.Sprintf("and %d more %s like it (%s); %s shows them", left[code], warnings, code, t.all), dim)
	}
	for _, w := range rest {
		t.warning(w)
	}
}

func (t *writer) warning(w model.Warning) {
	t.line("")
	mark, s := "! ", styleOf(w.Tone)
	if w.Tone == model.Plain {
		mark = "· "
	}
	text := w.Text
	if w.Where != "" {
		text = w.Where + ": " + text
	}
	t.paragraph(mark, text, s)
	t.paragraph("  ", w.Advice, dim)
	t.follows(w.Follows)
}

// follows lists below a warning what may follow from it: by its codes, or each with its text.
func (t *writer) follows(all []model.Warning) {
	if len(all) == 0 {
		return
	}
	if t.opts.All {
		t.paragraph("  ", "this may be why:", dim)
		for _, w := range all {
			text := w.Text
			if w.Where != "" {
				text = w.Where + ": " + text
			}
			t.paragraph("  - ", text, dim)
		}
		return
	}
	var codes []string
	times := map[string]int{}
	for _, w := range all {
		if times[w.Code]++; times[w.Code] == 1 {
			codes = append(codes, w.Code)
		}
	}
	for i, code := range codes {
		if times[code] > 1 {
			codes[i] += fmt.Sprintf(" (%d)", times[code])
		}
	}
	t.paragraph("  ", "this may be why: "+strings.Join(codes, ", ")+"; "+t.all+" shows them", dim)
}

// foot writes where the rest is. Commands and folders are left whole, to be copied.
func (t *writer) foot(p *model.Page) {
	if p.Results == "" && len(p.How.Repeat) == 0 {
		return
	}
	t.line("")
	if p.Results != "" {
		t.line(t.brush.paint("results  ", dim) + model.OneLine(p.Results))
		t.line(t.brush.paint("page     ", dim) + model.OneLine(filepath.Join(p.Results, "report.html")))
	}
	for i, command := range p.How.Repeat {
		lead := "         "
		if i == 0 {
			lead = "again    "
		}
		t.line(t.brush.paint(lead, dim) + model.OneLine(command))
	}
}

// Text for a terminal: cut and wrapped by the width that it takes on the screen, and coloured.

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

// units are the words that stay on the line of the number before them.
var units = []string{"%", "ns", "µs", "ms", "s", "min", "B", "kB", "MB", "GB", "points", "CPU"}

// held are the words of a text; a number and its unit are one.
func held(text string) []string {
	var words []string
	for _, word := range strings.Fields(text) {
		if last := len(words) - 1; last >= 0 && slices.Contains(units, strings.Trim(word, ".,;:()")) {
			if before := words[last]; unicode.IsDigit(rune(before[len(before)-1])) {
				words[last] += " " + word
				continue
			}
		}
		words = append(words, word)
	}
	return words
}

// wrap breaks text into lines of at most width columns, between words; a word
// that is wider stands alone. A width of 0 is no limit.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range held(text) {
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
