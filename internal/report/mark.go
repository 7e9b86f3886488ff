// The marks of variants that did less than the others: they lost spans, or held them back.

package report

import (
	"github.com/tracetax/tracetax/internal/finding"
)

// The marks, and what they say.
const (
	lossyMark  = "†"
	unsentMark = "‡"

	lossyText  = lossyMark + " lost over 1 % of its spans: what it costs is the cost of less work."
	unsentText = unsentMark + " did not send over 1 % of its spans, by a limit of the tracer's own: it does less than a variant that sends them all."
)

var marks = []struct{ mark, text string }{{lossyMark, lossyText}, {unsentMark, unsentText}}

func lossyOf(doc *finding.Document, g *group, variant string) *finding.Lossy {
	for i := range doc.Lossy {
		if l := &doc.Lossy[i]; l.Variant == variant && l.Operation == g.operation && parameterText(l.Parameter) == g.parameter {
			return l
		}
	}
	return nil
}

func unsentOf(doc *finding.Document, g *group, variant string) *finding.Unsent {
	for i := range doc.Unsent {
		if u := &doc.Unsent[i]; u.Variant == variant && u.Operation == g.operation && parameterText(u.Parameter) == g.parameter {
			return u
		}
	}
	return nil
}

// markedVariant is a variant's name, with a mark where it lost too many spans or held too
// many back.
func markedVariant(doc *finding.Document, g *group, variant string) string {
	switch {
	case lossyOf(doc, g, variant) != nil:
		return variant + " " + lossyMark
	case unsentOf(doc, g, variant) != nil:
		return variant + " " + unsentMark
	}
	return variant
}

// markedAnywhere is likewise, of any of the levels of an operation.
func markedAnywhere(doc *finding.Document, levels []*group, variant string) string {
	for _, g := range levels {
		if name := markedVariant(doc, g, variant); name != variant {
			return name
		}
	}
	return variant
}

// markedCell is likewise, and stands out.
func markedCell(doc *finding.Document, g *group, variant string) textCell {
	name := markedVariant(doc, g, variant)
	if name == variant {
		return textCell{text: visible(name)}
	}
	return textCell{visible(name), yellow}
}
