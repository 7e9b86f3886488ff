// Replications, as they are shown.

package view

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/lab/study"
)

var update = flag.Bool("update", false, "write the golden files again")

// sampleReplication is two workloads beside a published one.
func sampleReplication() *study.Replication {
	i := func(estimate, low, high float64) *finding.Interval {
		return &finding.Interval{Estimate: estimate, Low: &low, High: &high}
	}
	yes, no, zero, published := true, false, 0.0, 0.05
	lossy := finding.Lossy{
		Operation: "call", Variant: "scout", LostShare: 0.9, Spans: 72e6, Metric: "time_per_call", Cost: i(0.5, 0.48, 0.53),
		Where: []finding.LostAt{{Place: finding.LostInQueue, Spans: 64e6, Share: 0.8}, {Place: finding.LostNowhere, Spans: 8e6, Share: 0.1}},
	}
	queueing := finding.Increment{
		Operation: "call", Tracer: "otel-java", Steps: []string{"queue", "writing"}, Variant: "otel", Over: "otel-probe",
		Metric: "time_per_call", Unit: "s",
		Before: 3.4e-6, Value: 4.2e-6, Absolute: i(800e-9, 790e-9, 815e-9), Blocks: 8,
	}
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
		Lossy:      []study.Lossy{{Workload: "requests/flask", Lossy: lossy}}, Increments: []study.Step{{Workload: "requests/flask", Increment: queueing}},
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

func TestReplicationReports(t *testing.T) {
	terminal := func(width int) func(io.Writer, *study.Replication) error {
		return func(w io.Writer, doc *study.Replication) error {
			return Terminal(w, doc, report.TerminalOptions{Width: width})
		}
	}
	for ending, write := range map[string]func(io.Writer, *study.Replication) error{
		"80.txt": terminal(80), "txt": terminal(0), "md": Markdown, "csv": CSV,
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
	if err := CSV(&got, sampleReplication()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&got).ReadAll() // fails where rows differ in length
	if err != nil || len(rows) != 1+2+2+1+1+16+2*2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestReplicationJSONComesBack(t *testing.T) {
	var got bytes.Buffer
	if err := JSON(&got, sampleReplication()); err != nil {
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
	var text bytes.Buffer
	if err := HTML(&text, sampleReplication()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "<b>go") || strings.Contains(text.String(), "<i>.") {
		t.Error("a name is markup")
	}
	path := filepath.Join(t.TempDir(), "replication.html")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	tab, said := show(t, path)
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
		if got, err := chromedp.Run(tab, chromedp.Evaluate[int](c.expression)); err != nil || got != c.want {
			t.Errorf("%s: %d, want %d (%v)", what, got, c.want, err)
		}
	}
	if got := said(); len(got) != 1 {
		t.Errorf("the page asks for itself and nothing else, and complains of nothing; it made %q", got)
	}
}

// show opens a file in Chromium. said returns what the page asked for, and what it complained of.
func show(t *testing.T, path string) (tab context.Context, said func() []string) {
	t.Helper()
	chromium := ""
	for _, name := range []string{"google-chrome", "chromium-browser", "chromium"} {
		if found, err := exec.LookPath(name); err == nil {
			chromium = found
		}
	}
	if chromium == "" && os.Getenv("TRACETAX_REQUIRE_BROWSER") != "1" {
		t.Skip("no Chromium on PATH (Debian: apt-get install chromium)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the most that it may take on a busy machine
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 900))...)
	t.Cleanup(stop)
	tab, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(stopTab)
	var mu sync.Mutex
	var all []string
	hear := func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled, *runtime.EventExceptionThrown, *log.EventEntryAdded:
			all = append(all, "a complaint")
		case *network.EventRequestWillBeSent:
			if e.Request.URL != "data:," { // the empty icon
				all = append(all, e.Request.URL)
			}
		}
	}
	err := chromedp.Listen(tab, hear)
	if err == nil {
		_, err = chromedp.Call(tab, network.Enable, network.EnableParams{})
	}
	if err == nil {
		err = chromedp.Do(tab, chromedp.Navigate("file://"+path))
	}
	if err != nil {
		t.Fatal(err)
	}
	return tab, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
