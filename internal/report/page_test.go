// What the page shows, in a real browser: every figure of the document, a mark
// for each of them, in both themes, on a phone, and nothing that a name smuggled in.

package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/report/view"
)

func TestPage(t *testing.T) {
	browser := startBrowser(t)
	documents := fixtures()
	documents["analysis"] = analysed(t)
	for name, doc := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, browser, doc, screen{1200, "light"})
			if got := eval[string](p, `document.querySelector('h1').textContent.replaceAll('\u00a0', ' ')`); got != doc.Summary {
				t.Errorf("the summary reads %q, want %q", got, doc.Summary)
			}
			checkBanner(t, p, doc)
			checkTables(t, p, doc)
			checkLoadTables(t, p, doc)
			screens := []screen{{1200, "light"}, {390, "dark"}}
			if name == "ladder" || name == "nasty" { // that the scheme changes alone, or the width, is asked of two pages
				screens = []screen{{1200, "light"}, {1200, "dark"}, {390, "dark"}, {390, "light"}}
			}
			for _, s := range screens {
				p.on(s)
				checkMarks(t, p, doc)
				checkNoOverflow(t, p)
			}
			checkNothingSmuggled(t, p)
			p.checkQuiet()
		})
	}
	t.Run("theme", func(t *testing.T) { checkTheme(t, open(t, browser, small.make(), screen{1200, "light"})) })
	t.Run("metric", func(t *testing.T) { checkChoice(t, open(t, browser, ladder.make(), screen{1200, "light"})) })
	t.Run("tooltip", func(t *testing.T) { checkTooltip(t, open(t, browser, nasty(), screen{1200, "light"})) })
}

// analysed is a document that the analysis has made, of its own golden files.
func analysed(t *testing.T) *finding.Document {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "analysis", "testdata", "findings.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// checkBanner looks for what stands above the summary where spans did not come, and for figures
// of tracing where there are none.
func checkBanner(t *testing.T, p *tab, doc *finding.Document) {
	t.Helper()
	b := view.Whole(doc).Alarm
	var want []string
	if b.Title != "" {
		want = append([]string{b.Title}, b.Lines...)
	}
	got := eval[[]string](p, `[...document.querySelectorAll('#verdict > .alarm:first-child p')].map(e => e.textContent)`)
	if diff := cmp.Diff(want, append([]string(nil), got...)); diff != "" {
		t.Errorf("above the summary (-want +got):\n%s", diff)
	}
	dark := 0
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Headline && doc.NotTracing(f) {
			dark++
		}
	}
	shown := eval[[]string](p, `[...document.querySelectorAll('.card .dark')].map(e => e.querySelector('.values').textContent)`)
	if len(shown) != dark || strings.Join(shown, "") != "" {
		t.Errorf("%q in cards of which no span came, want %d and no value", shown, dark)
	}
	if whole := strings.HasPrefix(b.Title, "No spans received: "); whole && !eval[bool](p, `document.getElementById('cost').hidden`) {
		t.Error("no span came of anything, and what it costs is drawn")
	}
}

// checkTables compares every row with its finding.
func checkTables(t *testing.T, p *tab, doc *finding.Document) {
	t.Helper()
	got := eval[[][]string](p, `Array.from({length: `+fmt.Sprint(len(doc.Findings))+`}, (_, i) =>
		[...document.querySelectorAll('tr[data-finding="'+i+'"] > *')].slice(0, 7).map(c => c.textContent))`)
	for i := range doc.Findings {
		f := &doc.Findings[i]
		want := []string{
			labelOf(f), markedName(doc, f, f.Variant), markedName(doc, f, f.Against), parts.Value(f, f.Baseline), parts.Value(f, f.Value),
			textOf(f.Absolute, f.Unit, false), textOf(f.Relative, f.Unit, true),
		}
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("row of finding %d (-want +got):\n%s", i, diff)
		}
	}
	cards := eval[[]string](p, `[...document.querySelectorAll('.card .big')].map(e => e.textContent)`)
	var want []string
	all := view.Groups(doc)
	for _, g := range all {
		swept := levelsOf(all, g.Operation)
		if swept != nil && g != swept[0] && g != swept[len(swept)-1] { // of many levels the ends
			continue
		}
		for _, f := range g.Findings {
			if f.Headline && (f.Verdict.Budget == nil || doc.NotTracing(f)) { // a budget's is in the checks
				estimate, _, _ := strings.Cut(textOf(f.Relative, f.Unit, true), " (")
				if doc.NotTracing(f) {
					estimate = "no spans"
				}
				want = append(want, estimate)
			}
		}
	}
	if diff := cmp.Diff(want, append([]string(nil), cards...)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
}

// levelsOf are the groups of an operation by level; none where there is one group.
func levelsOf(all []*view.Group, operation string) []*view.Group {
	var out []*view.Group
	for _, g := range all {
		if g.Operation == operation && g.Parameter != "" {
			out = append(out, g)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

func levelName(parameter map[string]string) string { return cell.LevelOf(parameter).Join("=", ", ") }

func baselineOf(doc *finding.Document) string {
	if len(doc.Experiment.Variants) == 0 {
		return ""
	}
	return doc.Experiment.Variants[0].Name
}

func labelOf(f *finding.Finding) string {
	if f.Role == "" {
		return finding.MetricName(f.Metric)
	}
	return finding.MetricName(f.Metric) + ", " + f.Role
}

// markedName is a variant's name with its mark.
func markedName(doc *finding.Document, f *finding.Finding, variant string) string {
	switch {
	case doc.IsUntraced(variant, f.Operation):
		return variant + " ∅"
	case doc.Lost(f.Operation, f.Parameter, variant) != nil:
		return variant + " †"
	case slices.ContainsFunc(doc.Suppressed, func(u finding.Suppressed) bool { return u.Variant == variant && u.Operation == f.Operation }):
		return variant + " ‡"
	}
	return variant
}

func textOf(i *finding.Interval, unit string, relative bool) string {
	if i == nil {
		return "–"
	}
	return finding.FormatInterval(*i, unit, relative)
}

// checkMarks compares the number of marks in each section with the document's
// figures of the metric that is shown first.
func checkMarks(t *testing.T, p *tab, doc *finding.Document) {
	t.Helper()
	const marks = `(() => { const of = id => [...document.querySelectorAll('#'+id+' .chart')].reduce((n, c) => n + Number(c.dataset.marks), 0);
		return {latency: of('latency'), searches: of('searches'), sweeps: of('sweeps'), blocks: of('blocks'), ledger: of('ledger'),
			dots: document.querySelectorAll('#cost path[d*="A4.5 4.5"]').length, steps: document.querySelectorAll('#steps path[d*="A3 3"]').length}; })()`
	want := map[string]int{"latency": 0, "searches": searchMarks(doc), "sweeps": sweepMarks(doc), "blocks": 0, "ledger": 0, "dots": 0, "steps": 0}
	base := baselineOf(doc)
	metric, steps := firstMetric(doc), len(doc.Findings) > 0 && slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Against != base })
	runs := map[string]bool{}
	stepOf := map[string]bool{}
	for _, f := range doc.Findings {
		if f.Metric != metric || f.Role != "" {
			continue
		}
		traced := !doc.NotTracing(&f)
		if f.Against == base && (f.Absolute != nil || f.Relative != nil) && traced {
			want["dots"]++
		}
		if f.Absolute != nil && steps && traced {
			stepOf[f.Operation+levelName(f.Parameter)+"\n"+f.Variant] = true
		}
		if f.Against != base {
			continue
		}
		if swept := levelsOf(view.Groups(doc), f.Operation); swept != nil && levelName(f.Parameter) != swept[0].Parameter {
			continue // the level that is shown first
		}
		for _, s := range f.Samples {
			runs[fmt.Sprint(f.Operation, f.Parameter, s.Block, f.Variant)] = true
			runs[fmt.Sprint(f.Operation, f.Parameter, s.Block, base)] = true
		}
	}
	want["blocks"], want["steps"] = len(runs), len(stepOf)
	for _, c := range doc.Curves {
		want["latency"] += 2 * len(c.Points) // the line's and the band's
	}
	want["ledger"] = ledgerMarks(doc)
	if diff := cmp.Diff(want, eval[map[string]int](p, marks)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

func firstMetric(doc *finding.Document) string {
	best, name := math.MaxInt, ""
	for _, f := range doc.Findings {
		if r := metric.Rank(f.Metric); r < best && f.Role == "" {
			best, name = r, f.Metric
		}
	}
	return name
}

// ledgerMarks is a piece for each entry that occurs at all, in each bar: of a ledger in which something became of spans
// but that they came.
func ledgerMarks(doc *finding.Document) int {
	bars := 0
	names := map[string]bool{}
	for _, l := range doc.Ledgers {
		var own []string
		for _, e := range l.Entries {
			if e.Name != "expected" && e.Spans > 0 && slices.ContainsFunc(parts.ChartEntries, func(c parts.ChartEntry) bool { return c.Name == e.Name }) {
				own = append(own, e.Name)
			}
		}
		if len(own) == 0 || slices.Equal(own, []string{"delivered"}) {
			continue
		}
		bars++
		for _, name := range own {
			names[name] = true
		}
	}
	return bars * len(names)
}

// searchMarks is a dot for each stretch of load, two ends for each fit, and the rate.
func searchMarks(doc *finding.Document) int {
	n := 0
	for _, s := range doc.Searches {
		n += len(s.Points)
		if s.Base != nil {
			n += 2
		}
		if s.Rate != nil {
			n++
		}
	}
	return n
}

// sweepMarks is a dot and an interval for each point of the metric that is shown
// first, and a diamond for each knee.
func sweepMarks(doc *finding.Document) int {
	n := 0
	for _, s := range doc.Sweeps {
		if s.Metric != doc.Sweeps[0].Metric {
			continue
		}
		for _, p := range s.Points {
			n++
			if p.Low != nil {
				n++
			}
		}
		if s.Knee != nil {
			n++
		}
	}
	return n
}

// checkLoadTables compares the figures of searches and levels with the document.
func checkLoadTables(t *testing.T, p *tab, doc *finding.Document) {
	t.Helper()
	text := eval[string](p, `[...document.querySelectorAll('#searches :is(th, td, p, h3, small), #sweeps :is(th, td, p, h3, small)')].map(e => e.textContent).join(' ')`)
	for _, s := range doc.Searches {
		want := []string{s.Goal, s.Text}
		if s.Rate != nil {
			want[1] = finding.FormatSize(*s.Rate, "1/s", false)
		}
		for _, point := range s.Points {
			want = append(want, finding.FormatValue(point.Rate, "1/s"), finding.FormatValue(point.Utilisation, "1"))
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("the searches do not tell %q", w)
			}
		}
	}
	for _, s := range doc.Sweeps {
		for _, point := range s.Points {
			if w := finding.FormatSize(finding.Interval{Estimate: point.Y, Low: point.Low, High: point.High}, s.Unit, false); !strings.Contains(text, w) {
				t.Errorf("the levels do not tell %q", w)
			}
		}
		if s.Knee != nil && !strings.Contains(text, s.Variant+": "+s.Knee.Text) {
			t.Errorf("the knee of %s is not told", s.Variant)
		}
	}
}

func checkNoOverflow(t *testing.T, p *tab) {
	t.Helper()
	wide := eval[[]int](p, `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`)
	if wide[0] > wide[1] {
		t.Errorf("the page is %d pixels wide on a screen of %d", wide[0], wide[1])
	}
}

// checkNothingSmuggled counts the elements that only a name could have made.
func checkNothingSmuggled(t *testing.T, p *tab) {
	t.Helper()
	if n := eval[int](p, `document.scripts.length`); n != 2 {
		t.Errorf("the page has %d scripts, want 2: its data and its program", n)
	}
	if n := eval[int](p, `document.querySelectorAll('img, iframe, object, textarea, [onerror], main b b').length`); n != 0 {
		t.Errorf("the page has %d elements that it was not made with", n)
	}
}

func checkTheme(t *testing.T, p *tab) {
	const look = `[getComputedStyle(document.body).backgroundColor, document.querySelector('#cost svg text').getAttribute('fill')].join()`
	light := eval[string](p, look)
	p.must(chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS("#theme"))))
	dark := eval[string](p, look)
	for i, pair := 0, [2][]string{strings.Split(light, ","), strings.Split(dark, ",")}; i < len(pair[0]); i++ {
		if pair[0][i] == pair[1][i] && strings.HasPrefix(pair[0][i], "#") {
			t.Errorf("the charts keep the colour %s in the dark", pair[0][i])
		}
	}
	if light == dark {
		t.Errorf("the button changes nothing: %s", light)
	}
	p.checkQuiet()
}

// checkChoice chooses another metric and looks for its figures in the chart.
func checkChoice(t *testing.T, p *tab) {
	doc := ladder.make()
	got := eval[string](p, `(() => { const s = document.querySelector('#cost select');
		s.value = [...s.options].find(o => o.text === 'latency p99').value; s.dispatchEvent(new Event('change'));
		return [...document.querySelectorAll('#cost svg text')].map(e => e.textContent).join('\n'); })()`)
	for _, f := range doc.Findings {
		if f.Metric == "latency_p99" && f.Against == "none" && !strings.Contains(got, textOf(f.Relative, f.Unit, true)) {
			t.Errorf("the chart of p99 does not show %s", textOf(f.Relative, f.Unit, true))
		}
	}
	p.checkQuiet()
}

// checkTooltip points at a mark of a document with nasty names.
func checkTooltip(t *testing.T, p *tab) {
	at := eval[[]float64](p, `(() => { const c = document.querySelector('#cost path[d*="A4.5 4.5"]'); c.scrollIntoView({block: 'center'});
		const r = c.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	p.must(chromedp.Do(p.ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1])))
	p.must(chromedp.Do(p.ctx, chromedp.WaitVisible(chromedp.CSS("#cost .tip"))))
	got := eval[string](p, `document.querySelector('#cost .tip').textContent`)
	if !strings.Contains(got, nastyName) {
		t.Errorf("the tip reads %q, want it to name %q", got, nastyName)
	}
	checkNothingSmuggled(t, p)
	p.checkQuiet()
}
