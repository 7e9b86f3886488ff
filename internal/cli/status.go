package cli

// This file says with which exit status a result ends, and whose missing spans are why.

import (
	"fmt"
	"io"
	"strings"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/finding"
)

// statusOf is the exit status that a result calls for: its verdicts against a budget, and
// whether spans came of all that was to be traced. Of neither nothing is concluded where the
// status is 4.
func statusOf(doc *finding.Document) int {
	status := console.Fine
	if len(doc.Untraced)+len(doc.Elsewhere) > 0 {
		status = console.Inconclusive
	}
	for _, one := range doc.Findings {
		if one.Verdict.Budget == nil {
			continue
		}
		switch one.Verdict.Kind {
		case finding.Over:
			return console.OverBudget
		case finding.CannotTell, finding.Overloaded:
			status = console.Inconclusive
		}
	}
	return status
}

// tellUntraced says of whom no span came, and of whom spans went elsewhere, which is why the exit status is 4.
func tellUntraced(to io.Writer, doc *finding.Document) {
	for _, e := range doc.Elsewhere {
		complain(to, fmt.Errorf("%s sent spans elsewhere than to the sink: what was measured of it is not the overhead of tracing (exit status %d): %s", e.Variant, console.Inconclusive, e.Text))
	}
	for _, v := range doc.Experiment.Variants {
		who := ""
		var operations []string
		for _, u := range doc.Untraced {
			if u.Variant == v.Name && u.Operation != "" {
				operations = append(operations, u.Operation)
			}
		}
		switch {
		case doc.IsUntraced(v.Name, ""):
			who = v.Name
		case len(operations) > 0:
			who = v.Name + " on " + strings.Join(operations, ", ")
		default:
			continue
		}
		complain(to, fmt.Errorf("no spans received of %s: what was measured of it is not the overhead of tracing (exit status %d)", who, console.Inconclusive))
	}
}
