package view

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

// What a Collector takes of the cost stands beside what the application does; where one role has it all, no part is named.
func TestOtherMetricsByRole(t *testing.T) {
	one := func(variant, role string, value float64) *finding.Finding {
		return &finding.Finding{Operation: "json", Variant: variant, Against: "none", Metric: "cpu_per_operation", Role: role, Unit: "s", Value: value, Blocks: 8, Headline: role == ""}
	}
	latency := &finding.Finding{Operation: "json", Variant: "hop", Against: "none", Metric: "latency_p50", Unit: "s", Value: 1e-3, Blocks: 8}
	for name, c := range map[string]struct {
		all  []*finding.Finding
		want string
	}{
		"two roles": {[]*finding.Finding{one("direct", "", 2e-3), one("hop", "", 3e-3), one("hop", "app", 2e-3), one("hop", "collector", 1e-3), latency}, "app CPU|collector CPU|latency p50"},
		"one role":  {[]*finding.Finding{one("direct", "", 2e-3), one("hop", "", 3e-3), one("hop", "app", 3e-3), latency}, "latency p50"},
		"the sink":  {[]*finding.Finding{one("direct", "", 2e-3), one("hop", "", 3e-3), one("hop", "app", 3e-3), one("hop", "sink", 1e-3), latency}, "latency p50"},
	} {
		table := otherMetrics(&Group{Operation: "json", Findings: c.all}, "cpu_per_operation", "", "none", []string{"direct", "hop"})
		if got := strings.Join(heads(table), "|"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if name == "two roles" && (table.Rows[1].Cells[1].Text != "2.00 ms" || table.Rows[1].Cells[3].Text != "–" || table.Rows[2].Cells[3].Text != "1.00 ms") {
			t.Errorf("direct is the application's alone: %+v", table.Rows)
		}
	}
}

// heads are the heads of a table's columns that have one.
func heads(table model.Grid) []string {
	var out []string
	for _, c := range table.Columns {
		if c.Head != "" {
			out = append(out, c.Head)
		}
	}
	return out
}

// What nobody could read is missing, not zero.
func TestUnknownIsNoZero(t *testing.T) {
	f := &finding.Finding{Operation: "json", Variant: "otel", Against: "none", Metric: "cpu_per_operation", Unit: "s", Headline: true, Verdict: finding.Verdict{Kind: finding.CannotTell}}
	g := &Group{Operation: "json", Findings: []*finding.Finding{f}}
	if got := cardRow(&finding.Document{}, g, f).Values; strings.Contains(got, "0") {
		t.Errorf("the card has %q", got)
	}
	if got := figuresOf(&finding.Document{}, g, f); got.Baseline != finding.Missing || got.Value != finding.Missing {
		t.Errorf("the chart has %q and %q", got.Baseline, got.Value)
	}
}
