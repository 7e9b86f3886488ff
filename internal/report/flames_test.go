// The flame graph: what is drawn of stacks, and how it is gone through.

package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/report/view"
)

// stack is one of a side, in µs of CPU per operation.
type stack struct {
	side   int
	kind   profile.Kind
	frames string // with ; between
	amount int64
}

func tracing(stage, task string) profile.Kind {
	return profile.Kind{Owner: profile.Tracer, Does: profile.Does{Stage: stage, Task: task}}
}

var (
	ofProgram = profile.Kind{Owner: profile.Program}
	ofRuntime = profile.Kind{Owner: profile.Runtime}
)

// folded is a tree of two sides.
func folded(stacks ...stack) *profile.Tree {
	tree := profile.NewTree(2)
	for _, s := range stacks {
		one := &profile.Sorted{Profile: &profile.Profile{}, Kinds: []profile.Kind{s.kind}}
		var frames []int32
		for i, name := range strings.Split(s.frames, ";") {
			name, file, _ := strings.Cut(name, " ")
			one.Frames, frames = append(one.Frames, profile.Frame{Name: name, File: file}), append(frames, int32(i))
		}
		one.Samples = []profile.Sample{{Stack: frames, Value: s.amount}}
		tree.Add(s.side, one, 1e-6)
	}
	return tree
}

// explained is a result with the causes of one operation, and its stacks: old is gone, fresh is new, the tracer is new. In the
// graph of both variants the sizes are 30 + 10 + 4 of the program, 24 of the tracer, 2 of the runtime and 3 that are not seen.
func explained() (*finding.Document, []Stacks) {
	doc := small.make()
	doc.Causes = []finding.Causes{{Operation: "json", Variant: "otel", Against: "none", Profilers: []string{"perf"}, Samples: 9000, Tracing: 4000}}
	for name, amount := range map[string]float64{"cpu_task_metadata": 16, "cpu_task_time": 6, metric.CPUNoRule: 2, metric.CPUProgram: -6, metric.CPURuntime: 2, metric.CPUUnseen: 2} {
		low, high := (amount-1)*1e-6, (amount+1)*1e-6
		f := finding.Finding{Operation: "json", Variant: "otel", Against: "none", Metric: name, Unit: "s", Better: "lower", Blocks: 8, Absolute: &finding.Interval{Estimate: amount * 1e-6, Low: &low, High: &high}}
		doc.Findings = append(doc.Findings, f)
	}
	return doc, []Stacks{{Operation: "json", Variants: []string{"none", "otel"}, Unseen: []float64{1e-6, 3e-6}, Tree: folded(
		stack{0, ofProgram, "main;handle;work", 30}, stack{0, ofProgram, "main;handle;old", 10},
		stack{1, ofProgram, "main;handle;work", 30}, stack{1, ofProgram, "main;handle;fresh", 4},
		stack{1, tracing("instrumentation", "metadata"), "Span.setAttribute trace/span.py", 8},
		stack{1, tracing("instrumentation", "metadata"), "Span.setAttribute trace/span.py;encode", 4},
		stack{1, tracing("export", "metadata"), "trace.Exporter.resource", 4},
		stack{1, tracing("instrumentation", "time"), "now", 6},
		stack{1, tracing("export", profile.NoRule), "trace.misc", 2}, stack{1, ofRuntime, "gc", 2},
	)}}
}

// whys is a result with all that is told of causes: of json amounts, of work why there are none, and of the start its parts.
func whys() *finding.Document {
	doc, _ := explained()
	add := func(operation, name, unit string, base, adds float64) {
		low, high := 0.9*adds, 1.1*adds
		doc.Findings = append(doc.Findings, finding.Finding{Operation: operation, Variant: "otel", Against: "none", Metric: name, Unit: unit, Better: "lower", Blocks: 8,
			Baseline: finding.Number(base), Value: finding.Number(base + adds), Absolute: &finding.Interval{Estimate: adds, Low: &low, High: &high}})
	}
	for name, adds := range map[string]float64{"cpu_stage_export": 6e-6, "cpu_stage_instrumentation": 18e-6, metric.CPUTracing: 24e-6, metric.CPUCallers: 18e-6, metric.Waits("cpu_task_metadata"): 17e-6, metric.Waits("cpu_stage_instrumentation"): 21e-6} {
		add("json", name, "s", 0, adds)
	}
	add("json", metric.Allocates("cpu_task_metadata"), "bytes", 0, 3200)
	for name, part := range map[string][2]float64{"loading-program": {0.3, 0.05}, "loading-tracer": {0, 0.42}, "set-up": {0, 0.024}, metric.StartRest: {0.1, 0.02}, "": {0.4, 0.514}, profile.Beside: {0.2, 1.1}} {
		add("", metric.StartName(name), "s", part[0], part[1])
	}
	add("", metric.StartupTime, "s", 0.35, 0.5)
	json := &doc.Causes[0]
	low, high := 4e-6, 9e-6
	json.Added, json.AddedMuch = &finding.Interval{Estimate: 7e-6, Low: &low, High: &high}, true
	json.Waits, json.Allocated = 900, 700
	json.Unruled = []finding.UnruledFrame{{Frame: "trace.misc", Share: 0.06}, {Frame: "trace.other (trace/other.py)", Share: 0.02}}
	json.Advice = []finding.Advice{{Task: "metadata", Setting: map[string]string{"details": "off"}, Loses: "names of threads"}}
	doc.Causes = append(doc.Causes, finding.Causes{Operation: "work", Variant: "otel", Against: "none", Profilers: []string{"async-profiler (timers)"}, Samples: 800, Tracing: 700, Waits: 20, WaitsLow: true, Reasons: []finding.Reason{
		{Code: finding.WhyRestless, Variant: "otel", Figures: []finding.Figure{{Name: "share", Value: 0.4, Unit: "1"}}},
	}}, finding.Causes{Variant: "otel", Against: "none", Profilers: []string{"async-profiler"}})
	return doc
}

// box is a function of JavaScript: the left edge and the width of what is drawn with a name, as shares of the drawing.
const box = `(name => { const chart = document.querySelector('#flames .chart'); chart.scrollIntoView();
	const text = [...chart.querySelectorAll('svg text')].find(e => e.textContent === name); if (!text) return [];
	const t = text.getBoundingClientRect(), c = chart.getBoundingClientRect();
	const r = document.elementsFromPoint(t.left + 1, t.top + t.height / 2).find(e => e.tagName === 'path' && e.closest('#flames')).getBoundingClientRect();
	return [(r.left - c.left) / c.width, r.width / c.width]; })`

// drawnAt holds what is drawn with a name against shares of the drawing, within two pixels.
func (p *tab) drawnAt(name string, left, width float64) {
	p.t.Helper()
	got := eval[[]float64](p, box+fmt.Sprintf(`(%q)`, name))
	off := 2.5 / eval[float64](p, `document.querySelector('#flames .chart').clientWidth`)
	if len(got) != 2 || math.Abs(got[0]-left) > off || math.Abs(got[1]-width) > off {
		p.t.Errorf("%s is drawn at %.4v, want %.4f, %.4f wide", name, got, left, width)
	}
}

// choose chooses from a list by its label.
func (p *tab) choose(section, label, text string) {
	p.t.Helper()
	if !eval[bool](p, fmt.Sprintf(`(() => { const s = [...document.querySelectorAll('#%s .controls label')].find(l => l.firstChild.textContent === %q)?.querySelector('select');
		const o = [...(s?.options ?? [])].find(o => o.text === %q); if (!o) return false;
		s.value = o.value; s.dispatchEvent(new Event('change')); return true; })()`, section, label, text)) {
		p.t.Fatalf("nothing to choose as %s %q", label, text)
	}
}

func (p *tab) key(name string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: %q, bubbles: true }))`, name))
}

func (p *tab) status() string {
	p.t.Helper()
	return eval[string](p, `document.querySelector('#flames [role=status]').textContent`)
}

// Widths are amounts: of two variants the larger one of each function, of one its own; what is gone is drawn.
func TestFlames(t *testing.T) {
	doc, stacks := explained()
	p := open(t, startBrowser(t), doc, screen{1300, "light"}, stacks...)
	const both, otel = 73.0, 63.0
	p.drawnAt("the program", 0, 44/both)
	p.drawnAt("old", 30/both, 10/both)
	p.drawnAt("fresh", 40/both, 4/both)
	p.drawnAt("tracing", 44/both, 24/both)
	p.drawnAt("metadata", 44/both, 16/both)
	p.drawnAt("encode", 44/both, 4/both)
	if fills := eval[[]string](p, `[...new Set([...document.querySelectorAll('#flames .chart svg path')].map(e => e.getAttribute('fill')))]`); len(fills) < 4 {
		t.Errorf("added, gone and as before have the colours %q", fills)
	}
	p.choose("flames", "Shown", "otel")
	p.drawnAt("the program", 0, 34/otel)
	p.drawnAt("fresh", 30/otel, 4/otel)
	if got := eval[[]float64](p, box+`("old")`); len(got) != 0 {
		t.Errorf("what otel lacks is drawn at %v", got)
	}
	p.choose("flames", "By", "stage")
	p.drawnAt("tracing", 34/otel, 24/otel)
	p.drawnAt("instrumentation", 34/otel, 18/otel)
	p.drawnAt("now", 46/otel, 6/otel)
	p.choose("flames", "Shown", "none")
	p.drawnAt("the program", 0, 40/41.0)
	p.checkQuiet()
}

// A click and the keyboard open a function, and go back; a search tells what it found.
func TestFlamesAreGoneThrough(t *testing.T) {
	doc, stacks := explained()
	p := open(t, startBrowser(t), doc, screen{1300, "light"}, stacks...)
	at := eval[[]float64](p, `(() => { const chart = document.querySelector('#flames .chart'); chart.scrollIntoView({ block: 'center' });
		const r = [...chart.querySelectorAll('svg text')].find(e => e.textContent === 'metadata').getBoundingClientRect(); return [r.x + 3, r.y + r.height / 2]; })()`)
	p.click(at[0], at[1])
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](`[...document.querySelectorAll('#flames .controls button')].some(b => !b.hidden)`)); err != nil {
		t.Fatal("a click opens nothing: ", err)
	}
	p.drawnAt("metadata", 0, 1)
	p.drawnAt("tracing", 0, 1)
	p.drawnAt("trace.span · Span.setAttribute", 0, 12/16.0)
	if got := eval[[]float64](p, box+`("the program")`); len(got) != 0 {
		t.Errorf("beside what is opened the program is drawn at %v", got)
	}
	eval[bool](p, `(document.querySelector('#flames .chart').focus(), true)`)
	p.key("ArrowDown")
	if got := p.status(); !strings.Contains(got, "setAttribute") || !strings.Contains(got, "trace/span.py") || !strings.Contains(got, "+12.0 µs") {
		t.Errorf("below metadata: %q", got)
	}
	p.key("ArrowRight")
	if got := p.status(); !strings.Contains(got, "trace.Exporter.resource") {
		t.Errorf("beside it: %q", got)
	}
	p.key("ArrowLeft")
	p.key("Enter")
	p.drawnAt("encode", 0, 4/12.0)
	p.key("Escape")
	p.drawnAt("trace.span · Span.setAttribute", 0, 12/16.0)
	p.key("Home")
	p.drawnAt("tracing", 44/73.0, 24/73.0)
	for wanted, figure := range map[string]string{"TRACE.SPAN": "+12.0 µs", "trace/": "+12.0 µs", "handle": "-6.00 µs", "nowhere": "nowhere", "gc": "+2.00 µs"} {
		eval[bool](p, fmt.Sprintf(`(() => { const s = document.querySelector('#flames input'); s.value = %q; return s.dispatchEvent(new Event('input')); })()`, wanted))
		if got := strings.ReplaceAll(p.status(), "−", "-"); !strings.Contains(got, figure) {
			t.Errorf("a search for %s tells %q, want %s in it", wanted, got, figure)
		}
	}
	p.checkQuiet()
}

// Every name can be read, on each screen; names from outside are text; the page is no wider than the screen.
func TestFlamesFit(t *testing.T) {
	doc, stacks := explained()
	stacks[0].Tree.Add(1, &profile.Sorted{Profile: &profile.Profile{Frames: []profile.Frame{{Name: "</script><script>alert(1)</script>;b", File: `<img src=x onerror="alert(2)">`}, {Name: strings.Repeat("long.", 200) + "<b>x</b>"}},
		Samples: []profile.Sample{{Stack: []int32{0, 1}, Value: 40}}}, Kinds: []profile.Kind{tracing("export", "network")}}, 1e-6)
	p := open(t, startBrowser(t), doc, screen{1300, "light"}, stacks...)
	for _, s := range []screen{{1300, "light"}, {1300, "dark"}, {400, "dark"}, {400, "light"}} {
		for _, shown := range []string{"otel against none", "otel"} {
			p.on(s)
			p.choose("flames", "Shown", shown)
			wrong := eval[[]string](p, `(() => { const chart = document.querySelector('#flames .chart'); chart.scrollIntoView(); const light = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
					.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
				const rgb = text => text.startsWith('#') ? [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16)) : text.match(/[0-9.]+/g).slice(0, 3).map(Number);
				const edge = chart.getBoundingClientRect();
				return [...chart.querySelectorAll('svg text')].flatMap(e => { const r = e.getBoundingClientRect();
					const below = document.elementsFromPoint(r.left + 1, r.top + r.height / 2).find(o => o.tagName === 'path' && o.closest('#flames')); if (!below) return [e.textContent + ' stands on nothing'];
					const [a, b] = [e, below].map(o => light(rgb(o.getAttribute('fill')))).sort(); const ratio = (b + 0.05) / (a + 0.05); const box = below.getBoundingClientRect();
					return [ratio < 4.5 ? e.textContent + ' has a contrast of ' + ratio.toFixed(1) : '', r.right > box.right + 0.5 ? e.textContent + ' goes beyond its function' : '', box.right > edge.right + 0.5 ? 'too wide' : ''].filter(Boolean); }); })()`)
			if len(wrong) > 0 {
				t.Errorf("%v, %s: %q", s, shown, wrong)
			}
			if n := eval[int](p, `document.querySelectorAll('#flames .chart svg text').length`); n < 6 {
				t.Errorf("%v, %s: %d names", s, shown, n)
			}
			checkNoOverflow(t, p)
		}
	}
	checkNothingSmuggled(t, p)
	p.checkQuiet()
}

// The section as a page has it.
func TestFlamesGolden(t *testing.T) {
	doc, stacks := explained()
	stacks = append(stacks, Stacks{Operation: "work", Variants: []string{"none"}, Failure: errors.New("reading the profiles of work: profiles/1.pb.gz: no such file")})
	var b bytes.Buffer
	if err := HTMLWith(&b, doc, stacks); err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(b.String(), `<section id="flames"`)
	section, _, ends := strings.Cut(section, "</section>")
	if !found || !ends {
		t.Fatal("the page has no section of them")
	}
	golden(t, "flames.html", []byte(`<section id="flames"`+section+"</section>\n"))
}

// many are different stacks of 20 frames on two sides.
func many(n int) *profile.Tree {
	random := rand.New(rand.NewPCG(1, 2))
	tree := profile.NewTree(2)
	one := &profile.Sorted{Profile: &profile.Profile{}}
	for i := range 4000 {
		one.Frames = append(one.Frames, profile.Frame{Name: fmt.Sprintf("com.example.shop.package%d.Class%d.method%d", i%40, i%400, i), File: fmt.Sprintf("package%d/Class%d.java", i%40, i%400)})
	}
	for range n {
		frames := []int32{0, 1, 2, 3}
		for range 16 {
			frames = append(frames, int32(random.ExpFloat64()*300)%4000)
		}
		one.Samples = append(one.Samples, profile.Sample{Stack: frames, Value: 1 + int64(random.ExpFloat64()*100)})
		one.Kinds = append(one.Kinds, []profile.Kind{ofProgram, tracing("export", "network"), tracing("instrumentation", "time")}[random.IntN(3)])
	}
	tree.Add(0, one, 1e-9)
	tree.Add(1, one, 2e-9)
	return tree
}

// However many stacks there are, the page has 2 MB of them at most; sums stay, and what is left out is told.
func TestFlamesAreBounded(t *testing.T) {
	doc, stacks := explained()
	notes := func(stacks []Stacks) (int, parts.ChartFlames) {
		p := view.Whole(doc)
		view.AddStacks(p, doc, stacks)
		for _, s := range p.Sections {
			if s.ID == "flames" {
				return len(s.Notes), p.Charts.(*parts.Charts).Flames[0]
			}
		}
		t.Fatal("there is no section of them")
		return 0, parts.ChartFlames{}
	}
	before, _ := notes(stacks)
	stacks[0].Tree = many(50_000)
	var with, without bytes.Buffer
	if err := errors.Join(HTMLWith(&with, doc, stacks), HTML(&without, doc)); err != nil {
		t.Fatal(err)
	}
	size := with.Len() - without.Len()
	after, chart := notes(stacks)
	if size > 2<<20+10_000 || size < 1<<20 || after != before+1 {
		t.Errorf("50,000 stacks take %d bytes, and %d notes are told, before %d", size, after, before)
	}
	var sums [2]float64
	for i := 0; i < len(chart.Own); i += 4 {
		sums[0], sums[1] = sums[0]+float64(chart.Own[i+2])*chart.Unit, sums[1]+float64(chart.Own[i+3])*chart.Unit
	}
	for side, total := range stacks[0].Tree.Total() {
		if want := total + stacks[0].Unseen[side]; math.Abs(sums[side]-want) > 1e-4*want {
			t.Errorf("side %d has %g on the page, want %g", side, sums[side], want)
		}
	}
}

// BenchmarkFlames draws 50,000 stacks in a browser, and opens a function of them.
func BenchmarkFlames(b *testing.B) {
	doc, stacks := explained()
	stacks[0].Tree = many(50_000)
	browser := theBrowser(b)
	var drawn, opened, memory float64
	for b.Loop() {
		p := open(b, browser, doc, screen{1300, "light"}, stacks...)
		times, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]float64](`new Promise(done => { const s = document.querySelectorAll('#flames select')[1]; const chart = () => document.querySelector('#flames .chart');
			const after = then => requestAnimationFrame(() => requestAnimationFrame(then)); const from = performance.now();
			s.value = s.options[0].value; s.dispatchEvent(new Event('change'));
			after(() => { const drawn = performance.now(); chart().focus(); for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) chart().dispatchEvent(new KeyboardEvent('keydown', { key }));
				after(() => done([drawn - from, performance.now() - drawn, performance.memory.usedJSHeapSize / 1e6])); }); })`, chromedp.EvalAwaitPromise))
		p.must(err)
		drawn, opened, memory = max(drawn, times[0]), max(opened, times[1]), max(memory, times[2])
	}
	b.ReportMetric(drawn, "ms-drawn")
	b.ReportMetric(opened, "ms-opened")
	b.ReportMetric(memory, "MB")
	b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N))/1e9, "s/page")
}
