// The tables of what each step of tracing adds, of a result and of a study.

package report

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

func studySteps(doc *finding.Study) studySection {
	s := studySection{title: "What each step of tracing adds"}
	all := make([]finding.Increment, 0, len(doc.Increments))
	for _, i := range doc.Increments {
		one := i.Increment
		one.Operation = cellLabel(one.Operation, one.Parameter)
		if len(doc.Results) > 1 {
			one.Operation = i.Workload + ", " + one.Operation
		}
		all = append(all, one)
	}
	s.grids = incrementGrids(all)
	return s
}

// incrementGrids have a row for each step, a table for each metric and operation.
func incrementGrids(all []finding.Increment) []grid {
	var out []grid
	at := map[string]int{}
	for _, i := range all {
		name := finding.MetricName(i.Metric)
		if i.Operation != "" {
			name = i.Operation + ": " + name
		}
		n, known := at[name]
		if !known {
			n = len(out)
			at[name] = n
			out = append(out, grid{caption: visible(name), columns: []column{
				{head: "tracer", give: true, drop: 3}, {head: "variant", give: true}, {head: "adds", give: true}, {head: "over", give: true, drop: 4},
				{head: "value", right: true}, {head: "difference", right: true}, {head: "(95 %)", close: true, drop: 2}, {head: "remark", drop: 1},
			}})
		}
		estimate, ends := textCell{text: finding.Missing, style: dim}, textCell{}
		if i.Absolute != nil {
			estimate, ends = intervalCells(*i.Absolute, i.Unit, false, plain)
		}
		out[n].rows = append(out[n].rows, []textCell{
			{visible(i.Tracer), dim}, {text: visible(i.Variant)}, {text: strings.Join(i.Steps, ", ")}, {visible(i.Over), dim},
			{text: finding.FormatValue(i.Value, i.Unit)}, estimate, ends, {visible(i.Note), yellow},
		})
	}
	for n := range out {
		out[n] = dropEmpty(out[n])
	}
	return out
}
