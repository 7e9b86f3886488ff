// The tables of what each step of tracing adds, of a result and of a replication.

package parts

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

// StepGrids have a row for each step, a table for each metric and operation.
func StepGrids(all []finding.Increment) []model.Grid {
	var out []model.Grid
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
			out = append(out, model.Grid{Caption: name, Columns: []model.Column{
				{Head: "tracer", Give: true, Drop: 3}, {Head: "variant", Give: true}, {Head: "adds", Give: true}, {Head: "over", Give: true, Drop: 4},
				{Head: "value", Right: true}, {Head: "difference", Right: true}, {Head: "(95 %)", Close: true, Drop: 2}, {Head: "remark", Drop: 1},
			}})
		}
		estimate, ends := Missing, model.Cell{}
		if i.Absolute != nil {
			estimate, ends = Interval(*i.Absolute, i.Unit, false, model.Plain)
		}
		out[n].Add([]model.Cell{
			{Text: i.Tracer, Tone: model.Faint}, {Text: i.Variant}, {Text: strings.Join(i.Steps, ", ")}, {Text: i.Over, Tone: model.Faint},
			{Text: finding.FormatValue(i.Value, i.Unit)}, estimate, ends, {Text: i.Note, Tone: model.Doubtful},
		}...)
	}
	for n := range out {
		out[n] = out[n].DropEmpty()
	}
	return out
}
