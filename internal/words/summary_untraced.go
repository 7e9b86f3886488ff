// This file keeps figures out of the summary that are not what tracing costs, because no span
// came, and says of whom.

package words

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// tracedHeads are the headlines without those of which no span came on a side, or went elsewhere.
func tracedHeads(doc *finding.Document, heads []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(heads), func(f finding.Finding) bool { return doc.NotTracing(&f) })
}

// untracedNames are the variants of which no span came of any operation, or of some.
func untracedNames(doc *finding.Document) []string {
	var out []string
	for _, v := range doc.Experiment.Variants {
		var operations []string
		for _, u := range doc.Untraced {
			if u.Variant == v.Name && u.Operation != "" {
				operations = append(operations, u.Operation)
			}
		}
		switch {
		case doc.IsUntraced(v.Name, ""):
			out = append(out, v.Name)
		case len(operations) > 0:
			out = append(out, v.Name+" on "+listed(operations))
		}
	}
	return out
}

// untracedClause says of whom no span came, and of whom spans went elsewhere; nothing where all came of all.
func untracedClause(doc *finding.Document) []string {
	names, elsewhere := untracedNames(doc), elsewhereNames(doc)
	there := " there"
	if len(tracedHeads(doc, headlines(doc.Findings))) == 0 {
		there = ""
	}
	var out []string
	if len(names) > 0 {
		out = append(out, "no span came with "+FewNames(names)+", so that what tracing costs"+there+" cannot be told")
	}
	if len(elsewhere) > 0 {
		out = append(out, FewNames(elsewhere)+" sent spans elsewhere than to the sink, so that what tracing costs"+there+" cannot be told")
	}
	return out
}

// elsewhereNames are the variants that sent spans elsewhere than to the sink.
func elsewhereNames(doc *finding.Document) []string {
	var out []string
	for _, v := range doc.Experiment.Variants {
		if doc.IsElsewhere(v.Name) {
			out = append(out, v.Name)
		}
	}
	return out
}
