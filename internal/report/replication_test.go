// Replications and self-driving workloads, as they are shown.

package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/study"
	"github.com/tracetax/tracetax/internal/study/view"
)

// driven is a result of method calls in saturation: two agents, one of which throws
// spans away.
func driven() *finding.Document {
	s := small
	s.operations = []string{"call"}
	s.variants = []finding.Variant{{Name: "none", Tracer: "none"}, {Name: "otel", Tracer: "otel-java"}, {Name: "kieker", Tracer: "kieker-java"}, {Name: "scout", Tracer: "scouter-java"}}
	doc := s.make()
	doc.Curves, doc.Findings = nil, nil
	for v, name := range []string{"otel", "kieker", "scout"} {
		for _, m := range []struct {
			metric, unit string
			base, value  float64
		}{
			{"time_per_call", "s", 200e-9, []float64{4.2e-6, 1.3e-6, 300e-9}[v]}, {"cpu_per_operation", "s", 190e-9, []float64{4.6e-6, 1.5e-6, 310e-9}[v]},
			{"blocked_time", "s", 10e-9, 40e-9}, {"delivered_share", "1", 0, []float64{1, 1, 0.1}[v]}, {"delivered_rate", "1/s", 0, []float64{2.4e6, 7.1e6, 3e6}[v]},
			{"gc_count", "count", 3, 40}, {"heap_peak", "bytes", 21e6, 90e6},
		} {
			f := finding.Finding{Operation: "call", Variant: name, Against: "none", Metric: m.metric, Unit: m.unit, Better: "lower", Blocks: 8, Headline: m.metric == "time_per_call"}
			for b := 1; b <= 8; b++ {
				noise := 1 + 0.004*float64(b%5-2)
				f.Samples = append(f.Samples, finding.Sample{Block: b, Baseline: m.base * noise, Value: m.value * noise})
			}
			s.estimate(&f)
			doc.Findings = append(doc.Findings, f)
		}
	}
	low, high := 790e-9, 815e-9
	doc.Summary = "On calls/java, tracing with kieker costs 1.10 µs per call, +550 % (548 to 552), on call; excluded from the ranking, because they lost spans: scout."
	doc.Lossy = []finding.Lossy{{Operation: "call", Variant: "scout", LostShare: 0.9, Spans: 72e6, Metric: "time_per_call", Cost: &finding.Interval{Estimate: 0.5, Low: number0(0.48), High: number0(0.53)}, Where: []finding.LostAt{{Place: finding.LostInQueue, Spans: 64e6, Share: 0.8}, {Place: finding.LostNowhere, Spans: 8e6, Share: 0.1}}}}
	doc.Increments = []finding.Increment{{
		Operation: "call", Tracer: "otel-java", Steps: []string{"queue", "writing"}, Variant: "otel", Over: "otel-probe", Metric: "time_per_call", Unit: "s",
		Before: 3.4e-6, Value: 4.2e-6, Absolute: &finding.Interval{Estimate: 800e-9, Low: &low, High: &high}, Blocks: 8,
	}}
	doc.Experiment.LeftOut = []finding.LeftOut{{Variant: "inspectit", Reason: "its artefacts cannot be had"}}
	return doc
}

// sampleReplication is two workloads beside a published one.
func sampleReplication() *study.Replication {
	i := func(estimate, low, high float64) *finding.Interval {
		return &finding.Interval{Estimate: estimate, Low: &low, High: &high}
	}
	yes, no, zero, published := true, false, 0.0, 0.05
	doc := &study.Replication{
		Schema: study.Schema, Tool: "0.1.0-dev", Name: "requests", Summary: "Of 2 claims 1 confirmed (MF1), 1 cannot be told (MF2).",
		Results: []study.Result{{Workload: "requests/flask", Load: "75 % of the app's CPU", Blocks: 8, Results: "results/flask"}, {Workload: "requests/<b>go", Blocks: 8, Results: "results/go"}},
		Series:  []study.Series{{Name: "published", Source: "A. Author, A study, 2025"}, {Name: "published, raw-log mean", Source: "A. Author, A study, 2025", Note: "raw-log mean"}},
		Claims: []study.ClaimResult{
			{Claim: finding.Claim{Name: "MF1", Text: "Every framework is slower.", Metric: "capacity", Below: &zero}, Kind: study.Confirmed, Said: "all 2 intervals lie below 0 %",
				Figures: []study.ClaimFigure{{Workload: "requests/flask", Operation: "json", Variant: "otel", Interval: i(-0.4, -0.42, -0.38), Holds: study.Confirmed, Blocks: 8}}},
			{Claim: finding.Claim{Name: "MF2", Text: "Tracing is free | <i>.", Metric: "capacity", Above: &zero}, Kind: study.Open, Said: "of 2 intervals 1 lie above 0 % by themselves, 0 beyond"},
		},
		Rankings: []study.Ranking{{Workload: "requests/flask", Operation: "json", Metric: "capacity", Taus: []study.Tau{{Tau: -1, Variants: 3}},
			Swapped: []string{"otel costs less than elastic here, and more in published"},
			Places: []study.RankPlace{{Variant: "otel", Rank: 1, Cost: i(-0.4, -0.42, -0.38), Groups: "a", Published: []int{2, 0}},
				{Variant: "elastic", Rank: 2, Cost: i(-0.45, -0.47, -0.43), Groups: "b", Published: []int{1, 0}}}}},
		Means: []study.Mean{{Metric: "capacity", Unit: "1/s", Variant: "otel", Operations: 2, Cells: []string{"requests/flask, json", "requests/flask, db"}, Without: []string{"requests/flask, queries"}, Baseline: 167.5, Value: 109, Arithmetic: -0.39, Geometric: i(-0.4, -0.41, -0.39), Blocks: 8, Published: []study.SeriesFig{{Series: 0, Value: -0.37}},
			OfMeans: i(-0.35, -0.36, -0.34), PublishedOfMeans: []study.PublishedFigure{{Series: 1, Value: 109, Cost: number0(-0.349), Within: &yes}}}},
		Ratios:     []study.Ratio{{Between: study.BetweenWorkloads, Metric: "capacity", Over: "requests/go", Under: "requests/flask", Variant: "otel", Operations: 2, Ratio: i(0.2, 0.18, 0.22), Blocks: 8}},
		Suppressed: []study.Suppressed{{Workload: "requests/flask", Suppressed: finding.Suppressed{Operation: "json", Variant: "elastic", Share: 0.482, Spans: 336490}}},
		Lossy:      []study.Lossy{{Workload: "requests/flask", Lossy: driven().Lossy[0]}}, Increments: []study.Step{{Workload: "requests/flask", Increment: driven().Increments[0]}},
		LeftOut: []study.LeftOut{{Workload: "requests/flask", LeftOut: finding.LeftOut{Variant: "inspectit", Reason: "its artefacts cannot be had"}}},
		Methods: []string{"Costs are relative changes over the baseline."}, Warnings: []finding.Warning{{Code: "throttled", Severity: "warning", Text: "held back", Advice: "raise it", Where: "requests/flask"}},
	}
	cell := func(variant string, value float64, cost *finding.Interval, p ...study.PublishedFigure) study.Row {
		return study.Row{Operation: "json", Variant: variant, Value: i(value, value*0.99, value*1.01), Cost: cost, Added: i(-10, -11, -9), Blocks: 8, Published: p}
	}
	base := cell("none", 390, nil, study.PublishedFigure{Series: 0, Value: 380, Spread: 5}, study.PublishedFigure{Series: 1, Value: 390})
	base.Added = nil
	doubtful := cell("scout", 380, nil)
	doubtful.Lossy, doubtful.Reason, doubtful.Added = true, &finding.Reason{Code: finding.WhyModes, Variant: "scout", Text: "the runs of scout fall into modes"}, nil
	doc.Tables = []study.Table{{Workload: "requests/flask", Metric: "capacity", Unit: "1/s", Better: "higher", Baseline: "none", Rows: []study.Row{
		base, cell("otel", 240, i(-0.385, -0.40, -0.37), study.PublishedFigure{Series: 0, Value: 240, Cost: number0(-0.368), Within: &no}, study.PublishedFigure{Series: 1, Value: 245, Cost: number0(-0.372), Within: &yes}),
		cell("elastic", 200, i(-0.487, -0.5, -0.47), study.PublishedFigure{Series: 0, Value: 200, Cost: &published, Within: &no}), doubtful,
	}}}
	doc.Tables[0].Rows[2].Suppressed = 0.482
	doc.Tables = append(doc.Tables, callTables()...)
	doc.Results[0].Quick, doc.Results[0].Runtimes = true, []string{"java: openjdk 17"}
	doc.Searches = []study.Search{
		{Workload: "calls/java", Search: finding.Search{Operation: "call", Variant: "otel", Goal: "no span lost", Rate: i(21000, 20000, 23000), Held: 20000, Failed: 23000, Below: 1, Outcomes: []string{"found", "found"}}},
		{Workload: "calls/java", Search: finding.Search{Operation: "call", Variant: "scout", Goal: "no span lost", Outcomes: []string{"below-least"}, Text: "no span lost: not even at 2,000/s"}},
	}
	doc.Sweeps = []study.Sweep{{Workload: "requests/flask", Sweep: finding.Sweep{Operation: "call", Variant: "otel", Parameter: "depth", Metric: "time_per_call", Unit: "s", Points: []finding.SweepPoint{{X: 2, Y: 1e-6}, {X: 8, Y: 3e-6}}}}}
	calls := doc.Sweeps[0]
	calls.Workload = "calls/java" // of which a line was published
	none := calls
	none.Variant, none.Points = "none", []finding.SweepPoint{{X: 2, Y: 4e-9}, {X: 8, Y: 15e-9}}
	doc.Sweeps = append(doc.Sweeps, calls, none)
	return doc
}

// callTables are of calls that do nothing: what is added answers; some metrics share a table.
func callTables() []study.Table {
	i := func(v float64) *finding.Interval {
		return &finding.Interval{Estimate: v, Low: number0(v * 0.9), High: number0(v * 1.1)}
	}
	yes := true
	table := func(metric, unit string, rows ...study.Row) study.Table {
		return study.Table{Workload: "calls/java", Metric: metric, Unit: unit, Better: "lower", Baseline: "none", Rows: rows}
	}
	row := func(variant string, value float64) study.Row {
		return study.Row{Operation: "call", Variant: variant, Value: i(value), Cost: i(80), Added: i(value), Blocks: 8}
	}
	none, otel, scout, absent := row("none", 50e-9), row("otel", 4e-6), row("scout", 2e-6), row("inspectit", 0)
	otel.Published = []study.PublishedFigure{{Series: 0, Value: 3.6e-6, Added: number0(3.5e-6), Within: &yes}}
	scout.Lossy = true
	absent.Value, absent.Cost, absent.Added, absent.Reason = nil, nil, nil, &finding.Reason{Code: finding.WhyLeftOut, Text: "left out: it cannot be had"}
	absent.Published = []study.PublishedFigure{{Series: 0, Value: 7e-6, Added: number0(6.9e-6)}}
	times := table("time_per_call", "s", none, otel, scout, absent)
	times.Amount = true
	slope := row("otel", 390e-9)
	slope.Published = []study.PublishedFigure{{Series: 0, Value: 392e-9, Within: &yes}}
	base := row("otel", 600e-9)
	base.Value = &finding.Interval{Estimate: -802e-9, Low: number0(-1.53e-6), High: number0(-0.19e-6)} // in one unit
	base.Published = []study.PublishedFigure{{Series: 0, Value: 48e-9}}
	return []study.Table{
		times, table("slope", "s", slope, row("scout", 12e-9)), table("base", "s", base), table("r2", "1", row("otel", 0.999)),
		table("delivered_share", "1", row("otel", 0.01), row("scout", 1)), table("blocked_time", "s", row("none", 0), row("otel", 40e-9)),
		table("allocation_per_operation", "bytes", row("none", 0), row("otel", 5200)), table("heap_live", "bytes", row("none", 2e6), row("otel", 90e6)),
	}
}

func number0(v float64) *float64 { return &v }

func TestDrivenReports(t *testing.T) {
	for ending, write := range map[string]func(io.Writer, *finding.Document) error{"80.txt": terminalForm(80, false, false), "all.txt": terminalForm(0, false, true)} {
		var got bytes.Buffer
		if err := write(&got, driven()); err != nil {
			t.Fatal(err)
		}
		golden(t, "driven."+ending, got.Bytes())
	}
}

// Who lost spans stands below the others wherever figures stand, with a mark and what it means.
func TestWhoLostSpansIsMarkedEverywhere(t *testing.T) {
	doc := driven()
	var text, page bytes.Buffer
	if err := Markdown(&text, doc); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"call, scout †", "† lost over 1 % of its spans", "80.0 % in the tracer's queue"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in the Markdown", want)
		}
	}
	doc.Findings = append(doc.Findings[14:], doc.Findings[:14]...) // scout first
	if err := HTML(&page, doc); err != nil {
		t.Fatal(err)
	}
	cards, _, _ := strings.Cut(page.String(), "<noscript>")
	_, cards, _ = strings.Cut(cards, `class="cards"`)
	last := strings.Index(cards, "scout †")
	if last < 0 || last < strings.Index(cards, ">otel<") || last < strings.Index(cards, ">kieker<") || !strings.Contains(cards, `href="#apart"`) {
		t.Errorf("%s", cards)
	}
	if !strings.Contains(page.String(), `id="apart"`) {
		t.Error("nothing to be linked to")
	}
}

func TestReplicationReports(t *testing.T) {
	terminal := func(width int) func(io.Writer, *study.Replication) error {
		return func(w io.Writer, doc *study.Replication) error {
			return view.Terminal(w, doc, TerminalOptions{Width: width})
		}
	}
	for ending, write := range map[string]func(io.Writer, *study.Replication) error{
		"80.txt": terminal(80), "txt": terminal(0), "md": view.Markdown, "csv": view.CSV,
	} {
		var got bytes.Buffer
		if err := write(&got, sampleReplication()); err != nil {
			t.Fatal(err)
		}
		golden(t, "replication."+ending, got.Bytes())
	}
}

func TestReplicationCSVIsEven(t *testing.T) {
	var got bytes.Buffer
	if err := view.CSV(&got, sampleReplication()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&got).ReadAll() // fails where rows differ in length
	if err != nil || len(rows) != 1+2+2+1+1+16+2*2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestReplicationJSONComesBack(t *testing.T) {
	var got bytes.Buffer
	if err := view.JSON(&got, sampleReplication()); err != nil {
		t.Fatal(err)
	}
	var back study.Replication
	if err := json.Unmarshal(got.Bytes(), &back); err != nil || back.Claims[0].Kind != study.Confirmed || len(back.Tables[0].Rows) != 4 {
		t.Errorf("%v %+v", err, back)
	}
}

// A replication's page in a browser: it draws what it says, asks for nothing, and takes no
// name for markup.
func TestReplicationPage(t *testing.T) {
	browser := startBrowser(t)
	var text bytes.Buffer
	if err := view.HTML(&text, sampleReplication()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "<b>go") || strings.Contains(text.String(), "<i>.") {
		t.Error("a name is markup")
	}
	path := filepath.Join(t.TempDir(), "replication.html")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	p := show(t, browser, path, screen{1200, "light"})
	for what, c := range map[string]struct {
		expression string
		want       int
	}{
		"rows of claims":    {`document.querySelector('#claims table').tBodies[0].rows.length`, 2},
		"charts of costs":   {`document.querySelectorAll('#studied .chart svg').length`, 1},
		"rows drawn":        {`Number(document.querySelector('#studied .chart').dataset.marks)`, 3},
		"means drawn":       {`Number(document.querySelector('#means .chart').dataset.marks)`, 2},
		"curves drawn":      {`document.querySelectorAll('#sweeps .chart svg').length`, 2},
		"published lines":   {`[...document.querySelectorAll('#sweeps .chart path')].filter(p => p.getAttribute('stroke-dasharray') === '1,4').length`, 1},
		"and what they are": {`document.querySelector('#sweeps .legend').textContent.split('published, above our baseline').length - 1`, 1},
		"wider than it is":  {`Math.max(0, document.documentElement.scrollWidth - innerWidth)`, 0},
	} {
		if got := eval[int](p, c.expression); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
	p.checkQuiet()
}
