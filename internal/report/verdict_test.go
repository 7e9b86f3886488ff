// The page for whoever decides by it: the verdict first, each figure once, a hue a variant, and nothing that a phone cuts off.

package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// budgeted has two variants, over a budget of 15 % and within it, and one of which that cannot be told.
func budgeted() *finding.Document {
	doc := costing(map[string]float64{"otel": 0.1, "elastic": 0.2, "kieker": 0.3}, "otel", "elastic", "kieker")
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if !f.Headline {
			continue
		}
		f.Verdict = finding.Verdict{Kind: map[string]finding.Kind{"otel": finding.Within, "elastic": finding.CannotTell, "kieker": finding.Over}[f.Variant],
			Budget: number0(0.15), Estimate: &f.Relative.Estimate, Low: f.Relative.Low, High: f.Relative.High}
		if f.Variant == "elastic" {
			f.Verdict.Reasons, f.Verdict.Text = []finding.Reason{{Code: finding.WhyStraddles}}, "inconclusive: the reason of it"
		}
	}
	return doc
}

// The first words of a page are its verdict: with a budget what was measured beside what was allowed, the worst first; without one the
// sentence that the terminal gives.
func TestVerdictIsFirst(t *testing.T) {
	browser := startBrowser(t)
	first := func(p *tab) string {
		return eval[string](p, `document.querySelector('main').innerText.trim().split('\n')[0]`)
	}
	p := open(t, browser, budgeted(), screen{1300, "light"})
	for _, s := range []screen{{1300, "light"}, {400, "dark"}} {
		p.on(s)
		if got, want := first(p), "Over budget: 1 of 3; 1 inconclusive"; got != want {
			t.Errorf("%v: the page begins with %q, want %q", s, got, want)
		}
		got := eval[[]string](p, `[...document.querySelectorAll('.checks li')].map(e => e.textContent.replace(/\s+/g, ' ').trim())`)
		want := []string{
			"✗ over kieker json · CPU per operation +30.0 % (29.5 to 30.5) allowed 15 %",
			"? inconclusive elastic json · CPU per operation +20.0 % (19.5 to 20.5) allowed 15 % the reason of it",
			"✓ within otel json · CPU per operation +10.0 % (9.5 to 10.5) allowed 15 %",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", s, diff)
		}
		checkNoOverflow(t, p)
	}
	if n := eval[int](p, `document.querySelectorAll('.card').length`); n != 0 {
		t.Errorf("%d cards tell again what the checks tell", n)
	}
	doc := costing(map[string]float64{"otel": 0.1}, "otel")
	if got := first(open(t, browser, doc, screen{1300, "light"})); got != doc.Summary {
		t.Errorf("without a budget the page begins with %q, want %q", got, doc.Summary)
	}
	p.checkQuiet()
}

// Of many checks the first are shown, the others folded.
func TestManyChecksAreFolded(t *testing.T) {
	var order []string
	costs := map[string]float64{}
	for i := range 14 {
		order = append(order, fmt.Sprint("v", i))
		costs[order[i]] = 0.01 * float64(i+1)
	}
	doc := costing(costs, order...)
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Headline {
			f.Verdict = finding.Verdict{Kind: finding.Within, Budget: number0(0.5)}
		}
	}
	p := open(t, startBrowser(t), doc, screen{400, "light"})
	shown := eval[[]int](p, `(e => [e.filter(l => l.checkVisibility()).length, e.length])([...document.querySelectorAll('.checks li')])`)
	if want := []int{10, 14}; !slices.Equal(shown, want) {
		t.Errorf("%v checks are shown of all, want %v", shown, want)
	}
	if got := eval[string](p, `document.querySelector('.kept').textContent + ', ' + document.querySelector('.checks summary').textContent`); got != "Within budget: all 14, 4 more" {
		t.Error(got)
	}
}

// shownText is all that a reader sees at once, in tables and charts, but for the sentences on top.
const shownText = `(() => { for (const e of document.querySelectorAll('h1, .answer')) e.remove();
	return document.querySelector('main').innerText.replace(/\s+/g, ' '); })()`

// What the headline says stands in one place: in a card, a check or the table of ways; all else is reached by opening it.
func TestEachFigureOnce(t *testing.T) {
	browser := startBrowser(t)
	lossy := costing(map[string]float64{"otel": 0.1, "elastic": 0.2}, "otel", "elastic")
	lossy.Lossy = []finding.Lossy{{Operation: "json", Variant: "elastic", LostShare: 0.2, Metric: "cpu_per_operation",
		Cost: &finding.Interval{Estimate: 0.2, Low: number0(0.195), High: number0(0.205)}, Where: []finding.LostAt{{Place: finding.LostInQueue, Spans: 9, Share: 0.2}}}}
	for name, doc := range map[string]*finding.Document{
		"one variant": costing(map[string]float64{"otel": 0.1}, "otel"), "some": costing(map[string]float64{"otel": 0.1, "elastic": 0.2}, "otel", "elastic"),
		"a budget": budgeted(), "lost spans": lossy,
	} {
		p := open(t, browser, doc, screen{1300, "light"})
		text := eval[string](p, shownText)
		for i := range doc.Findings {
			f := &doc.Findings[i]
			if want := parts.IntervalText(f.Relative, f.Unit, true); f.Headline && strings.Count(text, want) != 1 {
				t.Errorf("%s: %q stands %d times in %s", name, want, strings.Count(text, want), text)
			}
		}
	}
	doc := deciding()
	text := eval[string](open(t, browser, doc, screen{1300, "light"}), shownText)
	for _, w := range doc.Decisions[0].Ways {
		for _, want := range []string{parts.IntervalText(w.Relative, "1", true), parts.IntervalText(w.CPU, "CPU", false)} {
			if n := strings.Count(text, want); n != 1 {
				t.Errorf("%q of %s stands %d times", want, w.Variant, n)
			}
		}
	}
	causes, stacks := explained()
	text = eval[string](open(t, browser, causes, screen{1300, "light"}, stacks...), shownText)
	if n := strings.Count(text, "+16.0 µs (15.0 to 17.0)"); n != 1 {
		t.Errorf("a cause is told %d times", n)
	}
}

// The table of every figure is there to be opened, on a phone and elsewhere.
func TestEveryFigureIsFolded(t *testing.T) {
	p := open(t, startBrowser(t), costing(map[string]float64{"otel": 0.1}, "otel"), screen{400, "light"})
	for _, width := range []int64{400, 600, 1300} {
		p.on(screen{width, "light"})
		if seen := eval[int](p, `[...document.querySelectorAll('#figures tr')].filter(e => e.checkVisibility()).length`); seen != 0 {
			t.Errorf("%d pixels: %d rows are seen at once", width, seen)
		}
	}
	if seen := eval[int](p, `(document.querySelector('#figures summary').click(), [...document.querySelectorAll('#figures tbody tr')].filter(e => e.checkVisibility()).length)`); seen < 5 {
		t.Errorf("opened, it has %d rows", seen)
	}
	for _, width := range []int64{400, 1300} {
		p.on(screen{width, "light"})
		checkNoOverflow(t, p)
	}
}

// looksIn is the colour of each variant in a chart of lines.
const looksIn = `(id => Object.fromEntries([...document.querySelectorAll('#'+id+' .chart')].flatMap(e => e.panel.chart.getOption().series).filter(s => s.type === 'line' && s.name)
	.map(s => [s.name, s.lineStyle.color])))`

// A variant has one hue in all charts and cards, in the light and in the dark; the baseline is grey.
func TestOneHueForAVariant(t *testing.T) {
	browser := startBrowser(t)
	p := open(t, browser, ladder.make(), screen{1300, "light"})
	for _, s := range []screen{{1300, "light"}, {1300, "dark"}} {
		p.on(s)
		blocks, latency := eval[map[string]string](p, looksIn+`('blocks')`), eval[map[string]string](p, looksIn+`('latency')`)
		if diff := cmp.Diff(blocks, latency); diff != "" || len(blocks) != len(ladder.variants) {
			t.Errorf("%v: blocks and latency (-blocks +latency):\n%s", s, diff)
		}
		hues := map[string]string{}
		for name, hue := range blocks {
			if other, twice := hues[hue]; twice {
				t.Errorf("%v: %s and %s are both %s", s, name, other, hue)
			}
			hues[hue] = name
		}
		if grey := eval[string](p, `getComputedStyle(document.documentElement).getPropertyValue('--c0').trim()`); blocks["none"] != grey {
			t.Errorf("%v: the baseline is %s, want %s", s, blocks["none"], grey)
		}
		var order []string
		for _, v := range ladder.variants[1:] {
			order = append(order, blocks[v.Name])
		}
		const sorted = `.map(e => [e.getBoundingClientRect().top, e.getAttribute('stroke')]).sort((a, b) => a[0] - b[0]).map(e => e[1])`
		cost := eval[[]string](p, `[...document.querySelectorAll('#cost path[d*="A4.5 4.5"]')]`+sorted)
		if diff := cmp.Diff(order, cost[:len(order)]); diff != "" {
			t.Errorf("%v: costs (-blocks +costs):\n%s", s, diff)
		}
		cards := eval[[]string](p, `[...document.querySelector('.card').querySelectorAll('li')].map(e => getComputedStyle(e.querySelector('.hue')).getPropertyValue('--hue').trim())`)
		if diff := cmp.Diff(order, cards); diff != "" {
			t.Errorf("%v: cards (-blocks +cards):\n%s", s, diff)
		}
	}
	doc, stacks := explained()
	p = open(t, browser, doc, screen{1300, "light"}, stacks...)
	if got := eval[string](p, looksIn+`('blocks')['otel']`); !eval[bool](p, `[...document.querySelectorAll('#causes svg path')].some(e => e.getAttribute('fill') === '`+got+`')`) {
		t.Errorf("no bar of causes is %s", got)
	}
	p = open(t, browser, deciding(), screen{1300, "light"})
	if got := eval[string](p, looksIn+`('blocks')['tenth']`); !eval[bool](p, `[...document.querySelectorAll('#frontier svg path')].some(e => e.getAttribute('fill') === '`+got+`')`) {
		t.Errorf("no way on the frontier is %s", got)
	}
}

// With more variants than hues the page says so, and no two lines look alike.
func TestMoreVariantsThanHues(t *testing.T) {
	var order []string
	costs := map[string]float64{}
	for i := range 14 {
		order = append(order, fmt.Sprint("v", i))
		costs[order[i]] = 0.01 * float64(i+1)
	}
	browser := startBrowser(t)
	p := open(t, browser, costing(costs, order...), screen{1300, "light"})
	looks := eval[[]string](p, `[...document.querySelectorAll('#blocks .chart')].flatMap(e => e.panel.chart.getOption().series).filter(s => s.type === 'line').map(s => [s.lineStyle.color, s.lineStyle.type, s.symbol].join(' '))`)
	slices.Sort(looks)
	if n := len(looks); n != 15 || len(slices.Compact(looks)) != n {
		t.Errorf("%d lines, some alike: %q", n, looks)
	}
	if text := eval[string](p, `document.getElementById('cost').textContent`); !strings.Contains(text, "14 variants share 10 colours") {
		t.Error("nobody says that colours are shared")
	}
	few := open(t, browser, costing(map[string]float64{"otel": 0.1}, "otel"), screen{1300, "light"})
	if text := eval[string](few, `document.getElementById('cost').textContent`); strings.Contains(text, "share") {
		t.Error("colours are said to be shared that are not")
	}
}

// advisedOn is a result with advice: tried with a saving, tried without one, and not tried.
func advisedOn() (*finding.Document, []Stacks) {
	doc, stacks := explained()
	saves := func(low, estimate, high float64) *finding.Interval {
		return &finding.Interval{Estimate: estimate, Low: &low, High: &high}
	}
	doc.Causes[0].Advice = []finding.Advice{
		{Task: "time", Setting: map[string]string{"clock": "coarse"}, Loses: "precision"},
		{Task: "metadata", Setting: map[string]string{"details": "off"}, Loses: "names of threads"},
		{Stage: "export", Setting: map[string]string{"batch": "big"}, Loses: "nothing", Variant: "batch", Saves: saves(-1e-6, -0.2e-6, 0.6e-6)},
		{Stage: "export", Setting: map[string]string{"sampling": "10%"}, Loses: "nine of ten traces", Variant: "tenth", Saves: saves(-9e-6, -8e-6, -7e-6)},
	}
	return doc, stacks
}

// Advice is a list by what each saves; what nobody tried says so, and is last, by the size of its cause.
func TestAdviceBySaving(t *testing.T) {
	doc, stacks := advisedOn()
	p := open(t, startBrowser(t), doc, screen{1300, "light"}, stacks...)
	got := eval[[]string](p, `[...document.querySelectorAll('#advice tbody tr')].map(r => [...r.children].slice(0, 4).map(c => c.textContent.trim()).join(' | '))`)
	want := []string{
		"sampling=10% | saves 8.0 µs (7.0 to 9.0) | export | nine of ten traces",
		"batch=big | no saving seen: −0.20 µs (−1.00 to 0.60) | export | nothing",
		"details=off | not tried: what it saves is unknown | metadata | names of threads",
		"clock=coarse | not tried: what it saves is unknown | time | precision",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := eval[string](p, `document.getElementById('causes').textContent`); strings.Contains(text, "details=off") {
		t.Error("the causes tell the advice again")
	}
}

// Causes are bars with their intervals and figures; the tables are folded, and a doubt is not.
func TestCausesAreBars(t *testing.T) {
	doc := whys()
	p := open(t, startBrowser(t), doc, screen{1300, "light"})
	for _, s := range []screen{{1300, "light"}, {400, "dark"}} {
		p.on(s)
		drawn := texts(p, "causes")
		for _, want := range []string{"metadata", "+16.0 µs (15.0 to 17.0)", "the program", "−6.0 µs (−7.0 to −5.0)"} {
			if n := len(slices.DeleteFunc(slices.Clone(drawn), func(text string) bool { return text != want })); n != 1 {
				t.Errorf("%v: %q is drawn %d times in %q", s, want, n, drawn)
			}
		}
		if bars := eval[int](p, `[...document.querySelectorAll('#causes svg path')].filter(e => e.getAttribute('fill-opacity') === '0.4').length`); bars != 6 {
			t.Errorf("%v: %d bars", s, bars)
		}
		seen := eval[string](p, `document.getElementById('causes').innerText.replace(/\s+/g, ' ')`)
		if strings.Contains(seen, "callers take or wait allocated") || !strings.Contains(seen, "the shares may be off") || !strings.Contains(seen, "no causes") {
			t.Errorf("%v: %s", s, seen)
		}
		checkNoOverflow(t, p)
	}
	p.on(screen{1300, "light"})
	p.choose("causes", "Operation", "start")
	if drawn := texts(p, "causes"); !slices.Contains(drawn, "loading the tracer") || slices.Contains(drawn, "metadata") {
		t.Errorf("of the start are drawn %q", drawn)
	}
	p.checkQuiet()
}

// No line ends within a figure, nothing is to be scrolled to the side, and every text stands out from what it lies on.
func TestPageIsReadable(t *testing.T) {
	browser := startBrowser(t)
	advice, stacks := advisedOn()
	type shown struct {
		doc    *finding.Document
		stacks []Stacks
	}
	lossy := ladder.make()
	lossy.Lossy = []finding.Lossy{{Operation: "json", Variant: "api", LostShare: 0.2, Where: []finding.LostAt{{Place: finding.LostInQueue, Spans: 9, Share: 0.2}}}}
	for name, c := range map[string]shown{"advice": {advice, stacks}, "decision": {deciding(), nil}, "budget": {budgeted(), nil}, "sweep": {sweeping(2, 1, 8), nil}, "lossy": {lossy, nil}} {
		p := open(t, browser, c.doc, screen{1300, "light"}, c.stacks...)
		broken := eval[[]string](p, `(() => { const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT); const out = [];
			while (walk.nextNode()) { const e = walk.currentNode; if (e.parentElement.closest('svg, pre, code, script')) continue;
				out.push(...(e.data.match(/[0-9] (%|µs|ms|ns|s|kB|MB|B|CPU)(?![a-zA-Z])|\([^()]*[0-9] to [^()]*\)/g) ?? [])); } return out; })()`)
		if len(broken) > 0 {
			t.Errorf("%s: a line may end within %q", name, broken)
		}
		for _, s := range []screen{{1300, "light"}, {1300, "dark"}, {400, "light"}, {400, "dark"}} {
			p.on(s)
			wrong := eval[[]string](p, `(() => { const rgb = text => text.match(/[0-9.]+/g).map(Number); const light = v => v.slice(0, 3).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
					.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
				const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
				const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && e.checkVisibility();
				const faint = [...document.querySelectorAll('body *')].filter(e => !e.closest('svg, option') && own(e)).flatMap(e => { const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => x - y);
					const ratio = (b + 0.05) / (a + 0.05); return ratio < 4.5 ? [e.textContent.trim().slice(0, 40) + ' has a contrast of ' + ratio.toFixed(2)] : []; });
				const wide = [...document.querySelectorAll('.scroll')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth).map(e => e.closest('section').id + ': a table is scrolled: ' + e.scrollWidth + ' in ' + e.clientWidth);
				const cut = [...document.querySelectorAll('.chart')].filter(c => c.checkVisibility()).flatMap(c => { const box = c.getBoundingClientRect();
					return [...c.querySelectorAll('svg text')].filter(e => { const r = e.getBoundingClientRect(); return r.width > 0 && (r.left < box.left - 1 || r.right > box.right + 1); }).map(e => c.closest('section').id + ': ' + e.textContent + ' is cut off'); });
				return [...new Set([...faint, ...wide, ...cut])]; })()`)
			if len(wrong) > 0 {
				t.Errorf("%s, %v: %q", name, s, wrong)
			}
			checkNoOverflow(t, p)
		}
		p.checkQuiet()
	}
}
