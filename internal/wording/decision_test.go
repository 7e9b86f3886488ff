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
	undecided := "Whether collector costs more or less than all is undecided: it saves −15 % (−32 to 1) of what all costs."
	for want, change := range map[string]func(*finding.Way){
		undecided + " About 2 blocks more may tell (3 min): measure it again with --blocks 10.":   func(*finding.Way) {},
		undecided + " They cost about the same: no reasonable number of blocks tells them apart.": func(w *finding.Way) { w.Needs = 0 },
		"collector costs more than all: it saves −15 % (−32 to −1) of what all costs.":            func(w *finding.Way) { w.Saves = bounded(-0.32, -0.15, -0.01) },
		"collector costs less than all within blocks: it saves 15 % (1 to 32) of what all costs.": func(w *finding.Way) { w.Saves = bounded(0.01, 0.15, 0.32) },
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

// Where no way is sure to keep every span, what may be missing and why is said, and the cost all the same; and what would tell it.
func TestMayLoseInWords(t *testing.T) {
	d := &finding.Decision{Operation: "db", Baseline: "none", Rate: 100, Perhaps: "all", Blocks: 7, Seconds: 120, Ways: []finding.Way{
		{Variant: "all", Kept: 1, CPU: bounded(0.06, 0.10, 0.15), Relative: bounded(0.17, 0.28, 0.43), Standing: finding.MayLoseSpans, Lost: 0.273, Why: finding.LossVaries},
		{Variant: "tenth", Kept: 0.1, CPU: bounded(0.01, 0.09, 0.2), Saves: bounded(-0.3, 0.1, 0.5), Needs: 20, Standing: finding.MayLoseSpans, Lost: 0.273, Why: finding.LossVaries},
		{Variant: "collector", Kept: 1, CPU: bounded(0.05, 0.12, 0.2), Standing: finding.MayLoseSpans, Lost: 0.02, Why: finding.LossNumber},
		{Variant: "hundredth", Kept: 0.01, CPU: bounded(0.05, 0.06, 0.07), Saves: bounded(0.3, 0.4, 0.5), Standing: finding.OnFrontier},
	}}
	const lost = "(up to 27.3 % may be missing, because their number per operation varies)"
	if got, want := Answer(d), "db at 100/s: all costs +28 % (17 to 43) CPU; not known: whether it keeps every span "+lost+"."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Decided(d), "Not known: whether all keeps every span "+lost+". If it does, at 100/s all takes +0.100 CPU (0.060 to 0.150)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want := []string{
		"Whether all loses spans its own log may say (in logs/ of the results), and the account does if each operation makes as many, and you name the number: --set 'workload.operations.db.spans=5'.",
		"Not known: whether tenth loses spans " + lost + ". Whether tenth, which keeps 10.0 % of the traces, saves anything is undecided: 10 % (−30 to 50) of what all costs. " +
			"About 13 blocks more may tell (26 min): measure it again with --blocks 20.",
		"Not known: whether collector loses spans (up to 2.00 % may be missing, because the expected number is unknown). " +
			"What collector saves is not known: all itself is not sure to cost anything, or cost nothing in a block. More blocks may tell it.",
		"hundredth keeps 1.00 % of the traces, and saves 40 % (30 to 50) of what all costs.",
	}
	if got := Remarks(d); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	d.Ways[1].Needs, d.Perhaps, d.Whole, d.Ways[0].Standing = 0, "", "all", finding.OnFrontier
	differ := Remarks(d)[0]
	if want := "undecided: 10 % (−30 to 50) of what all costs. Blocks differ too much for any reasonable number of them to tell it: measure it on a machine that does nothing else, or with a longer --duration."; !strings.HasSuffix(differ, want) {
		t.Errorf("%q, want %q", differ, want)
	}
	d.Ways[1].Saves = bounded(-0.1, 0.01, 0.12)
	if got, want := Remarks(d)[0], "saves anything is undecided: 1 % (−10 to 12) of what all costs. They cost about the same: no reasonable number of blocks tells them apart."; !strings.HasSuffix(got, want) {
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
			{Variant: "odd", Standing: finding.MayLoseSpans, Lost: 0.3, Why: finding.LossFailed},
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
		"Not known: whether odd loses spans (up to 30.0 % may be missing, because operations failed or were sent again).",
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

// How busy machines are is said in their CPUs, and that none more is needed only where they have room.
func TestBusyInWords(t *testing.T) {
	d := &finding.Decision{Operation: "db", Baseline: "none", Rate: 60, Whole: "all", Carries: bounded(290, 320, 360),
		Ways: []finding.Way{{Variant: "all", Kept: 1, CPU: bounded(0.06, 0.08, 0.10)}}}
	for cpus, want := range map[float64]string{
		2:   "A machine of 2 CPUs, as this one, is 9.38 % busy with this at 60/s, and 13.4 % with all: if that is all it does, no more machines are needed.",
		0.5: "A machine of 0.5 CPUs, as this one, is 37.5 % busy with this at 60/s, and 53.5 % with all.",
		0:   "",
	} {
		if got := Busy(d, cpus); got != want {
			t.Errorf("%g CPUs: %q, want %q", cpus, got, want)
		}
	}
	if d.Carries = nil; Busy(d, 2) != "" {
		t.Error("what the program itself takes is not known")
	}
}
