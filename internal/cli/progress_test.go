package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

func TestBegun(t *testing.T) {
	partner := &design.Run{Kind: record.Measured, Block: 3, Variant: "otel"}
	for name, test := range map[string]struct {
		event  experiment.Event
		design spec.Design
		want   string
	}{
		"calibration": {experiment.Event{Total: 9, Next: design.Run{Kind: record.Calibration, Variant: "otel"}}, spec.Design{Blocks: 4},
			"run 1 of 9 · learning how many spans otel makes"},
		"pilot": {experiment.Event{Done: 1, Total: 9, Open: true, Next: design.Run{Kind: record.Pilot, Variant: "otel"}}, spec.Design{Blocks: 8, Most: 20},
			"run 2 of at most 9 · finding what load otel can take"},
		"a block": {experiment.Event{Done: 4, Total: 9, Left: 2 * time.Minute, Next: design.Run{Kind: record.Measured, Block: 3, Variant: "none"}}, spec.Design{Blocks: 4},
			"run 5 of 9 · block 3/4 · none · 2 min left"},
		"one of a number that is open": {experiment.Event{Done: 18, Total: 61, Open: true, Left: 2 * time.Hour, Next: design.Run{Kind: record.Measured, Block: 9, Variant: "none"}}, spec.Design{Blocks: 8, Most: 30},
			"run 19 of at most 61 · block 9, at most 30 · none · at most 2.0 h left"},
		"a pair": {experiment.Event{Done: 4, Total: 9, Next: design.Run{Kind: record.Measured, Block: 3, Variant: "none", Partner: partner}}, spec.Design{Blocks: 4, Duet: true},
			"run 5 of 9 · block 3/4 · none beside otel"},
	} {
		if got := begun(test.event, test.design); got != test.want {
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
		p := newProgress(&out, &spec.Experiment{})
		failed.Variant, failed.Failure = "otel", &record.Failure{Stage: "pilot", Message: "no rate", Process: "app"}
		if failed.Block > 0 {
			failed.Failure.Log = []string{"x"}
		}
		p.observe(experiment.Event{Record: &failed})
		if got := out.String(); got != want+"\n" {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
