// What pictures are made of: texts, signs, the legend, the style in light and dark.

package main

import (
	"fmt"
	"html"
	"strings"
)

// All lengths are in pixels of a picture that is as wide as width. Texts are large enough for one of 400.
const (
	width, margin = 640, 12
	barHigh       = 13
)

// theme are the colours of a picture. Those of the results page have the names that page.css gives them.
type theme struct {
	paper, ink, soft, line string
	colours                []string // c0 to c10 of the page, and a pale one
}

var light = theme{"#fcfcfa", "#1c2024", "#5b6570", "#dfe2e4", []string{
	"#6b7680", "#0872b2", "#bf2c17", "#00845b", "#9c2982", "#ab8100", "#7044c3", "#b93d47", "#0c95aa", "#4b6911", "#6d4125", "#aab3ba",
}}

var dark = theme{"#14171a", "#e8eaec", "#9da7b1", "#31373d", []string{
	"#98a3ad", "#53a0d6", "#d77429", "#0c9c79", "#c064ac", "#cbb21d", "#a399ff", "#d85566", "#33c3d9", "#94bf51", "#cd9a6f", "#5b6670",
}}

// shapes are the rules that both themes share.
const shapes = `.title{font-size:17px;font-weight:bold}.note{font-size:13.5px}.panel{font-size:15px;font-weight:bold}
.group{font-size:14px;font-weight:bold}.name{font-size:14px}.tick{font-size:13px;text-anchor:middle}
.bar rect{fill:currentColor;fill-opacity:.45}.lossy rect{fill-opacity:.2}.part{fill:currentColor;fill-opacity:.75}
.bar path{stroke:currentColor;stroke-width:1.8;fill:none}.whole{stroke-width:1.8;fill:none}.mark{stroke-width:1.5}`

func (t theme) rules() string {
	s := fmt.Sprintf(".paper,.mark{fill:%s}text{fill:%s}.note,.tick{fill:%s}.grid{stroke:%s}.zero,.whole,.mark{stroke:%s}\n",
		t.paper, t.ink, t.soft, t.line, t.ink)
	for i, colour := range t.colours {
		s += fmt.Sprintf(".c%d{color:%s}", i, colour)
	}
	return s
}

// drawing is a picture as far as it is drawn: down to y.
type drawing struct {
	title string
	out   strings.Builder
	y     float64
}

func newDrawing(title string, says []string) *drawing {
	d := &drawing{title: title, y: 4}
	d.lines("title", 22, 58, title)
	d.y += 3
	for _, note := range says {
		d.lines("note", 18, 88, note)
	}
	d.y += 8
	return d
}

// lines writes a text in lines of at most so many characters.
func (d *drawing) lines(class string, high float64, most int, s string) {
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && len([]rune(line+" "+word)) > most {
			d.y += high
			d.text(class, margin, d.y, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	d.y += high
	d.text(class, margin, d.y, line)
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

// text writes a line of text from x on, or around x if its class says it; y is its foot.
func (d *drawing) text(class string, x, y float64, s string) {
	d.put(`<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, html.EscapeString(s))
}

// box is a bar, or a part of a stack, from one place to another around y.
func box(attributes string, from, to, y float64) string {
	return fmt.Sprintf(`<rect%s x="%.1f" y="%.1f" width="%.1f" height="%d"/>`,
		attributes, min(from, to), y-barHigh/2., max(from, to)-min(from, to), barHigh)
}

// whiskers are an interval around y.
func whiskers(attributes string, low, high, y float64) string {
	return fmt.Sprintf(`<path%s d="M%.1f %.1fH%.1fM%.1f %.1fv10M%.1f %.1fv10"/>`, attributes, low, y, high, low, y-5, high, y-5)
}

// mark draws the hollow sign of a published figure: a diamond for the first series, a square for others.
func (d *drawing) mark(attributes string, x, y float64, series int) {
	shape := "M0-6L6 0L0 6L-6 0Z"
	if series > 0 {
		shape = "M-5-5H5V5H-5Z"
	}
	d.put(`<path class="mark"%s transform="translate(%.1f %.1f)" d="%s"/>`, attributes, x, y, shape)
}

// legend draws signs with what they mean, in as many lines as they need. Each is drawn from x on, around y.
func (d *drawing) legend(says []string, draw func(i int, x, y float64)) {
	x := float64(margin)
	d.y += 12
	for i, s := range says {
		wide := 34 + 7.7*float64(len([]rune(s)))
		if x > margin && x+wide > width-margin {
			x, d.y = margin, d.y+21
		}
		draw(i, x, d.y)
		d.text("note", x+34, d.y+4.5, s)
		x += wide + 16
	}
	d.y += 14
}

// document is the picture as a file. Its style follows what the reader prefers.
func (d *drawing) document() string {
	const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%[1]d" height="%.0[2]f" role="img"`
	return fmt.Sprintf(head+` font-family="sans-serif">
<title>%s</title>
<style>
%s
%s
@media (prefers-color-scheme:dark){
%s
}
</style>
<rect class="paper" width="100%%" height="100%%"/>
%s</svg>
`, width, d.y, html.EscapeString(d.title), shapes, light.rules(), dark.rules(), d.out.String())
}
