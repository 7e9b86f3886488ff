// What the program of the charts knows by itself, and what it is told.

package report

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/report/view"
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
	if !strings.Contains(card, "scout †") || !strings.Contains(card, "at least +50.0 %") {
		t.Errorf("the card reads %q", card)
	}
	chart := eval[string](p, `(() => { const s = document.querySelector('#cost select');
		s.value = [...s.options].find(o => o.text === 'time per call').value; s.dispatchEvent(new Event('change'));
		return [...document.querySelectorAll('#cost svg text')].map(e => e.textContent).join('\n'); })()`)
	if !strings.Contains(chart, "scout †") || strings.Contains(chart, "at least") { // the card has the figure
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

// What stands where, and beside what: for a reader's eye.

// An operation without findings, whose search found nothing say, stands above the
// whole run all the same.
func TestWholeRunComesLast(t *testing.T) {
	doc := searching(2, false)
	operation := doc.Experiment.Operations[0]
	var rest []finding.Finding
	for _, f := range doc.Findings {
		if f.Operation == operation {
			f.Operation, f.Metric = "", "startup_time"
		}
		rest = append(rest, f)
	}
	doc.Findings = rest
	var b bytes.Buffer
	if err := Terminal(&b, doc, TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	own, whole := strings.Index(b.String(), "\n"+operation+"\n"), strings.Index(b.String(), "\nwhole run\n")
	if own < 0 || whole < own {
		t.Errorf("%s stands at %d, the whole run at %d:\n%s", operation, own, whole, b.String())
	}
}

// Notes are no warnings to read before relying on the figures.
func TestPageCountsWarningsOnly(t *testing.T) {
	for severities, want := range map[string]string{"warning note note": "#warnings\">1 warning<", "spoiled warning note": "#warnings\">2 warnings<", "note": ""} {
		doc := small.make()
		doc.Warnings = nil
		for _, s := range strings.Fields(severities) {
			doc.Warnings = append(doc.Warnings, finding.Warning{Code: "x", Severity: s, Text: "x"})
		}
		var b bytes.Buffer
		if err := HTML(&b, doc); err != nil {
			t.Fatal(err)
		}
		if want != "" && !strings.Contains(b.String(), want) || want == "" && strings.Contains(b.String(), "to read before relying") {
			t.Errorf("%s: want %q", severities, want)
		}
	}
}

// No verdict stands without a figure, also where there is no ratio and no room for
// the differences.
func TestDifferenceInPlaceOfARatio(t *testing.T) {
	var b bytes.Buffer
	if err := Terminal(&b, small.make(), TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "export per op") && (!strings.Contains(line, "+61") || strings.Contains(line, finding.Missing)) {
			t.Errorf("no difference: %s", line)
		}
	}
}

// The first line is the summary, so `head -1` prints it, or that there is none of tracing.
func TestTheSummaryComesFirst(t *testing.T) {
	for name, doc := range fixtures() {
		var b bytes.Buffer
		if err := Terminal(&b, doc, TerminalOptions{}); err != nil {
			t.Fatal(err)
		}
		first := model.OneLine(doc.Summary)
		if len(doc.Untraced) > 0 {
			first = view.Brief(doc, false).Alarm.Title
		}
		if !strings.HasPrefix(b.String(), first+"\n") {
			t.Errorf("%s begins with %.80q", name, b.String())
		}
	}
}

func TestPageWithoutIntervals(t *testing.T) {
	quick, few := small, small
	quick.quick, few.blocks = true, 5
	for name, c := range map[string]struct {
		doc    *finding.Document
		filled bool
	}{"intervals": {small.make(), true}, "quick": {quick.make(), true}, "few blocks": {few.make(), false}} {
		var b bytes.Buffer
		if err := HTML(&b, c.doc); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "A filled dot has an interval"); got != c.filled {
			t.Errorf("%s: filled dots are explained: %v", name, got)
		}
		if !strings.Contains(b.String(), "a centre over the blocks") {
			t.Errorf("%s: it is not said what the figures are", name)
		}
	}
}

// A long cause that the summary tells is told once.
func TestCauseIsToldOnce(t *testing.T) {
	doc := empty()
	cause := "start: no shop in PATH=/a:/b:/c"
	doc.Summary = "No run succeeded: block 1, none, attempt 1: " + cause + "."
	doc.Runs.Failure = []string{"block 1, none, attempt 1: " + cause, "block 1, none, attempt 2: as in block 1, none, attempt 1"}
	var text, page bytes.Buffer
	if err := Terminal(&text, doc, TerminalOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "PATH=/a"); n != 1 {
		t.Errorf("told %d times:\n%s", n, text.String())
	}
	if err := HTML(&page, doc); err != nil {
		t.Fatal(err)
	}
	shown, _, _ := strings.Cut(page.String(), `<script type="application/json"`)
	if n := strings.Count(shown, "PATH=/a"); n != 1 {
		t.Errorf("the page tells it %d times", n)
	}
}

// What verdicts are corrected for is told where there are any.
func TestFamiliesAreTold(t *testing.T) {
	for name, want := range map[string]bool{"small": true, "quick": false} {
		for form, write := range map[string]func(io.Writer, *finding.Document) error{"terminal": terminalForm(0, false, false), "page": HTML} {
			var b bytes.Buffer
			if err := write(&b, fixtures()[name]); err != nil {
				t.Fatal(err)
			}
			if told := strings.Contains(strings.Join(strings.Fields(b.String()), " "), "Verdicts are corrected for each other"); told != want {
				t.Errorf("%s, %s: told %t", name, form, told)
			}
		}
	}
}

// A verdict without a corrected interval is told wherever it is shown.
func TestJointVerdictsAreTold(t *testing.T) {
	doc := fixtures()["small"]
	for _, joint := range []bool{false, true} {
		for i := range doc.Findings {
			doc.Findings[i].Verdict.Joint = joint && doc.Findings[i].Verdict.Kind == finding.Costs
		}
		for name, write := range map[string]func(io.Writer, *finding.Document) error{"terminal": terminalForm(0, false, false), "page": HTML, "markdown": Markdown} {
			var b bytes.Buffer
			if err := write(&b, doc); err != nil {
				t.Fatal(err)
			}
			if told := strings.Contains(b.String(), "a joint test tells what costs"); told != joint {
				t.Errorf("%s: joint verdicts %t, told %t", name, joint, told)
			}
		}
	}
}

// The terminal by its width on the screen.

// TestTerminalFits holds the table to its width, names of any kind included.
// Commands and folders are left whole, to be copied.
func TestTerminalFits(t *testing.T) {
	for name, doc := range fixtures() {
		for _, width := range []int{60, 80, 120} {
			var b strings.Builder
			if err := Terminal(&b, doc, TerminalOptions{Width: width}); err != nil {
				t.Fatal(err)
			}
			body, _, _ := strings.Cut(b.String(), "\nresults  ")
			for _, line := range strings.Split(body, "\n") {
				if displaywidth.String(line) > width && strings.ContainsRune(strings.TrimSpace(line), ' ') {
					t.Errorf("%s: %d columns of %d: %s", name, displaywidth.String(line), width, line)
				}
				if strings.HasSuffix(line, " ") {
					t.Errorf("%s: a line ends in blanks: %q", name, line)
				}
			}
			if strings.ContainsRune(b.String(), '\x1b') {
				t.Errorf("%s: an escape sequence without colour", name)
			}
		}
	}
}
