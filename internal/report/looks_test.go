// How charts look to a reader: colours, order, names, axes.

package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// costing is a document whose variants cost what is given, on one operation.
func costing(costs map[string]float64, order ...string) *finding.Document {
	s := small
	s.operations = []string{"json"}
	s.variants = []finding.Variant{{Name: "none", Tracer: "none"}}
	for _, name := range order {
		s.variants = append(s.variants, finding.Variant{Name: name, Tracer: name + "-go"})
	}
	doc := s.make()
	for i := range doc.Findings {
		f := &doc.Findings[i]
		cost := costs[f.Variant]
		low, high := cost-0.005, cost+0.005
		f.Relative = &finding.Interval{Estimate: cost, Low: &low, High: &high}
		f.Value = f.Baseline * finding.Number(1+cost)
		for b := range f.Samples {
			f.Samples[b].Value = f.Samples[b].Baseline * (1 + cost)
		}
	}
	return doc
}

// texts are those of the charts of a section, from top to bottom.
func texts(p *tab, section string) []string {
	p.t.Helper()
	return eval[[]string](p, `[...document.querySelectorAll('#`+section+` .chart svg text')].map(e => [e.getBoundingClientRect().top, e.textContent]).sort((a, b) => a[0] - b[0]).map(e => e[1])`)
}

// A tracer has the same colour in every chart, whatever else is on the page, and the baseline is grey.
func TestChartsColourTracers(t *testing.T) {
	browser := startBrowser(t)
	const painted = `(id => [...new Set([...document.querySelectorAll('#'+id+' .chart svg *')].flatMap(e => [e.getAttribute('fill'), e.getAttribute('stroke')]))]
		.map(c => Array.from({length: 11}, (_, i) => 'c'+i).find(n => getComputedStyle(document.documentElement).getPropertyValue('--'+n).trim() === c)).filter(Boolean).sort().join(' '))`
	for _, c := range []struct{ variants, cost, all string }{
		{"otel", "c1", "c0 c1"}, {"elastic", "c2", "c0 c2"}, {"elastic otel", "c1 c2", "c0 c1 c2"},
	} {
		p := open(t, browser, costing(map[string]float64{"otel": 0.1, "elastic": 0.2}, strings.Fields(c.variants)...), screen{1200, "light"})
		for _, scheme := range []string{"light", "dark"} {
			p.on(screen{1200, scheme})
			for section, want := range map[string]string{"cost": c.cost, "latency": c.all, "blocks": c.all} {
				if got := eval[string](p, painted+`('`+section+`')`); got != want {
					t.Errorf("%s, %s, %s: painted %q, want %q", c.variants, scheme, section, got, want)
				}
			}
		}
		p.checkQuiet()
	}
}

// Variants stand in the order of the experiment, what lost spans below all.
func TestChartsKeepTheOrder(t *testing.T) {
	browser := startBrowser(t)
	order := func(p *tab) string {
		var names []string
		for _, text := range texts(p, "cost") {
			if name := strings.TrimSuffix(text, " †"); slices.Contains([]string{"otel", "elastic", "kieker"}, name) {
				names = append(names, name)
			}
		}
		return strings.Join(names, " ")
	}
	costs := map[string]float64{"otel": 0.3, "elastic": -0.2, "kieker": 0.1}
	doc := costing(costs, "otel", "elastic", "kieker")
	if got, want := order(open(t, browser, doc, screen{1200, "light"})), "otel elastic kieker"; got != want {
		t.Errorf("rows of %q, want %q", got, want)
	}
	doc = costing(costs, "otel", "elastic", "kieker")
	doc.Lossy = []finding.Lossy{{Operation: "json", Variant: "elastic", LostShare: 0.2}}
	if got, want := order(open(t, browser, doc, screen{390, "light"})), "otel kieker elastic"; got != want {
		t.Errorf("where one lost spans: rows of %q, want %q", got, want)
	}
	p := open(t, browser, costing(costs, "otel", "elastic", "kieker"), screen{1200, "light"})
	blocks := eval[string](p, `[...document.querySelectorAll('#blocks .chart svg text')].filter(e => /^[0-9]+$/.test(e.textContent) && e.getAttribute('text-anchor') === 'middle')
		.sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left).map(e => e.textContent).join(' ')`)
	var numbers []string
	for _, s := range doc.Findings[0].Samples {
		numbers = append(numbers, strconv.Itoa(s.Block))
	}
	if want := strings.Join(numbers, " "); blocks != want {
		t.Errorf("every block, from left to right: %q, want %q", blocks, want)
	}
	for _, name := range []string{"none", "otel", "elastic", "kieker"} {
		if n := eval[int](p, `[...document.querySelectorAll('#blocks .chart svg text')].filter(e => e.textContent === '`+name+`').length`); n != 1 {
			t.Errorf("every block names %s %d times, want once, beside its line", name, n)
		}
	}
}

// A chart can be taken elsewhere: as an SVG that needs nothing of the page.
func TestChartsCanBeSaved(t *testing.T) {
	p := open(t, startBrowser(t), costing(map[string]float64{"otel": 0.3}, "otel"), screen{1200, "dark"})
	wrong := eval[string](p, `[...document.querySelectorAll('.chart')].map(e => {
		const svg = new DOMParser().parseFromString(e.panel.svg(), 'image/svg+xml').documentElement;
		const links = [...svg.querySelectorAll('[href]')].filter(l => !l.getAttribute('href').startsWith('#'));
		return svg.nodeName === 'svg' && svg.hasAttribute('viewBox') && svg.querySelector('path') && links.length === 0 && !svg.outerHTML.includes('var(--') ? '' : svg.outerHTML.slice(0, 200);
	}).join('')`)
	if wrong != "" {
		t.Errorf("no SVG that stands alone: %s", wrong)
	}
	if charts, buttons := eval[int](p, `document.querySelectorAll('.chart').length`), eval[int](p, `document.querySelectorAll('.chart + .save').length`); charts == 0 || charts != buttons {
		t.Errorf("%d buttons for %d charts", buttons, charts)
	}
}

// An axis is logarithmic where the longest row leaves the others no room, and says so.
func TestChartsGoLogarithmicForOneOutlier(t *testing.T) {
	browser := startBrowser(t)
	for name, c := range map[string]struct {
		costs map[string]float64
		want  string
	}{
		"alike":           {map[string]float64{"otel": 0.1, "elastic": 0.2, "kieker": 0.15}, ""},
		"nine times":      {map[string]float64{"otel": 0.1, "elastic": 0.1, "kieker": 0.9}, ""},
		"fifteen times":   {map[string]float64{"otel": 0.1, "elastic": 0.1, "kieker": 1.6}, "logarithmic beyond 10 %"},
		"one is small":    {map[string]float64{"otel": 0.01, "elastic": 0.9, "kieker": 1}, ""},
		"on both sides":   {map[string]float64{"otel": 0.1, "elastic": -0.1, "kieker": 1.6}, "logarithmic beyond ±10 %"},
		"two rows, apart": {map[string]float64{"otel": 0.01, "elastic": 2}, ""},
	} {
		var variants []string
		for _, v := range []string{"otel", "elastic", "kieker"} {
			if _, has := c.costs[v]; has {
				variants = append(variants, v)
			}
		}
		p := open(t, browser, costing(c.costs, variants...), screen{1200, "light"})
		got := ""
		for _, text := range texts(p, "cost") {
			if strings.HasPrefix(text, "logarithmic") {
				got = text
			}
		}
		if got != c.want {
			t.Errorf("%s: the axis says %q, want %q", name, got, c.want)
		}
		p.checkQuiet()
	}
}

// One overloaded run does not stretch the axis of the others: it stands at the edge, with its figure.
func TestOneRunDoesNotStretchTheAxis(t *testing.T) {
	browser := startBrowser(t)
	labels := func(overloaded bool) []string {
		doc := costing(map[string]float64{"otel": 0.1}, "otel")
		for i := range doc.Findings {
			if f := &doc.Findings[i]; f.Metric == "cpu_per_operation" && f.Role == "" && overloaded {
				f.Samples[3].Value = 777e-6
			}
		}
		p := open(t, browser, doc, screen{1200, "light"})
		p.checkQuiet()
		return slices.DeleteFunc(texts(p, "blocks"), func(text string) bool { return !strings.HasSuffix(text, "s") })
	}
	calm, stretched := labels(false), labels(true)
	if i := slices.Index(stretched, "777 µs"); i < 0 {
		t.Errorf("the overloaded run has no figure: %q", stretched)
	} else if rest := slices.Delete(slices.Clone(stretched), i, i+1); len(calm) < 3 || !slices.Equal(rest, calm) {
		t.Errorf("the axis has %q, without that run %q", rest, calm)
	}
}

// ticksOf are the figures of an axis in percent.
func ticksOf(all []string) []float64 {
	var out []float64
	for _, text := range all {
		number, percent := strings.CutSuffix(strings.ReplaceAll(strings.ReplaceAll(text, "−", "-"), ",", ""), " %")
		if v, err := strconv.ParseFloat(number, 64); err == nil && percent {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// The ends of an axis are round figures, and all figures are between them.
func TestChartsHaveRoundEnds(t *testing.T) {
	browser := startBrowser(t)
	for _, costs := range []map[string]float64{
		{"otel": 0.1267, "elastic": -0.5585, "kieker": -0.2}, {"otel": 0.03, "elastic": 0.07, "kieker": 0.04},
		{"otel": 0.1, "elastic": 0.1, "kieker": 7.43}, {"otel": -0.1, "elastic": -0.3, "kieker": -0.999},
	} {
		p := open(t, browser, costing(costs, "otel", "elastic", "kieker"), screen{1200, "light"})
		ticks := ticksOf(texts(p, "cost"))
		if len(ticks) < 3 {
			t.Fatalf("%v: ticks at %v", costs, ticks)
		}
		low, high := 0.0, 0.0
		for _, c := range costs {
			low, high = min(low, 100*c-0.5), max(high, 100*c+0.5)
		}
		if ticks[0] > low || ticks[len(ticks)-1] < high {
			t.Errorf("%v: the axis is from %v to %v", costs, ticks[0], ticks[len(ticks)-1])
		}
		for _, v := range []float64{ticks[0], ticks[len(ticks)-1]} {
			if v == 0 {
				continue
			}
			ten := math.Pow(10, math.Floor(math.Log10(math.Abs(v))))
			if digits := 10 * v / ten; math.Abs(digits-math.Round(digits)) > 1e-6 { // two at most
				t.Errorf("%v: an end of the axis is %v", costs, v)
			}
		}
	}
}

// Every line is named where it ends, no name covers another, and nobody needs a legend.
func TestChartsNameTheirLines(t *testing.T) {
	browser := startBrowser(t)
	for section, doc := range map[string]*finding.Document{"latency": ladder.make(), "sweeps": sweeping(5, 1, 4, 16, 64), "searches": searching(4, false)} {
		var names []string
		for _, v := range doc.Experiment.Variants {
			names = append(names, v.Name)
		}
		p := open(t, browser, doc, screen{1200, "light"})
		for _, s := range []screen{{1200, "light"}, {390, "dark"}} {
			p.on(s)
			quoted := `['` + strings.Join(names, `', '`) + `']`
			panels := eval[[][]string](p, `[...document.querySelectorAll('#`+section+` .chart')].map(c => [...c.querySelectorAll('svg text')].map(e => e.textContent).filter(t => `+quoted+`.includes(t)).sort())`)
			slices.Sort(names)
			if len(panels) == 0 {
				t.Fatalf("%s: nothing is drawn", section)
			}
			for _, got := range panels {
				if !slices.Equal(got, names) {
					t.Errorf("%s, %d pixels: lines are named %q, want %q", section, s.width, got, names)
				}
			}
			covered := eval[int](p, `[...document.querySelectorAll('#`+section+` .chart')].map(c => [...c.querySelectorAll('svg text')].filter(e => `+quoted+`.includes(e.textContent)).map(e => e.getBoundingClientRect()))
				.reduce((n, rs) => n + rs.filter((a, i) => rs.some((b, j) => i < j && a.top < b.bottom - 3 && b.top < a.bottom - 3 && a.left < b.right && b.left < a.right)).length, 0)`)
			if covered > 0 {
				t.Errorf("%s, %d pixels: %d names are covered", section, s.width, covered)
			}
			if legend := eval[string](p, `document.querySelector('#`+section+` .legend').textContent`); legend != "" {
				t.Errorf("%s: there is a legend too: %q", section, legend)
			}
			p.checkQuiet()
		}
	}
}

func TestLatencyNamesTheTail(t *testing.T) {
	p := open(t, startBrowser(t), ladder.make(), screen{1200, "light"})
	for _, width := range []int64{1200, 390} {
		p.on(screen{width, "light"})
		panels := eval[[][]string](p, `[...document.querySelectorAll('#latency .chart')].map(c => [...c.querySelectorAll('svg text')].map(e => e.textContent))`)
		for _, all := range panels {
			if !slices.Contains(all, "p95") || !slices.Contains(all, "p99") {
				t.Errorf("%d pixels: the axis names %q", width, all)
			}
		}
	}
}

// On a phone a ledger is read without scrolling it to the side, in its chart and in its table.
func TestLedgerFitsAPhone(t *testing.T) {
	doc := ladder.make()
	for i := range doc.Ledgers {
		doc.Ledgers[i].Pages = []finding.Page{{From: finding.PageApp, To: "collector", Outcome: finding.HopLost}, {From: "collector", To: finding.PageSink, Outcome: finding.HopLost}}
	}
	p := open(t, startBrowser(t), doc, screen{400, "light"})
	p.on(screen{400, "light"})
	if wide := eval[[]int](p, `(e => [e.scrollWidth, e.clientWidth])(document.querySelector('#ledger .scroll'))`); wide[0] > wide[1] {
		t.Errorf("the table is %d pixels wide in a place of %d", wide[0], wide[1])
	}
	drawn := texts(p, "ledger")
	if !slices.Contains(drawn, "json · simple") || !slices.Contains(drawn, "tracer says dropped 1.20 %") || strings.Contains(strings.Join(drawn, ""), "…") {
		t.Errorf("the chart reads %q", drawn)
	}
	doc = small.make() // nothing is lost
	p = open(t, theBrowser(t), doc, screen{400, "light"})
	wrong := eval[[]string](p, `[...document.querySelectorAll('#ledger tbody :is(th, td)')].filter(e => e.textContent.trim()).flatMap(e => [
		getComputedStyle(e, '::before').content.includes(e.dataset.head) ? '' : e.textContent + ' has no label', getComputedStyle(e).color === getComputedStyle(document.body).color ? '' : e.textContent + ' is grey'].filter(Boolean))`)
	if n := eval[int](p, `document.querySelectorAll('#ledger tbody td').length`); len(wrong) > 0 || n == 0 {
		t.Errorf("of %d cells: %q", n, wrong)
	}
	p.checkQuiet()
}

// Where nothing was lost a sentence says so, and no bar does.
func TestNoBarWithoutLoss(t *testing.T) {
	p := open(t, startBrowser(t), small.make(), screen{1200, "light"})
	if got := eval[int](p, `document.querySelectorAll('#ledger .chart').length`); got != 0 {
		t.Errorf("%d charts of ledgers that lost nothing", got)
	}
	if got, want := eval[string](p, `document.querySelector('#ledger .lead').textContent`), "Nothing was lost: all 240,411 spans came."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// The services of a graph are drawn with their names and what is added to them, beside each other and below each other, in the
// colours of the variant that is chosen.
func TestServicesAreDrawn(t *testing.T) {
	doc := graphed()
	p := open(t, startBrowser(t), doc, screen{1300, "light"})
	const texts = `[...document.querySelectorAll('#services .chart text')]`
	for _, s := range []screen{{1300, "light"}, {1300, "dark"}, {400, "light"}, {400, "dark"}} {
		p.on(s)
		shown := eval[[]string](p, texts+`.map(e => e.textContent.trim())`)
		for _, c := range doc.Services {
			if c.Variant == "otel" && c.Service != "" && (!slices.Contains(shown, c.Service) || !slices.Contains(shown, finding.FormatEstimate(*c.Absolute, "s", false))) {
				t.Errorf("%v: %s and what is added to it are not among %q", s, c.Service, shown)
			}
		}
		wrong := eval[[]string](p, `(() => { const of = `+texts+`.map(e => [e.textContent, e.getBoundingClientRect()]);
			const place = document.querySelector('#services .chart').getBoundingClientRect();
			return [...of.filter(([, b]) => b.left < place.left || b.right > place.right || b.bottom > place.bottom + 1).map(([text]) => text + ' is cut off'),
				...of.flatMap(([a, x], i) => of.slice(i + 1).filter(([, y]) => x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 3 && y.top < x.bottom - 3).map(([b]) => a + ' lies over ' + b))]; })()`)
		if len(wrong) > 0 {
			t.Errorf("%v: %q", s, wrong)
		}
		checkNoOverflow(t, p)
	}
	const fills = `[...document.querySelectorAll('#services .chart path')].map(e => e.getAttribute('fill')).filter(f => f && f !== 'none')`
	first := eval[[]string](p, fills)
	if different := slices.Compact(slices.Sorted(slices.Values(first))); len(different) < 5 {
		t.Errorf("services to which something else is added each have the colours %q", different)
	}
	if got, want := eval[int](p, `Number(document.querySelectorAll('#services .controls select').length)`), 1; got != want {
		t.Errorf("%d lists to choose from, want %d: of the variants", got, want)
	}
	before := eval[string](p, `document.querySelector('#services .chart').textContent`)
	if after := eval[string](p, `(() => { const s = document.querySelector('#services select'); s.value = s.options[1].value; s.dispatchEvent(new Event('change')); return document.querySelector('#services .chart').textContent; })()`); after == before {
		t.Error("another variant is drawn with the same figures")
	}
	p.checkQuiet()
}
