package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/finding"
)

// The table of variants says by what way spans go, and where to; where none goes another way it has no such columns.
func TestVariantsNameTheirWay(t *testing.T) {
	doc := &finding.Document{Experiment: finding.Experiment{Variants: []finding.Variant{
		{Name: "none", Tracer: "none"}, {Name: "straight", Tracer: "otel-go"},
		{Name: "far", Tracer: "otel-go", Via: []string{"agent", "collector"}, To: "jaeger"},
	}}}
	rows := func(doc *finding.Document) [][]string {
		g := variantsTable(doc)
		var out [][]string
		head := []string{}
		for _, c := range g.Columns {
			head = append(head, c.Head)
		}
		out = append(out, head)
		for _, row := range g.Rows {
			var cells []string
			for _, c := range row.Cells {
				cells = append(cells, c.Text)
			}
			out = append(out, cells)
		}
		return out
	}
	want := [][]string{
		{"variant", "tracer", "via", "to", "against"},
		{"none", "none", "", "", "the baseline"}, {"straight", "otel-go", "", "sink", ""}, {"far", "otel-go", "agent → collector", "jaeger", ""},
	}
	if diff := cmp.Diff(want, rows(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	doc.Experiment.Variants = doc.Experiment.Variants[:2]
	if diff := cmp.Diff([]string{"variant", "tracer", "against"}, rows(doc)[0]); diff != "" {
		t.Errorf("without another way (-want +got):\n%s", diff)
	}
}
