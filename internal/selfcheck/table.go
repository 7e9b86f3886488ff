// This file lays tables and paragraphs out.

package selfcheck

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tracetax/tracetax/internal/finding"
)

// cell is one cell of a table: its text and its style.
type cell struct{ text, style string }

// table writes a line for each check. The verdict's word gives way where it is
// narrow, then the tolerance: the mark stays.
func (p *page) table(checks []Check) {
	rows := [][]cell{{{"", ""}, {"order", dim}, {"injected overhead", dim}, {"is", dim}, {"measured", dim}, {"tolerance", dim}, {"verdict", dim}}}
	for _, c := range checks {
		style := colour(c.Verdict)
		rows = append(rows, []cell{
			{mark(c.Verdict), style}, {string(c.Order), dim}, {c.Name, ""}, {c.knownText(), ""}, {c.measuredText(), ""}, {c.toleranceText(), dim}, {string(c.Verdict), style},
		})
	}
	p.grid(rows, map[int]bool{3: true, 5: true}, []int{6, 5})
}

func (c Check) knownText() string {
	switch {
	case c.Blocks == 0:
		return finding.Missing
	case c.Unit == warningUnit:
		return "given"
	case c.Unit == "count":
		return finding.FormatCount(int64(c.Known))
	case c.Exact && c.Unit == "s":
		return "≥ " + finding.FormatValue(c.Known, c.Unit)
	case c.Known == 0:
		return "0"
	}
	return finding.FormatValue(c.Known, c.Unit)
}

func (c Check) measuredText() string {
	switch {
	case c.Blocks == 0:
		return finding.Missing
	case c.Unit == warningUnit && c.Measured == 0:
		return "missing"
	case c.Unit == warningUnit:
		return "given"
	case c.Unit == "count":
		return finding.FormatCount(int64(c.Measured))
	case c.Exact:
		return finding.FormatValue(c.Measured, c.Unit)
	}
	return c.measured()
}

func (c Check) toleranceText() string {
	if c.Exact {
		return "exact"
	}
	return "±" + finding.FormatValue(c.Tolerance, c.Unit)
}

// grid writes aligned rows; columns in drop are left out, one by one, where they
// do not fit.
func (p *page) grid(rows [][]cell, right map[int]bool, drop []int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	total := 0
	for _, w := range widths {
		total += w + len(gap)
	}
	hidden := map[int]bool{}
	for _, c := range drop {
		if p.options.Width > 0 && total-len(gap) > p.options.Width {
			hidden[c] = true
			total -= widths[c] + len(gap)
		}
	}
	for _, row := range rows {
		p.row(row, widths, right, hidden)
	}
}

const gap = "  "

func (p *page) row(row []cell, widths []int, right, hidden map[int]bool) {
	var b strings.Builder
	for i, c := range row {
		if hidden[i] {
			continue
		}
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text))
		if right[i] {
			b.WriteString(pad + p.paint(c.text, c.style))
		} else {
			b.WriteString(p.paint(c.text, c.style) + pad)
		}
		b.WriteString(gap)
	}
	p.line(b.String())
}

// paragraph writes wrapped text: the first line after lead, the others indented
// to its width.
func (p *page) paragraph(lead, text, style string) {
	room := p.options.Width - utf8.RuneCountInString(lead)
	var line string
	flush := func() {
		p.line(lead + p.paint(line, style))
		lead = strings.Repeat(" ", utf8.RuneCountInString(lead))
	}
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case p.options.Width > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > max(room, 20):
			flush()
			line = word
		default:
			line += " " + word
		}
	}
	flush()
}

// Wrap wraps text in width columns, 0 is no limit: the first line after lead, the
// others indented to its width.
func Wrap(lead, text string, width int) string {
	p := page{options: Options{Width: width}}
	p.paragraph(lead, text, "")
	return p.text.String()
}

// This file says the report to a person, on a terminal of any width.

// Options say what the terminal is like. The zero value suits a pipe.
type Options struct {
	Width int  // columns; 0 is no limit
	Color bool // the caller has looked at NO_COLOR and at what the output is
}

// Terminal writes the report for a person.
func Terminal(w io.Writer, r *Report, o Options) error {
	p := page{options: o}
	p.paragraph("", r.sentence(), colour(r.Verdict))
	p.paragraph("", fmt.Sprintf("%s form · order %s · %d checks, %d of them with intervals that hold together at %.0f %%",
		r.Form, strings.Join(r.Form.orders(), " and "), len(r.Checks), r.Claims, 100*r.Confidence), dim)
	p.line("")
	p.table(r.Checks)
	p.reasons(r.Checks)
	p.floors(r.Noise)
	p.folders(r.Results)
	if _, err := io.WriteString(w, p.text.String()); err != nil {
		return fmt.Errorf("writing the report of the selfcheck: %w", err)
	}
	return nil
}

// sentence is the summary.
func (r *Report) sentence() string {
	count := map[Verdict]int{}
	for _, c := range r.Checks {
		count[c.Verdict]++
	}
	switch r.Verdict {
	case Passed:
		return "passed: tracetax finds all injected overheads on this machine"
	case Failed:
		return fmt.Sprintf("failed: %d of %d injected overheads are not found as they are. Do not trust results from this machine before the cause is known", count[Failed], len(r.Checks))
	}
	return fmt.Sprintf("inconclusive: this machine is too noisy for %d of %d checks; the others passed", count[Inconclusive], len(r.Checks))
}

// reasons says of every check that did not pass why, and how to see it alone.
func (p *page) reasons(checks []Check) {
	var alone []string
	for _, c := range checks {
		if c.Verdict == Passed {
			continue
		}
		if len(alone) == 0 {
			p.line("")
		}
		p.paragraph(mark(c.Verdict)+" ", c.Name+": "+c.Text, colour(c.Verdict))
		if command := fmt.Sprintf("tracetax run %s --order %s", c.Experiment, c.Order); !slices.Contains(alone, command) {
			alone = append(alone, command)
		}
	}
	if len(alone) > 0 {
		p.paragraph("  ", "by hand: "+strings.Join(alone, "; "), dim)
	}
}

func (p *page) folders(results []string) {
	p.line("")
	for i, folder := range results {
		lead := "         "
		if i == 0 {
			lead = "results  "
		}
		p.line(p.paint(lead, dim) + folder)
	}
}

// This file is the page that a report is written on: its lines and its colours.

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
