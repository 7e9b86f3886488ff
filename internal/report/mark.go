// The marks of variants that did less than the others: they lost spans, held them back, or
// sent none at all.

package report

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// The marks, and what they say.
const (
	lossyMark    = "†"
	unsentMark   = "‡"
	untracedMark = "∅"

	lossyText  = lossyMark + " lost over 1 % of its spans: what it costs is the cost of less work."
	unsentText = unsentMark + " did not send over 1 % of its spans, by a limit of the tracer's own: it does less than a variant that sends them all."

	untracedText = untracedMark + " no span came: what it costs here is not the overhead of tracing."
)

var marks = []struct{ mark, text string }{{untracedMark, untracedText}, {lossyMark, lossyText}, {unsentMark, unsentText}}

// lossyOf is what a variant lost on the operation of a group at its level; of a group of
// lines over all levels, at the worst. It is nil where that is under 1 %.
func lossyOf(doc *finding.Document, g *group, variant string) *finding.Lossy {
	return doc.Lost(g.operation, parameters(g), variant)
}

func isUnsent(doc *finding.Document, g *group, variant string) bool {
	return slices.ContainsFunc(doc.Unsent, func(u finding.Unsent) bool {
		return u.Variant == variant && u.Operation == g.operation && (g.parameter == "" || parameterText(u.Parameter) == g.parameter)
	})
}

// markedVariant is a variant's name, with a mark where none of its spans came, where it lost too
// many of them, or held too many back.
func markedVariant(doc *finding.Document, g *group, variant string) string {
	switch {
	case isUntraced(doc, g, variant):
		return variant + " " + untracedMark
	case lossyOf(doc, g, variant) != nil:
		return variant + " " + lossyMark
	case isUnsent(doc, g, variant):
		return variant + " " + unsentMark
	}
	return variant
}

// markedAnywhere is likewise, of any of the levels of an operation.
func markedAnywhere(doc *finding.Document, levels []*group, variant string) string {
	return markedVariant(doc, &group{operation: levels[0].operation}, variant)
}

// markedCell is likewise, and stands out.
func markedCell(doc *finding.Document, g *group, variant string) textCell {
	name := markedVariant(doc, g, variant)
	if name == variant {
		return textCell{text: visible(name)}
	}
	return textCell{visible(name), yellow}
}
