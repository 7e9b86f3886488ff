// This file is the page that a report is written on: its lines and its colours.

package selfcheck

import "strings"

// page is a report being written.
type page struct {
	options Options
	text    strings.Builder
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func colour(v Verdict) string {
	switch v {
	case Passed:
		return green
	case Failed:
		return red
	}
	return yellow
}

func mark(v Verdict) string {
	switch v {
	case Passed:
		return "✓"
	case Failed:
		return "✗"
	}
	return "?"
}

func (p *page) line(s string) { p.text.WriteString(strings.TrimRight(s, " ") + "\n") }

func (p *page) paint(text, style string) string {
	if !p.options.Color || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}
