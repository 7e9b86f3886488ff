package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
)

func TestBegun(t *testing.T) {
	other := design.Run{Kind: record.Measured, Block: 3, Variant: "otel"}
	for name, test := range map[string]struct {
		event  experiment.Event
		design config.Design
		want   string
	}{
		"calibration": {experiment.Event{Total: 9, Next: design.Run{Kind: record.Calibration, Variant: "otel"}}, config.Design{Blocks: 4},
			"run 1 of 9 · learning how many spans otel makes"},
		"pilot": {experiment.Event{Done: 1, Total: 9, Open: true, Next: design.Run{Kind: record.Pilot, Variant: "otel"}}, config.Design{Blocks: 8, Most: 20},
			"run 2 of at most 9 · finding what load otel can take"},
		"a block": {experiment.Event{Done: 4, Total: 9, Left: 2 * time.Minute, Next: design.Run{Kind: record.Measured, Block: 3, Variant: "none"}}, config.Design{Blocks: 4},
			"run 5 of 9 · block 3/4 · none · 2 min left"},
		"a block more than planned": {experiment.Event{Done: 8, Total: 10, Next: design.Run{Kind: record.Measured, Block: 5, Variant: "none"}}, config.Design{Blocks: 4},
			"run 9 of 10 · block 5, in the place of one that was spoiled · none"},
		"one of a number that is open": {experiment.Event{Done: 18, Total: 61, Open: true, Left: 2 * time.Hour, Next: design.Run{Kind: record.Measured, Block: 9, Variant: "none"}}, config.Design{Blocks: 8, Most: 30},
			"run 19 of at most 61 · block 9, at most 30 · none · at most 2.0 h left"},
		"a block at once": {experiment.Event{Done: 4, Total: 9, Next: design.Run{Kind: record.Measured, Block: 3, Variant: "none", With: []design.Run{other}}}, config.Design{Blocks: 4, Order: config.Windows},
			"run 5 of 9 · block 3/4 · none, otel"},
	} {
		if got := begun(test.event, &config.Experiment{Design: test.design}); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, test.want)
		}
	}
}

// TestProgressTellsOfFailures: where the run was, and what becomes of it.
func TestProgressTellsOfFailures(t *testing.T) {
	for want, failed := range map[string]record.Record{
		"pilot, otel failed (pilot) and is tried once more: no rate":         {Kind: record.Pilot, Attempt: 1},
		"calibration, otel failed (pilot) and is tried once more: no rate":   {Kind: record.Calibration, Attempt: 1},
		"block 3, otel failed (pilot) and is left out: no rate\n    app | x": {Kind: record.Measured, Block: 3, Attempt: 2},
	} {
		var out strings.Builder
		p := newProgress(&out, &config.Experiment{})
		failed.Variant, failed.Failure = "otel", &record.Failure{Stage: "pilot", Message: "no rate", Process: "app"}
		if failed.Block > 0 {
			failed.Failure.Log = []string{"x"}
		}
		p.Observe(experiment.Event{Record: &failed})
		if got := out.String(); got != want+"\n" {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The same failure is told once, whatever its ports, process numbers and times.
func TestProgressTellsAFailureOnce(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, &config.Experiment{})
	failure := func(block, attempt, port int, code, log string) {
		p.Observe(experiment.Event{Record: &record.Record{Kind: record.Measured, Block: block, Attempt: attempt, Variant: "none", Failure: &record.Failure{
			Stage: "ready", Process: "app", Log: []string{log},
			Message: fmt.Sprintf("waiting for tcp://127.0.0.1:%d: process app ended (exit status %s); it wrote last: %s", port, code, log),
		}}})
	}
	failure(1, 1, 20001, "1", "12:00:07 [311] no module named shop")
	failure(1, 2, 20002, "1", "12:00:19 [99999] no module named shop")
	failure(2, 1, 20003, "3", "12:00:21 [7] no module named shop")
	want := `block 1, none failed (ready) and is tried once more: waiting for tcp://127.0.0.1:20001: process app ended (exit status 1); it wrote last: 12:00:07 [311] no module named shop
    app | 12:00:07 [311] no module named shop
block 1, none failed (ready) and is left out: again: same as in block 1, none
block 2, none failed (ready) and is tried once more: waiting for tcp://127.0.0.1:20003: process app ended (exit status 3); it wrote last: 12:00:21 [7] no module named shop
    app | 12:00:21 [7] no module named shop
`
	if p.End(); out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// Failures of a moment that say the same are one line, beside the first.
func TestProgressTellsEqualFailuresInALine(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, &config.Experiment{})
	failure := func(block int, variant, message string) {
		p.Observe(experiment.Event{Record: &record.Record{Kind: record.Measured, Block: block, Attempt: 1, Variant: variant, Failure: &record.Failure{Stage: "ready", Message: message}}})
	}
	for _, variant := range []string{"a", "b", "c", "d"} {
		failure(1, variant, "no answer")
	}
	failure(1, "e", "another one")
	failure(1, "f", "no answer")
	p.Observe(experiment.Event{Begun: true, Next: design.Run{Kind: record.Measured, Block: 2, Variant: "a"}})
	failure(2, "a", "no answer")
	p.End()
	want := `block 1, a failed (ready) and is tried once more: no answer
block 1, b, c, d failed (ready) and are tried once more: again: same as in block 1, a
block 1, e failed (ready) and is tried once more: another one
block 1, f failed (ready) and is tried once more: again: same as in block 1, a
run 1 of 0 · block 2, in the place of one that was spoiled · a
block 2, a failed (ready) and is tried once more: again: same as in block 1, a
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// The number of all runs does not fall when some are given up.
func TestProgressCountsGivenUpRuns(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, &config.Experiment{Design: config.Design{Blocks: 3}})
	for i, total := range []int{4, 4, 2} {
		p.Observe(experiment.Event{Begun: true, Total: total, Next: design.Run{Kind: record.Measured, Block: i + 1, Variant: "none"}})
	}
	if got := out.String(); !strings.Contains(got, "run 1 of 4 · block 1/3") || !strings.Contains(got, "run 3 of 4 · block 3/3") {
		t.Errorf("got %s", got)
	}
}

// Without a terminal a block is told of when it begins, and its later runs where nothing
// was written for half a minute; with the workload, where there are several.
func TestProgressWithoutATerminal(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, &config.Experiment{Design: config.Design{Blocks: 2}})
	p.workload = "requests/flask"
	clock := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	p.now = func() time.Time { return clock }
	for i, variant := range []string{"none", "otel", "elastic", "late"} {
		p.Observe(experiment.Event{Begun: true, Done: i, Total: 8, Next: design.Run{Kind: record.Measured, Block: 1, Variant: variant}})
		clock = clock.Add(20 * time.Second)
	}
	want := "run 1 of 8 · requests/flask · block 1/2 · none\nrun 3 of 8 · requests/flask · block 1/2 · elastic\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The figure that the line is for stays where it is narrow.
func TestStatusKeepsTheFigure(t *testing.T) {
	text := "run 19 of at most 61 · block 9, at most 30 · none · at most 2.0 h left"
	for headline, want := range map[string]string{
		"":                                 "run 19 of at most 61 · block 9, at most 30 · none · at most 2.0 h left",
		"+5 %":                             "run 19 of at most 61 · block 9, at most 30 · none · at most 2.0 h left · +5 %",
		"CPU otel: +12.1 % (10.9 to 13.4)": "run 19 of at most 61 · at most 2.0 h left · CPU otel: +12.1 % (10.9 to 13.4)",
		"CPU per operation otel: GET /checkout +12.1 % (10.9 to 13.4)": "run 19 of at most 61 · at most 2.0 h left · …T /checkout +12.1 % (10.9 to 13.4)",
	} {
		var out strings.Builder
		p := &progress{to: &out, width: 80}
		p.status(text, headline)
		if got := strings.TrimPrefix(out.String(), "\r\x1b[K"); got != want || len([]rune(got)) >= 80 {
			t.Errorf("%q:\n got %s\nwant %s", headline, got, want)
		}
	}
}

func TestWrapped(t *testing.T) {
	text := "tracetax: a word and another\n  two indented words\nfits"
	if got, want := wrapped(text, 20), "tracetax: a word and\nanother\n  two indented words\nfits"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := wrapped(text, 0); got != text {
		t.Errorf("no terminal: %q", got)
	}
}

// What is left out is the variant that failed twice itself, however often its block was made.
func TestProgressOfABlockThatFails(t *testing.T) {
	failed := func(variant string, attempt int, stage string) record.Record {
		return record.Record{
			Kind: record.Measured, Block: 1, Variant: variant, Attempt: attempt, Failure: &record.Failure{Stage: stage}, Harness: record.Harness{With: []string{"another"}},
		}
	}
	history := []record.Record{
		failed("none", 1, record.StageBlock), failed("otel", 1, "start"), failed("none", 2, "start"), failed("otel", 2, record.StageBlock), failed("otel", 3, "start"),
	}
	for n, want := range map[int]string{2: "is tried once more", 3: "is tried once more", 4: "", 5: "is left out"} {
		var out strings.Builder
		newProgress(&out, &config.Experiment{}).Observe(experiment.Event{Record: &history[n-1], History: history[:n]})
		if got := out.String(); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("after %d runs it says %q, want that it %s", n, got, want)
		}
	}
}

// Groups are told of once, before the first block.
func TestProgressTellsOfGroups(t *testing.T) {
	e := &config.Experiment{Variants: make([]config.Variant, 9)}
	for fit, want := range map[int]int{0: 0, 1: 1, 4: 1} {
		var out strings.Builder
		p := newProgress(&out, e)
		p.Observe(experiment.Event{Begun: true, Fit: fit, Next: design.Run{Kind: record.Calibration}})
		if strings.Contains(out.String(), "groups:") {
			t.Errorf("fit %d: it is told before it is known: %q", fit, out.String())
		}
		for block := 1; block < 3; block++ {
			p.Observe(experiment.Event{Begun: true, Fit: fit, Next: design.Run{Kind: record.Measured, Block: block}})
		}
		if got := strings.Count(out.String(), "groups:"); got != want || fit > 1 && !strings.Contains(out.String(), "4 of the 9") {
			t.Errorf("fit %d: it is told %d times, want %d: %q", fit, got, want, out.String())
		}
	}
}

// A process that does not end is told of once for each variant, and what to do about it once.
func TestProgressTellsOfDeafProcesses(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, &config.Experiment{})
	for _, variant := range []string{"all", "all", "tenth"} {
		p.Observe(experiment.Event{Record: &record.Record{Kind: record.Measured, Block: 1, Variant: variant, Stop: record.Stop{Deaf: []string{"node"}}}})
	}
	want := "node did not end on SIGTERM and was killed (all); later runs do not wait for that: have it end, or its last spans may be missing\n" +
		"node did not end on SIGTERM and was killed (tenth)\n"
	if p.End(); out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}
