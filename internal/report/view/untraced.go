// What is said where no span came of what was to be traced: its figures are not the overhead
// of tracing.

package view

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

const nothingReceived = "No spans received: this is not the overhead of tracing"

const sentElsewhere = "Spans were sent elsewhere than to the sink: differences to what sent them are not the overhead of tracing"

// alarmOf says of whom no span came, and of whom spans went elsewhere. Where that is so of all that is compared, or of some of
// it, reads differently.
func alarmOf(doc *finding.Document) model.Alarm {
	if len(doc.Untraced) == 0 && len(doc.Elsewhere) == 0 {
		return model.Alarm{}
	}
	b := model.Alarm{Title: nothingReceived}
	for _, e := range doc.Elsewhere {
		b.Lines = append(b.Lines, e.Variant+": "+finding.PlainText(e.Text))
	}
	if len(doc.Untraced) == 0 {
		b.Title = sentElsewhere
		return b
	}
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Headline && !doc.NotTracing(f) {
			b.Title = "No spans received of some of it: figures that are marked " + parts.UntracedMark + " are not the overhead of tracing"
			break
		}
	}
	for _, v := range doc.Experiment.Variants {
		if whole := doc.UntracedAt(v.Name, ""); whole != nil {
			b.Lines = append(b.Lines, causes(v.Name, whole)...)
			continue
		}
		var operations []string
		var last *finding.Untraced
		for i := range doc.Untraced {
			if u := &doc.Untraced[i]; u.Variant == v.Name {
				operations, last = append(operations, u.Operation), u
			}
		}
		if last != nil {
			b.Lines = append(b.Lines, causes(v.Name+" on "+strings.Join(operations, ", "), last)...)
		}
	}
	return b
}

// causes tell what is known of one; what is known of an operation is known of all that the
// variant did not trace.
func causes(who string, u *finding.Untraced) []string {
	if len(u.Causes) == 0 {
		return []string{who + ": nothing that was kept says why; see the process's log under logs/"}
	}
	var out []string
	for _, c := range u.Causes {
		out = append(out, who+": "+finding.PlainText(c.Text))
	}
	return out
}

// isUntraced reports whether no span came of a variant on the operation of a group.
func isUntraced(doc *finding.Document, g *Group, variant string) bool {
	return doc.IsUntraced(variant, g.Operation)
}
