// The ways of tracing beside each other, in a terminal and on the page.

package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// deciding is a result with ways that keep different shares of the traces: all of them twice, a tenth, and a way that loses spans.
func deciding() *finding.Document {
	doc := shape{
		operations: []string{"json"}, blocks: 8,
		variants: []finding.Variant{{Name: "none", Tracer: "none"}, {Name: "all", Tracer: "otel-go"}, {Name: "tenth", Tracer: "otel-go"},
			{Name: "collector", Tracer: "otel-go"}, {Name: "lossy", Tracer: "otel-go"}},
	}.make()
	between := func(low, estimate, high float64) *finding.Interval {
		return &finding.Interval{Estimate: estimate, Low: &low, High: &high}
	}
	doc.Decisions = []finding.Decision{{
		Operation: "json", Baseline: "none", Rate: 500, Carries: between(19000, 19200, 19400), Whole: "all",
		Ways: []finding.Way{
			{Variant: "all", Kept: 1, Relative: between(0.5, 0.57, 0.6), CPU: between(0.013, 0.0148, 0.0156), Carries: between(12100, 12230, 12400), Standing: finding.OnFrontier},
			{Variant: "tenth", Kept: 0.101, Relative: between(0.2, 0.21, 0.22), CPU: between(0.0052, 0.0055, 0.0057), Carries: between(15700, 15900, 16000),
				Saves: between(0.61, 0.63, 0.65), Standing: finding.OnFrontier},
			{Variant: "collector", Kept: 1, Relative: between(0.65, 0.7, 0.72), CPU: between(0.0169, 0.0182, 0.0187), Carries: between(11100, 11300, 11600),
				Standing: finding.Dominated, By: "all"},
			{Variant: "lossy", Kept: 0.8, Relative: between(0.01, 0.02, 0.03), CPU: between(0.0002, 0.0005, 0.0008), Carries: between(18700, 18800, 19000),
				Standing: finding.LosesSpans, Lost: 0.2},
		},
	}}
	for _, f := range []finding.Finding{
		{Variant: "all", Metric: metric.MemoryPeak, Unit: "bytes", Absolute: between(150e6, 162e6, 170e6), Relative: between(1.2, 1.28, 1.3)},
		{Variant: "tenth", Metric: metric.MemoryPeak, Unit: "bytes", Absolute: between(140e6, 150e6, 160e6), Relative: between(1.1, 1.2, 1.25)},
		{Variant: "all", Metric: metric.StartupTime, Unit: "s", Absolute: between(2.2, 2.4, 2.5), Relative: between(1.8, 1.9, 2.1)},
	} {
		f.Against, f.Baseline, f.Value, f.Blocks = "none", 1, 2, 8
		doc.Findings = append(doc.Findings, f)
	}
	return doc
}

func TestGoldenDecision(t *testing.T) {
	for ending, opts := range map[string]TerminalOptions{"80.txt": {Width: 80}, "140.txt": {Width: 140, Color: true}, "all.txt": {}} {
		t.Run(ending, func(t *testing.T) {
			var got bytes.Buffer
			sizes := []Size{{Number: 40, Unit: "cores"}, {Number: 12, Unit: "machines"}}
			if opts.Width == 80 { // there is room for one of them
				sizes = sizes[:1]
			}
			if err := Decision(&got, deciding(), opts, sizes...); err != nil {
				t.Fatal(err)
			}
			golden(t, "decision."+ending, got.Bytes())
			for _, line := range strings.Split(got.String(), "\n") {
				if opts.Width > 0 && !strings.HasPrefix(line, "\x1b") && len([]rune(line)) > opts.Width && !opts.Color {
					t.Errorf("a line of %d columns: %q", len([]rune(line)), line)
				}
			}
		})
	}
}

// The chart has a mark for each way, each named once, in the colour of its variant; what is none to choose is grey.
func TestFrontier(t *testing.T) {
	p := open(t, startBrowser(t), deciding(), screen{1200, "light"})
	for _, s := range []screen{{1200, "light"}, {1300, "dark"}, {400, "dark"}, {400, "light"}} {
		p.on(s)
		drawn := texts(p, "frontier")
		for _, name := range []string{"all", "tenth", "collector", "lossy"} {
			if n := len(slices.DeleteFunc(slices.Clone(drawn), func(text string) bool { return text != name })); n != 1 {
				t.Errorf("%d pixels, %s: %s is named %d times: %q", s.width, s.scheme, name, n, drawn)
			}
		}
		if !slices.Contains(drawn, "10 %") || !slices.Contains(drawn, "100 %") {
			t.Errorf("%d pixels: the axis names %q", s.width, drawn)
		}
		fills := eval[[]string](p, `(() => { const c = n => getComputedStyle(document.documentElement).getPropertyValue(n).trim();
			const marks = [...document.querySelectorAll('#frontier svg path')].map(e => e.getAttribute('fill')).filter(f => f && f !== 'none');
			return [c('--c1'), c('--c2'), c('--c3'), c('--c4')].map(k => marks.includes(k) ? 'there' : 'missing'); })()`)
		if want := []string{"there", "there", "missing", "missing"}; !slices.Equal(fills, want) {
			t.Errorf("%d pixels, %s: filled are %q, want %q", s.width, s.scheme, fills, want)
		}
		checkNoOverflow(t, p)
	}
	text := eval[string](p, `document.getElementById('frontier').textContent.replace(/\s+/g, ' ')`)
	for _, want := range []string{"json at 500/s", "dearer than all", "loses 20.0 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if answer := eval[string](p, `document.querySelector('h1 + .answer').textContent`); !strings.Contains(answer, "and 19,200/s (19,000 to 19,400) without") || strings.Contains(text, "nothing else") {
		t.Errorf("below the sentence on top: %q", answer)
	}
	p.checkQuiet()
}

// Where all ways keep every trace there is nothing to choose: the answer ends with what it means, and the page has no frontier.
func TestNoFrontier(t *testing.T) {
	doc := deciding()
	doc.Decisions[0].Ways = doc.Decisions[0].Ways[:1]
	var page, terminal bytes.Buffer
	if err := HTML(&page, doc); err != nil {
		t.Fatal(err)
	}
	if err := Terminal(&terminal, doc, TerminalOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), `id="frontier"`) {
		t.Error("there is a frontier of one way")
	}
	for _, want := range []string{"At 500/s all takes +0.0148 CPU (0.0130 to 0.0156), beside 0.0260 CPU of none. A CPU that", "tracetax decide tracetax-results/hello-2026-03-14 --cores 40"} {
		if !strings.Contains(terminal.String(), want) {
			t.Errorf("no %q in\n%s", want, terminal.String())
		}
	}
}
