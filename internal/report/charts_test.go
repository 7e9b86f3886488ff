// What the program of the charts knows by itself, and what it is told.

package report

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/role"
)

// The program of the charts has no table of metrics, roles or entries of ledgers: it is told their names and looks.
func TestChartsHaveNoTablesOfTheirOwn(t *testing.T) {
	var known []string
	for _, m := range metric.Table {
		known = append(known, m.Name, m.Title)
	}
	for _, r := range append(role.Named(), role.Load, role.Sink) {
		known = append(known, string(r))
	}
	for _, e := range parts.ChartEntries {
		if e.Name != e.Look { // some are looked at under the same word
			known = append(known, e.Name)
		}
	}
	sources, err := filepath.Glob("../../web/src/*.js")
	if err != nil || len(sources) < 10 {
		t.Fatalf("%d files of the program: %v", len(sources), err)
	}
	quoted := regexp.MustCompile("'([^'\n]*)'|\"([^\"\n]*)\"")
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			if word := m[1] + m[2]; word != "" && slices.Contains(known, word) {
				t.Errorf("%s has %q: let the page tell it (report/parts/charts.go)", path, word)
			}
		}
	}
}

// Every entry of a ledger that has a share in what was expected is drawn.
func TestChartsKnowTheEntriesOfALedger(t *testing.T) {
	beside := []ledger.Fate{ledger.Expected, ledger.NotExported, ledger.ReportedSent, ledger.Background, ledger.ReportedBeyond}
	for f := range ledger.Fates {
		drawn := slices.ContainsFunc(parts.ChartEntries, func(e parts.ChartEntry) bool { return e.Name == f.String() })
		if drawn == slices.Contains(beside, f) {
			t.Errorf("%s: drawn %t", f, drawn)
		}
	}
}

// A variant that lost spans has its mark on the cards and in the charts of costs and steps; its cost is a lower bound there.
func TestLossyOnCardsAndCharts(t *testing.T) {
	doc := driven()
	for i := range doc.Findings { // a step over another variant
		if f := doc.Findings[i]; f.Variant == "scout" {
			f.Against, f.Headline = "kieker", false
			doc.Findings = append(doc.Findings, f)
		}
	}
	p := open(t, startBrowser(t), doc, screen{1200, "light"})
	card := eval[string](p, `[...document.querySelectorAll('.card li')].find(e => e.textContent.includes('scout')).textContent.replace(/\s+/g, ' ')`)
	if !strings.Contains(card, "scout †") || !strings.Contains(card, "at least +50.00 %") {
		t.Errorf("the card reads %q", card)
	}
	chart := eval[string](p, `(() => { const s = document.querySelector('#cost select');
		s.value = [...s.options].find(o => o.text === 'time per call').value; s.dispatchEvent(new Event('change'));
		return [...document.querySelectorAll('#cost svg text')].map(e => e.textContent).join('\n'); })()`)
	if !strings.Contains(chart, "scout †") || !strings.Contains(chart, "at least +50.00 %") || strings.Count(chart, "at least") != 1 {
		t.Errorf("the chart of costs reads\n%s", chart)
	}
	if steps := eval[string](p, `[...document.querySelectorAll('#steps svg text')].map(e => e.textContent).join('\n')`); !strings.Contains(steps, "scout †") {
		t.Errorf("the chart of steps reads\n%s", steps)
	}
	p.checkQuiet()
}

// The only variant of a card is not named there, but where its name has a mark.
func TestMarkOfTheOnlyVariant(t *testing.T) {
	browser := startBrowser(t)
	for _, lossy := range []bool{false, true} {
		doc := small.make()
		if lossy {
			doc.Lossy = []finding.Lossy{{Operation: "json", Variant: "otel", LostShare: 0.2}}
		}
		p := open(t, browser, doc, screen{390, "light"})
		shown := eval[string](p, `[...document.querySelectorAll('.card .variant')].filter(e => e.offsetHeight > 0).map(e => e.textContent).join(', ')`)
		if want := map[bool]string{false: "", true: "otel †"}[lossy]; shown != want {
			t.Errorf("lost spans: %t: the cards name %q, want %q", lossy, shown, want)
		}
		p.checkQuiet()
	}
}

// Where the baseline lost spans too, nobody knows a bound, and none is told.
func TestNoBoundWhereThereIsNone(t *testing.T) {
	doc := driven()
	doc.Lossy[0].Cost, doc.Lossy[0].Metric = nil, ""
	for name, write := range map[string]func(*strings.Builder, *finding.Document) error{
		"page": func(w *strings.Builder, doc *finding.Document) error { return HTML(w, doc) }, "markdown": func(w *strings.Builder, doc *finding.Document) error { return Markdown(w, doc) },
	} {
		for _, bound := range []bool{false, true} {
			one := doc
			if bound {
				one = driven()
			}
			var b strings.Builder
			if err := write(&b, one); err != nil {
				t.Fatal(err)
			}
			text, _, _ := strings.Cut(b.String(), `id="findings"`)
			if got := strings.Contains(text, "at least+50") || strings.Contains(text, "at least</small> &#43;50") || strings.Contains(text, "at least +50"); got != bound {
				t.Errorf("%s: a bound is told: %t, want %t", name, got, bound)
			}
		}
	}
}
