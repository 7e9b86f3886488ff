// This file says what became of the spans: in the summary, and where they were lost.

package wording

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// lossClauses name the variants that lost the most spans, may have lost them, or suppressed some by their own limit.
func lossClauses(doc *finding.Document) []string {
	var lost, unknown, suppressed worst
	for _, l := range doc.Lossy {
		lost.add(l.Variant, l.LostShare)
	}
	for _, l := range doc.LossUnknown {
		if doc.Lost(l.Operation, nil, l.Variant) == nil && !doc.IsUntraced(l.Variant, l.Operation) {
			unknown.add(l.Variant, l.LostMost)
		}
	}
	for _, l := range doc.Suppressed {
		suppressed.add(l.Variant, l.Share)
	}
	return slices.Concat(lost.clause("lost", "lost up to", ""), unknown.clause("may have lost up to", "may have lost up to", ""), suppressed.clause("suppressed", "suppressed up to", " by its own limit"))
}

// worst is the largest share of spans of some variants.
type worst struct {
	names []string
	share float64
	of    int
}

func (w *worst) add(variant string, share float64) {
	if w.of++; !slices.Contains(w.names, variant) {
		w.names = append(w.names, variant)
	}
	w.share = max(w.share, share)
}

// clause is "otel lost 5.08 % of the spans"; nothing where there is none.
func (w *worst) clause(once, often, how string) []string {
	switch w.of {
	case 0:
		return nil
	case 1:
		often = once
	}
	return []string{FewNames(w.names) + " " + often + " " + finding.FormatValue(w.share, "1") + " of the spans" + how}
}

// untracedNames are the variants without a span of any operation, or of some.
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

// untracedClause names the variants without a span, and those whose spans went elsewhere; nothing if there is none.
func untracedClause(doc *finding.Document, others bool) []string {
	names, elsewhere := untracedNames(doc), elsewhereNames(doc)
	cannot := ", so the cost of tracing is unknown"
	if others {
		cannot = ", so the cost of tracing there is unknown"
	}
	var out []string
	if len(names) > 0 {
		out = append(out, "no span came with "+FewNames(names)+cannot)
	}
	if len(elsewhere) > 0 {
		out = append(out, FewNames(elsewhere)+" sent spans elsewhere"+cannot)
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

// Place returns the place where spans were lost.
func Place(place string) string {
	switch place {
	case finding.LostByLimit:
		return "by the tracer's own limit"
	case finding.LostInQueue:
		return "in the tracer's queue"
	case finding.LostInStream:
		return "in the stream to the receiver"
	case finding.LostAtStop:
		return "at the stop"
	case finding.LostOnWay:
		return "at a hop on the way"
	case finding.LostAtSink:
		return "at the receiver"
	}
	return "nobody reports where"
}

// Places are the shares that were lost, each with its place.
func Places(where []finding.LostAt) string {
	var places []string
	for _, p := range where {
		places = append(places, finding.FormatValue(p.Share, "1")+" "+Place(p.Place))
	}
	return strings.Join(places, ", ")
}

// Lost returns the number of lost spans, and the place.
func Lost(l finding.Lossy) string {
	text := finding.FormatValue(l.LostShare, "1") + " of the spans lost"
	if l.Part != "" {
		text += " " + l.Part
	}
	if l.Part == "" || len(l.Where) > 0 {
		text += ": " + Places(l.Where)
	}
	return text
}
