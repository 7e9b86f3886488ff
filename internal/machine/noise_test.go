package machine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
)

func TestSlowdown(t *testing.T) {
	var rounds []round
	for i := range 8 {
		alone := time.Duration(40+i) * time.Millisecond
		rounds = append(rounds, round{
			alone:  taken{cpu: alone, wall: alone},
			beside: taken{cpu: alone * 5 / 4, wall: alone * 3 / 2},
		})
	}
	got, err := slowdown("arithmetic", rounds)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		got  Change
		want float64
	}{"CPU": {got.CPU, 0.25}, "wall": {got.Wall, 0.5}} {
		for _, v := range []float64{test.got.Estimate, test.got.Low, test.got.High} {
			if math.Abs(v-test.want) > 1e-6 {
				t.Errorf("%s: %+v, want %v everywhere", name, test.got, test.want)
			}
		}
	}
	if got.Rounds != 8 || got.Alone < 0.040 || got.Alone > 0.047 {
		t.Errorf("got %+v", got)
	}
}

// The work is done, on both threads, in the number of rounds asked for.
func TestMeasure(t *testing.T) {
	place := process.Places(1)
	if place.Shared {
		t.Skip("it needs two CPUs")
	}
	o := NoiseOptions{CPU: place.App[0], Other: place.Harness[0], Rounds: 6, Length: 2 * time.Millisecond}
	all, err := MeasureNoise(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(kinds) {
		t.Fatalf("%d kinds of work, want %d", len(all), len(kinds))
	}
	for _, s := range all {
		if s.Rounds != 6 || s.Alone <= 0 || s.CPU.Low > s.CPU.Estimate || s.CPU.High < s.CPU.Estimate || math.IsInf(s.Wall.High, 0) {
			t.Errorf("%+v", s)
		}
	}
}

func TestMeasureRefuses(t *testing.T) {
	if _, err := MeasureNoise(context.Background(), NoiseOptions{CPU: 1, Other: 1}); err == nil {
		t.Error("one CPU is measured against itself")
	}
	if _, err := MeasureNoise(context.Background(), NoiseOptions{CPU: 1000, Other: 0}); err == nil {
		t.Error("a CPU that is not there is measured")
	}
	if _, err := MeasureNoise(context.Background(), NoiseOptions{CPU: 0, Other: 1000}); err == nil {
		t.Error("a neighbour that is not there is measured")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := MeasureNoise(ended, NoiseOptions{CPU: 0, Other: 1}); runtime.NumCPU() > 1 && !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
