// This file says the report to a person, on a terminal of any width.

package selfcheck

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

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
