// Which way of tracing to choose, where the answer is known.

package e2e

import (
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// decideOn asks for the ways of a program whose tracing burns CPU for requests that are recorded, or for all.
func decideOn(t *testing.T, burn, out string, more ...string) *command {
	t.Helper()
	args := append([]string{"decide", "--yes", "--op", "home=GET /", "--name", burn, "--rate", "20", "--env", "BURN=" + burn, "--duration", "3s",
		"--set", "load.warmup=500ms", "--set", "load.idle=200ms", "--blocks", "6", "--variant", "none",
		"--variant", "all:tracer=otel-python,delay=200ms", "--variant", "tenth:tracer=otel-python,delay=200ms,sampling=10%", "--out", out}, more...)
	return tracetax(t, append(args, "--", "python3", ofCase(t, "burner.py"), "{port}")...)
}

// Where a request that is sampled out costs next to nothing 10 % saves nine tenths, where all of the cost comes before the
// sampler nothing. Of 8 ms what the span itself takes is under a tenth.
func TestDecide(t *testing.T) {
	need(t, "python3")
	for burn, want := range map[string]float64{"recorded": 0.9, "filter": 0} {
		doc := document(t, decideOn(t, burn, filepath.Join(t.TempDir(), "out"), "--json").exit(t, 0))
		if len(doc.Decisions) != 1 || len(doc.Decisions[0].Ways) != 2 {
			t.Fatalf("%s: %+v", burn, doc.Decisions)
		}
		d := doc.Decisions[0]
		all, tenth := d.Way("all"), d.Way("tenth")
		if d.Rate != 20 || all.Kept != 1 || math.Abs(float64(tenth.Kept)-0.1) > 0.07 {
			t.Errorf("%s: %g/s, %g and %g of the traces are kept", burn, d.Rate, all.Kept, tenth.Kept)
		}
		if tenth.Saves == nil || math.Abs(tenth.Saves.Estimate-want) > 0.1 {
			t.Errorf("%s: 10 %% saves %+v of it, want %g", burn, tenth.Saves, want)
		}
		if all.CPU == nil || math.Abs(all.CPU.Estimate-20*0.008) > 0.06 {
			t.Errorf("%s: all traces take %+v CPU, want 0.16", burn, all.CPU)
		}
	}
}

// After an interruption what there is is shown, and decide --resume goes on.
func TestDecideGoesOn(t *testing.T) {
	need(t, "python3")
	out := filepath.Join(t.TempDir(), "out")
	c := decideOn(t, "filter", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "a block is whole", func() bool { return count(out) >= 2+3 }) // two calibrations, and a run of each variant
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	c.ended(t, c.Wait(), 1)
	for text, in := range map[string]string{"traces kept": c.out.String(), "Cheapest that keeps every trace": c.out.String(), "tracetax decide --resume " + out: c.errOut.String()} {
		if !strings.Contains(in, text) {
			t.Errorf("it does not say %q:\n%s", text, in)
		}
	}
	again := tracetax(t, "decide", "--resume", out).exit(t, 0)
	if !strings.Contains(again.out.String(), "saves of all") || count(out) < 2+6*3 {
		t.Errorf("%d runs, and it says\n%s", count(out), again.out.String())
	}
}
