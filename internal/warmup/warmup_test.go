package warmup

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// slices are n slices of 500 ms with 100 operations each; cpu and took give what one
// operation of the i-th took, in seconds.
func slices(n int, cpu, took func(i int) float64) []record.Slice {
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

func TestPilots(t *testing.T) {
	const most = 30 * time.Second
	for name, test := range map[string]struct {
		progress []record.Slice
		want     Pilot
	}{
		"steady from the first":  {slices(80, until(0), nothing), Pilot{Length: Least, Steady: true, Figure: CPU}},
		"after one slice":        {slices(80, until(1), nothing), Pilot{Length: Least, Steady: true, Figure: CPU}},
		"after 12 s":             {slices(80, until(24), nothing), Pilot{Length: 12 * time.Second, Steady: true, Figure: CPU}},
		"the time takes longer":  {slices(80, until(24), until(30)), Pilot{Length: 15 * time.Second, Steady: true, Figure: Time}},
		"the CPU takes longer":   {slices(80, until(24), until(3)), Pilot{Length: 12 * time.Second, Steady: true, Figure: CPU}},
		"no CPU is read":         {slices(80, nothing, until(4)), Pilot{Length: 2 * time.Second, Steady: true, Figure: Time}},
		"too few slices to tell": {slices(5, until(0), nothing), Pilot{Length: most, Figure: CPU}},
		"nothing at all":         {nil, Pilot{Length: most, Figure: CPU}},
	} {
		got := Pilots([]record.Record{pilot("otel", test.progress)}, most)
		test.want.Variant, test.want.Operation = "otel", "a"
		if len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
	late := Pilots([]record.Record{pilot("otel", slices(80, until(70), nothing))}, most)[0]
	if late.Steady || late.Length != most || late.Drift > -0.25 || late.Drift < -0.4 {
		t.Errorf("a step after 35 s: %+v", late)
	}
}

// Slices without a completed operation count with the next, and no time is lost.
func TestEmptySlices(t *testing.T) {
	progress := slices(80, until(24), nothing)
	for i := 10; i < 13; i++ {
		progress[i].Operations = 0
		progress[i].CPUSeconds = 0
	}
	if got := Pilots([]record.Record{pilot("otel", progress)}, 30*time.Second)[0]; got.Length != 12*time.Second {
		t.Errorf("%+v, want a warm-up of 12 s", got)
	}
}

// The longest of all good pilots counts, wherever it is.
func TestLongest(t *testing.T) {
	failed := pilot("broken", slices(80, until(70), nothing))
	failed.Failure = &record.Failure{Stage: "warm-up"}
	other := pilot("none", slices(80, until(50), nothing))
	other.Purpose = record.ForRate
	history := []record.Record{
		failed, other, {Kind: record.Measured, Variant: "none"},
		pilot("none", slices(80, until(2), nothing), slices(80, until(4), nothing)),
		pilot("otel", slices(80, until(3), nothing), slices(80, until(20), nothing)),
	}
	pilots := Pilots(history, 30*time.Second)
	got, ok := Longest(pilots)
	if !ok || len(pilots) != 4 || got.Variant != "otel" || got.Operation != "b" || got.Length != 10*time.Second {
		t.Errorf("%d pilots, the longest %+v", len(pilots), got)
	}
	if _, ok := Longest(nil); ok {
		t.Error("there is a longest of none")
	}
}
