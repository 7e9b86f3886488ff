// Self-driving workloads, as they are shown.

package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
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
