package steady

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// sliced are n slices of 500 ms with 100 operations each; cpu and took give what one
// operation of the i-th took, in seconds.
func sliced(n int, cpu, took func(i int) float64) []record.Slice {
	out := make([]record.Slice, n)
	for i := range out {
		out[i] = record.Slice{AskedSeconds: 0.5, WallSeconds: 0.5, Operations: 100, CPUSeconds: 100 * cpu(i), TimeSeconds: 100 * took(i)}
	}
	return out
}

// until is high before the i-th slice, and low from it on, with a little noise.
func until(at int) func(int) float64 {
	return func(i int) float64 {
		v := 0.001 + 0.00001*float64(i*7919%13-6)
		if i < at {
			v *= 1.5
		}
		return v
	}
}

func nothing(int) float64 { return 0 }

func pilot(variant string, progress ...[]record.Slice) record.Record {
	r := record.Record{Kind: record.Pilot, Purpose: record.ForWarmup, Variant: variant}
	for i, p := range progress {
		r.Phases = append(r.Phases, record.Phase{Operation: []string{"a", "b"}[i], Progress: p})
	}
	return r
}

func TestWarmups(t *testing.T) {
	const most = 30 * time.Second
	for name, test := range map[string]struct {
		progress []record.Slice
		want     Warmup
	}{
		"steady from the first":  {sliced(80, until(0), nothing), Warmup{Length: LeastWarmup, Steady: true, Figure: ofCPU}},
		"after one slice":        {sliced(80, until(1), nothing), Warmup{Length: LeastWarmup, Steady: true, Figure: ofCPU}},
		"after 12 s":             {sliced(80, until(24), nothing), Warmup{Length: 12 * time.Second, Steady: true, Figure: ofCPU}},
		"the time takes longer":  {sliced(80, until(24), until(30)), Warmup{Length: 15 * time.Second, Steady: true, Figure: ofTime}},
		"the CPU takes longer":   {sliced(80, until(24), until(3)), Warmup{Length: 12 * time.Second, Steady: true, Figure: ofCPU}},
		"no CPU is read":         {sliced(80, nothing, until(4)), Warmup{Length: 2 * time.Second, Steady: true, Figure: ofTime}},
		"too few slices to tell": {sliced(5, until(0), nothing), Warmup{Length: most, Figure: ofCPU}},
		"nothing at all":         {nil, Warmup{Length: most, Figure: ofCPU}},
	} {
		got := Warmups([]record.Record{pilot("otel", test.progress)}, most)
		test.want.Variant, test.want.Operation = "otel", "a"
		if len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
	late := Warmups([]record.Record{pilot("otel", sliced(80, until(70), nothing))}, most)[0]
	if late.Steady || late.Length != most || late.Drift > -0.25 || late.Drift < -0.4 {
		t.Errorf("a step after 35 s: %+v", late)
	}
}

// Slices without a completed operation count with the next, and no time is lost.
func TestEmptySlices(t *testing.T) {
	progress := sliced(80, until(24), nothing)
	for i := 10; i < 13; i++ {
		progress[i].Operations = 0
		progress[i].CPUSeconds = 0
	}
	if got := Warmups([]record.Record{pilot("otel", progress)}, 30*time.Second)[0]; got.Length != 12*time.Second {
		t.Errorf("%+v, want a warm-up of 12 s", got)
	}
}

// The longest of all good pilots counts, wherever it is.
func TestLongestWarmup(t *testing.T) {
	failed := pilot("broken", sliced(80, until(70), nothing))
	failed.Failure = &record.Failure{Stage: "warm-up"}
	other := pilot("none", sliced(80, until(50), nothing))
	other.Purpose = record.ForRate
	history := []record.Record{
		failed, other, {Kind: record.Measured, Variant: "none"},
		pilot("none", sliced(80, until(2), nothing), sliced(80, until(4), nothing)),
		pilot("otel", sliced(80, until(3), nothing), sliced(80, until(20), nothing)),
	}
	pilots := Warmups(history, 30*time.Second)
	got, ok := LongestWarmup(pilots)
	if !ok || len(pilots) != 4 || got.Variant != "otel" || got.Operation != "b" || got.Length != 10*time.Second {
		t.Errorf("%d pilots, the longest %+v", len(pilots), got)
	}
	if _, ok := LongestWarmup(nil); ok {
		t.Error("there is a longest of none")
	}
}
