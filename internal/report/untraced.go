// What is said where no span came of what was to be traced: its figures are not the overhead
// of tracing.

package report

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// banner is what stands before everything else; the zero value is nothing.
type banner struct {
	Title string
	Lines []string // whose spans did not come, and what is known of why
}

const nothingReceived = "No spans received: this is not the overhead of tracing"

// bannerOf says of whom no span came. Where that is so of all that is compared, or of some of
// it, reads differently.
func bannerOf(doc *finding.Document) banner {
	if len(doc.Untraced) == 0 {
		return banner{}
	}
	b := banner{Title: nothingReceived}
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Headline && !doc.NotTracing(f) {
			b.Title = "No spans received of some of it: figures that are marked " + untracedMark + " are not the overhead of tracing"
			break
		}
	}
	for _, v := range doc.Experiment.Variants {
		if whole := doc.UntracedAt(v.Name, ""); whole != nil {
			b.add(v.Name, whole)
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
			b.add(v.Name+" on "+strings.Join(operations, ", "), last)
		}
	}
	return b
}

// add tells what is known of one; what is known of an operation is known of all that the
// variant did not trace.
func (b *banner) add(who string, u *finding.Untraced) {
	if len(u.Causes) == 0 {
		b.Lines = append(b.Lines, who+": nothing that was kept says why; see the process's log under logs/")
		return
	}
	for _, c := range u.Causes {
		b.Lines = append(b.Lines, who+": "+finding.PlainText(c.Text))
	}
}

// isUntraced reports whether no span came of a variant on the operation of a group.
func isUntraced(doc *finding.Document, g *group, variant string) bool {
	return doc.IsUntraced(variant, g.operation)
}

// markedUntraced is a variant's name, with a mark where none of its spans came.
func markedUntraced(doc *finding.Document, g *group, variant string) string {
	if isUntraced(doc, g, variant) {
		return variant + " " + untracedMark
	}
	return variant
}
