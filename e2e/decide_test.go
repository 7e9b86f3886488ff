// Which way of tracing to choose, where the answer is known.

package e2e

import (
	"cmp"
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// decideOn asks for the ways of a program whose tracing burns 8 ms for requests that are recorded, or for all. CPU alone is
// measured, and all ways at once: half a minute instead of three.
func decideOn(t *testing.T, burn, out string, more ...string) *command {
	t.Helper()
	args := append([]string{"decide", "--yes", "--op", "home=GET /", "--name", burn, "--rate", "20", "--env", "BURN=" + burn,
		"--duration", "2s", "--blocks", "6", "--set", "load.warmup=300ms", "--set", "load.idle=100ms", "--set", "design.order=woven",
		"--variant", "none", "--variant", "all:tracer=otel-python,delay=100ms",
		"--variant", "tenth:tracer=otel-python,delay=100ms,sampling=10%", "--out", out}, more...)
	return tracetax(t, append(args, "--", "python3", ofCase(t, "burner.py"), "{port}")...)
}

// Where a request that is sampled out costs next to nothing 10 % saves nine tenths, where all of the cost comes before the
// sampler nothing. Of 8 ms what the span itself takes is under a tenth.
func TestDecide(t *testing.T) {
	need(t, "python3")
	const own = 0.1 // what recording and sending the span may take, as a share of what is burnt
	for burn, saves := range map[string]func(kept float64) float64{
		"recorded": func(kept float64) float64 { return 1 - kept },
		"filter":   func(float64) float64 { return 0 },
	} {
		doc := document(t, decideOn(t, burn, filepath.Join(t.TempDir(), "out"), "--json").exit(t, 0))
		if len(doc.Decisions) != 1 || len(doc.Decisions[0].Ways) != 2 {
			t.Fatalf("%s: %+v", burn, doc.Decisions)
		}
		d := doc.Decisions[0]
		all, tenth := d.Way("all"), d.Way("tenth")
		if d.Rate != 20 || d.Whole != "all" || all.Kept != 1 || math.Abs(float64(tenth.Kept)-0.1) > 0.07 {
			t.Errorf("%s: at %g/s %q keeps all, %g and %g of the traces are kept", burn, d.Rate, d.Whole, all.Kept, tenth.Kept)
		}
		want, got := saves(float64(tenth.Kept)), cmp.Or(tenth.Saves, all.CPU)
		if tenth.Saves == nil || math.Abs(got.Estimate-want) > own || *got.Low > want+own || *got.High < want-own || *got.High-*got.Low > 0.3 {
			t.Errorf("%s: 10 %% saves %+v of it, want %g", burn, tenth.Saves, want)
		}
		if all.CPU == nil || all.CPU.Estimate < 20*0.008 || all.CPU.Estimate > 20*0.008*(1+2*own) {
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
	had := count(out)
	for text, in := range map[string]string{"traces kept": c.out.String(), "go on with: tracetax decide --resume " + out: c.errOut.String()} {
		if !strings.Contains(in, text) {
			t.Errorf("it does not say %q:\n%s", text, in)
		}
	}
	again := tracetax(t, "decide", "--resume", out).exit(t, 0)
	if !strings.Contains(again.out.String(), "(95 %)") || had >= 2+6*3 || count(out) != 2+6*3 {
		t.Errorf("%d runs, then %d, and it says\n%s", had, count(out), again.out.String())
	}
}
