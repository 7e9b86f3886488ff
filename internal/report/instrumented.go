// Which libraries the tracers found in the program, as far as they say so.

package report

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// instrumented has a line for each list of libraries: "otel-python: instrumented flask,
// sqlite3", with the variants where those of one tracer differ.
func instrumented(doc *finding.Document) []string {
	type list struct {
		tracer, libraries string
		variants          []string
	}
	var lists []list
	for _, v := range doc.Experiment.Variants {
		libraries := strings.Join(v.Instrumented, ", ")
		if libraries == "" {
			continue
		}
		i := slices.IndexFunc(lists, func(l list) bool { return l.tracer == v.Tracer && l.libraries == libraries })
		if i < 0 {
			i, lists = len(lists), append(lists, list{tracer: v.Tracer, libraries: libraries})
		}
		lists[i].variants = append(lists[i].variants, v.Name)
	}
	var out []string
	for _, l := range lists {
		who := l.tracer
		if slices.ContainsFunc(lists, func(o list) bool { return o.tracer == l.tracer && o.libraries != l.libraries }) {
			who += " (" + strings.Join(l.variants, ", ") + ")"
		}
		out = append(out, who+": instrumented "+l.libraries)
	}
	return out
}
