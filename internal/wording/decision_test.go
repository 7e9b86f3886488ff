package wording

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

func bounded(low, estimate, high float64) *finding.Interval {
	return &finding.Interval{Estimate: estimate, Low: &low, High: &high}
}

// Of a way that keeps every trace and is not told from the cheapest it is said what would tell it.
func TestUndecidedInWords(t *testing.T) {
	way := finding.Way{Variant: "collector", Kept: 1, CPU: bounded(0.03, 0.035, 0.04), Standing: finding.OnFrontier, Saves: bounded(-0.32, -0.15, 0.01), Needs: 10}
	d := &finding.Decision{Operation: "orders", Rate: 20, Whole: "all", Blocks: 8, Seconds: 70, Ways: []finding.Way{
		{Variant: "all", Kept: 1, CPU: bounded(0.027, 0.030, 0.033), Relative: bounded(0.58, 0.65, 0.72), Standing: finding.OnFrontier}, way}}
	undecided := "Whether collector is dearer than all is undecided: it adds +15 % (−1 to 32) of what that adds."
	for want, change := range map[string]func(*finding.Way){
		undecided + " About 2 blocks more may tell (3 min): measure it again with --blocks 10.":   func(*finding.Way) {},
		undecided + " They cost about the same: no reasonable number of blocks tells them apart.": func(w *finding.Way) { w.Needs = 0 },
		"collector adds more than all: +15 % (1 to 32) of what that adds.":                        func(w *finding.Way) { w.Saves = bounded(-0.32, -0.15, -0.01) },
		"collector adds less than all within blocks: −15 % (−32 to −1) of what that adds.":        func(w *finding.Way) { w.Saves = bounded(0.01, 0.15, 0.32) },
		"collector has no interval: 8 blocks are too few, 6 or more have one.":                    func(w *finding.Way) { w.CPU, w.Standing = &finding.Interval{Estimate: 0.03}, finding.NotPlaced },
		"How many traces collector keeps is not known: no span of it came. If it traces by itself, send its spans to the sink, as with env.OTEL_EXPORTER_OTLP_ENDPOINT=http://{sink.otlp.http}.": func(w *finding.Way) {
			w.Kept, w.Standing = finding.NotKnown(), finding.NotPlaced
		},
	} {
		d.Ways[1] = way
		change(&d.Ways[1])
		if got := Remarks(d); !slices.Equal(got, []string{want}) {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	d.Ways[1], d.Seconds = way, 0
	if got, want := Remarks(d)[0], undecided+" About 2 blocks more may tell: measure it again with --blocks 10."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Answer(d), "orders at 20/s: every trace (all) costs +65.0 % (58.0 to 72.0) CPU."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.Ways[1].Relative, d.Choice = bounded(0.2, 0.21, 0.22), "collector"
	if got, want := Answer(d), "orders at 20/s: every trace (all) costs +65.0 % (58.0 to 72.0) CPU; within the budget, collector costs +21.0 % (20.0 to 22.0)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.Whole = ""
	if got, want := Answer(d), "orders at 20/s: nothing that was measured keeps every trace, loses no span and holds the rate."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A decision in sentences: the answer, and what is to be known of each way.
func TestDecisionInWords(t *testing.T) {
	d := &finding.Decision{
		Operation: "GET /orders", Baseline: "none", Rate: 200, Carries: bounded(340, 350, 361), Whole: "all",
		Ways: []finding.Way{
			{Variant: "all", Kept: 1, CPU: bounded(0.128, 0.132, 0.136), Carries: bounded(218, 223, 229), Standing: finding.OnFrontier},
			{Variant: "tenth", Kept: 0.1, CPU: bounded(0.04, 0.05, 0.06), Saves: bounded(0.61, 0.63, 0.65), Standing: finding.OnFrontier},
			{Variant: "collector", Kept: 1, CPU: bounded(0.18, 0.19, 0.2), Standing: finding.Dominated, By: "all"},
			{Variant: "lossy", Kept: 0.9, Standing: finding.LosesSpans, Lost: 0.12},
			{Variant: "slow", Standing: finding.CannotHold, Reached: 143},
			{Variant: "errors", Kept: 0.013, Picks: true, Failed: new(float64), CPU: bounded(0.18, 0.19, 0.2), Standing: finding.OnFrontier},
			{Variant: "odd", Standing: finding.MayLoseSpans, Lost: 0.3},
		},
	}
	line := "At 200/s all takes +0.132 CPU (0.128 to 0.136), beside 0.571 CPU of none. " +
		"A CPU that does nothing else carries 223/s (218 to 229) with it, and 350/s (340 to 361) without."
	if got := Consequence(d, d.Way("all")); got != line {
		t.Errorf("%q, want %q", got, line)
	}
	if got, want := Decided(d), "Cheapest that keeps every trace: all. "+line; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want := []string{
		"tenth keeps 10.0 % of the traces, and saves 63.0 % (61.0 to 65.0) of what all costs.",
		"collector costs more than all, and shows no more.",
		"lossy loses 12.0 % of its spans: no choice, whatever it costs.",
		"slow cannot hold 200/s: it reached 143/s.",
		"errors decides on traces once they are there: it kept 1.30 %, chosen by what is in them, where 0 % of the requests failed.",
		"odd may lose up to 30.0 % of its spans: no choice until that is known.",
	}
	if got := Remarks(d); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	d.Ways[5].Standing, d.Ways[5].By = finding.Dominated, "all"
	if got, want := Remarks(d)[4], "errors costs more CPU than all; what it saves is traces to store: it kept 1.30 %, chosen by what is in them, where 0 % of the requests failed."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.Ways[5].Standing = finding.OnFrontier
	d.Missed, d.Ways[1].Missed = &finding.Missed{Missed: 1, Runs: 8}, &finding.Missed{Missed: 3, Runs: 8}
	if got, want := Remarks(d)[6], "Not at 200/s: none in 1 of 8 runs, tenth in 3 of 8 runs. Lower the rate, or repeat it on a machine that does nothing else."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.Missed, d.Ways[1].Missed = nil, nil
	d.Ways[0].InBudget, d.Ways[1].InBudget = finding.Over, finding.Within
	d.Choice = "tenth"
	if got, want := Decided(d), "Within the budget: tenth, which keeps 10.0 % of the traces. Cheapest that keeps every trace: all. "+line; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.Ways[1].InBudget, d.Choice, d.Whole = finding.CannotTell, "", ""
	if got, want := Decided(d), "Within the budget: nothing that was measured. Inconclusive: tenth. Nothing that was measured keeps every trace, loses no span and holds the rate."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.Ways[1].InBudget, d.Ways[1].Relative, d.Ways[3].Relative = finding.Over, bounded(0.2, 0.21, 0.22), bounded(0.01, 0.02, 0.03)
	if got, want := Decided(d), "Within the budget: nothing that was measured; the cheapest, tenth, adds +21.0 % (20.0 to 22.0). Nothing that was"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	d.Reached = 90
	if got := Remarks(d)[0]; got != "none itself cannot hold 200/s: it reached 90.0/s. Nothing is compared; lower the rate." {
		t.Errorf("%q", got)
	}
	if got := Consequence(d, d.Way("slow")) + Consequence(d, d.Way("nobody")); got != "" {
		t.Errorf("of a cost that is not known: %q", got)
	}
	for rate, want := range map[float64]string{50: "GET /orders at 50/s", 1234.6: "GET /orders at 1,235/s"} {
		d.Rate = rate
		if got := DecisionTitle(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
