package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/wording"
)

// Beside a verdict stands the interval that it was read off, or none: a change's own is narrower.
func TestShownChange(t *testing.T) {
	low, high, estimate := 0.01, 0.05, 0.03
	wideLow, wideHigh := -0.01, 0.07
	own := &finding.Interval{Estimate: estimate, Low: &low, High: &high}
	for name, c := range map[string]struct {
		verdict finding.Verdict
		low     *float64
	}{
		"no verdict":         {finding.Verdict{}, &low},
		"a corrected one":    {finding.Verdict{Kind: finding.Costs, Estimate: &estimate, Low: &wideLow, High: &wideHigh}, &wideLow},
		"none that it is of": {finding.Verdict{Kind: finding.CannotTell}, nil},
	} {
		got := shownChange(&finding.Change{Relative: own, Verdict: c.verdict})
		if got == nil || got.Estimate != estimate || (got.Low == nil) != (c.low == nil) || got.Low != nil && *got.Low != *c.low {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Ratios and amounts do not share an axis: a block that used nothing leaves its variant without a ratio.
func TestBarsOfOneKind(t *testing.T) {
	low, high := 0.1, 0.3
	size := &finding.Interval{Estimate: 0.2, Low: &low, High: &high}
	for _, b := range []struct {
		relative *finding.Interval
		drawn    bool
	}{{size, true}, {nil, false}} {
		var g Group
		for _, f := range []finding.Finding{{Variant: "a", Absolute: size, Relative: size}, {Variant: "b", Absolute: size, Relative: b.relative}} {
			f.Metric, f.Against, f.Unit = "cpu_per_operation", "none", "s"
			g.Findings = append(g.Findings, &f)
		}
		if got := bars(&finding.Document{}, &g, "cpu_per_operation", "", "none", []string{"a", "b"}); (got != nil) != b.drawn {
			t.Errorf("%+v", got)
		}
	}
}

// The figures of a row are in one unit, with as many decimals.
func TestCostsAlike(t *testing.T) {
	within := func(v, half float64) *finding.Interval {
		low, high := v-half, v+half
		return &finding.Interval{Estimate: v, Low: &low, High: &high}
	}
	change := func(before, after *finding.Interval) *finding.Change {
		return &finding.Change{Of: finding.OfCost, Unit: "s", Before: finding.Cost{Absolute: before, Blocks: 8}, After: finding.Cost{Absolute: after, Blocks: 8}}
	}
	one := change(within(400e-6, 120e-6), within(438e-6, 9e-6))
	other := change(one.Before.Absolute, within(1.4e-3, 120e-6))
	before, after := changeRow{first: one, change: []*finding.Change{one, nil, other}}.costs()
	if got := strings.Join(append([]string{before}, after...), " | "); got != "+0.40 ms | +0.44 ms | – | +1.40 ms" {
		t.Errorf("got %s", got)
	}
}

// What has no verdict shows its own interval, and that is said once under the table.
func TestOwnIntervalIsSaid(t *testing.T) {
	low, high := 0.01, 0.05
	own := &finding.Interval{Estimate: 0.03, Low: &low, High: &high}
	for name, c := range map[string]struct {
		change finding.Change
		said   bool
	}{
		"judged":       {finding.Change{Of: finding.OfCost, Relative: own, Verdict: finding.Verdict{Kind: finding.CannotTell}}, false},
		"not judged":   {finding.Change{Of: finding.OfCost, Relative: own}, true},
		"the baseline": {finding.Change{Of: finding.OfBaseline, Relative: own}, false},
		"no interval":  {finding.Change{Of: finding.OfCost, Relative: &finding.Interval{Estimate: 0.03}}, false},
	} {
		g := &changeGroup{changes: []*finding.Change{&c.change, &c.change}}
		if got := g.notes(); (len(got) == 1) != c.said || len(got) > 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRunsText(t *testing.T) {
	of := func(blocks int) []finding.VariantRuns { return []finding.VariantRuns{{Blocks: blocks}, {}} }
	for want, runs := range map[string]finding.Runs{
		"8 blocks, 24 runs":                                              {Blocks: 8, Good: 24, Variants: of(8)},
		"1 block, 2 runs and 1 that failed":                              {Blocks: 1, Good: 2, Failed: 1, Variants: of(1)},
		"2 blocks, none of them whole, 4 runs and 4 that failed":         {Good: 4, Failed: 4, Variants: of(2)},
		"0 blocks, 1 run":                                                {Good: 1},
		"1 block, 2 runs and 1 that failed, each with 3 load generators": {Blocks: 1, Good: 2, Failed: 1, Generators: 3, Variants: of(1)},
		"40 blocks on 5 nodes, 80 runs":                                  {Blocks: 40, Nodes: 5, Good: 80, Variants: of(40)},
	} {
		if got := runsText(runs); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A result of pods names its nodes, and says nothing of commands that profile programs of this machine.
func TestResultOfPods(t *testing.T) {
	doc := &finding.Document{Results: "out", Environment: map[string]any{
		"accounting": "cgroup v2", "cpu_model": "Xeon", "nodes": []any{map[string]any{"name": "n1"}, map[string]any{"name": "n2"}},
	}}
	if about := strings.Join(about(doc), " · "); !strings.HasSuffix(about, "in pods of n1, n2") {
		t.Error(about)
	}
	if where := Where(doc); !strings.Contains(where, "in pods of a cluster, on n1, n2; CPU by cgroup v2; Xeon") {
		t.Error(where)
	}
	doc.Experiment.Variants = []finding.Variant{{Name: "none"}, {Name: "otel", Tracer: "otel-java"}}
	way := &finding.Decision{Whole: "otel"}
	if notes := cheaper(doc, way); notes != nil {
		t.Errorf("in pods: %v", notes)
	}
	if doc.Environment = nil; cheaper(doc, way) == nil {
		t.Error("on this machine nothing is said of explain")
	}
}

func TestInstrumented(t *testing.T) {
	one, two := []string{"flask", "sqlite3"}, []string{"flask"}
	for name, test := range map[string]struct {
		variants []finding.Variant
		want     []string
	}{
		"nobody tells": {[]finding.Variant{{Name: "none", Tracer: "none"}, {Name: "otel", Tracer: "otel-java"}}, nil},
		"all the same": {[]finding.Variant{{Name: "a", Tracer: "otel-python", Instrumented: one}, {Name: "b", Tracer: "otel-python", Instrumented: one}},
			[]string{"otel-python: instrumented flask, sqlite3"}},
		"not all": {[]finding.Variant{{Name: "a", Tracer: "otel-python", Instrumented: two, Missed: []string{"redis"}}, {Name: "b", Tracer: "x", Missed: []string{"redis"}}},
			[]string{"otel-python: instrumented flask; not redis", "x: instrumented nothing; not redis"}},
		"they differ": {[]finding.Variant{{Name: "a", Tracer: "otel-python", Instrumented: one}, {Name: "b", Tracer: "otel-python", Instrumented: two}, {Name: "c", Tracer: "otel-python", Instrumented: one}},
			[]string{"otel-python (a, c): instrumented flask, sqlite3", "otel-python (b): instrumented flask"}},
	} {
		doc := &finding.Document{Experiment: finding.Experiment{Variants: test.variants}}
		if diff := cmp.Diff(test.want, instrumented(doc)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(test.want, came(doc)); diff != "" {
			t.Errorf("%s: it is not among what is told of the experiment\n%s", name, diff)
		}
	}
}

// ledgerOf is a ledger of spans that came over a collector, some of them dropped there.
func ledgerOf(dropped int64) finding.Ledger {
	l := finding.Ledger{
		Operation: "json", Variant: "otel", Hop: "app → sink", Operations: 1000, Exact: true, Outcome: []finding.Reason{{Code: finding.PageNothingLost}},
		Entries: []finding.Entry{ledger.Entry(ledger.Expected, 1000, "inferred"), ledger.Entry(ledger.DroppedOnWay, dropped, "counted"), ledger.Entry(ledger.Delivered, 1000-dropped, "counted")},
		Pages:   []finding.Page{{From: finding.PageApp, To: "collector", Received: 1000, Outcome: finding.HopWhole}, {From: "collector", To: finding.PageSink, Received: 1000 - dropped, Outcome: finding.HopWhole}},
	}
	if dropped > 0 {
		l.LostShare = float64(dropped) / 1000
		l.Outcome = []finding.Reason{{Code: finding.PageLost, Figures: []finding.Figure{{Name: "share", Value: l.LostShare, Unit: "1"}, {Name: "dropped-on-way", Value: float64(dropped), Unit: "count"}}}}
		l.Pages[1].Outcome = finding.HopLost
	}
	all := []finding.Ledger{l}
	wording.FillLedgers(all)
	return all[0]
}

// wholeRuns adds to ledgers those of the whole runs, one a variant, which hold them.
func wholeRuns(parts ...finding.Ledger) []finding.Ledger {
	all := parts
	for i, l := range parts {
		all[i].Variant = fmt.Sprintf("otel-%d", i)
		l.Variant, l.Operation = all[i].Variant, ledger.All
		all = append(all, l)
	}
	return all
}

// A ledger without loss is one line, whatever hops its spans passed; one with loss has a line for each.
func TestLedgerWithoutLossIsOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		ledgers []finding.Ledger
		rows    int
		lead    string
		bars    []int
	}{
		"nothing lost": {[]finding.Ledger{ledgerOf(0), ledgerOf(0)}, 2, "Nothing was lost: all 2,000 spans came.", []int{}},
		"some lost":    {[]finding.Ledger{ledgerOf(0), ledgerOf(7)}, 4, "In 1 of 2 rows all spans came. Of the others, those from which spans were sampled out, dropped or lost have a bar, and those that may hide a loss a remark.", []int{1}},
		"whole runs":   {wholeRuns(ledgerOf(0), ledgerOf(0)), 4, "Nothing was lost: all 2,000 spans came.", []int{}},
		"lost in all":  {[]finding.Ledger{ledgerOf(7)}, 3, "", []int{0}},
		"none":         {nil, 0, "", []int{}},
	} {
		doc := &finding.Document{Ledgers: c.ledgers}
		s := ledgersSection(doc)
		rows, lead := 0, ""
		if len(s.Grids) > 0 {
			rows = len(s.Grids[0].Rows)
		}
		if len(s.Lead) > 0 {
			lead = s.Lead[0].Text
		}
		if rows != c.rows || lead != c.lead {
			t.Errorf("%s: %d rows below %q, want %d below %q", name, rows, lead, c.rows, c.lead)
		}
		var all []*finding.Ledger
		for i := range doc.Ledgers {
			all = append(all, &doc.Ledgers[i])
		}
		if got := len(ledgerLines(doc, all).Rows); got != c.rows {
			t.Errorf("%s, in a terminal: %d lines, want %d", name, got, c.rows)
		}
		bars := chartsOf(doc).Bars
		if len(bars) != len(c.bars) || len(bars) > 0 && bars[0] != c.bars[0] {
			t.Errorf("%s: bars of %v, want %v", name, bars, c.bars)
		}
	}
}

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

// What a Collector takes of the cost stands beside what the application does; where one role has it all, no part is named.
func TestOtherMetricsByRole(t *testing.T) {
	one := func(variant, role string, value finding.Number) *finding.Finding {
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
		table := otherMetrics(&Group{Operation: "json", Findings: c.all}, "cpu_per_operation", "", "none", []string{"direct", "hop"}, false)
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

// The card of a figure that the sentence on top calls unknown shows no other one.
func TestCardOfTheUnknown(t *testing.T) {
	low, high := 0.8, 1.0
	f := finding.Finding{Operation: "json", Variant: "otel", Against: "none", Metric: "cpu_per_operation", Unit: "s", Headline: true, Blocks: 8, Baseline: 1e-4, Value: 1.89e-4,
		Relative: &finding.Interval{Estimate: 0.89, Low: &low, High: &high}, Absolute: &finding.Interval{Estimate: 0.89e-4},
		Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 1, Reasons: []finding.Reason{{Code: finding.WhyOverloaded, Variant: "otel"}}}}
	doc := &finding.Document{Experiment: finding.Experiment{Operations: []string{"json"}, Variants: []finding.Variant{{Name: "none"}, {Name: "otel"}}}, Findings: []finding.Finding{f}}
	row := (&deck{doc: doc}).cards()[0].Rows[0]
	if row.Big != "unknown" || row.Ends != "" {
		t.Errorf("%q %q", row.Big, row.Ends)
	}
	doc.Findings[0].Verdict = finding.Verdict{Kind: finding.Costs, Low: &low, High: &high, Claims: 1}
	if row := (&deck{doc: doc}).cards()[0].Rows[0]; row.Big == "unknown" || row.Ends == "" {
		t.Errorf("what is known: %q %q", row.Big, row.Ends)
	}
}
