package scouter

import (
	"testing"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// A step that stands for ten calls is one span, into which nine are merged; where it is thrown away they are in no count
// either. More calls than a step can stand for are no number of calls.
func TestStepOfManyCalls(t *testing.T) {
	const manyCalls = 11 // its form begins with a hash and the number of calls
	ten := []byte{1, 5, 1, 10, 1, 1, 1, 1}
	for lose, want := range map[float64]uint64{0: 9, 1: 0} {
		total := tally.New(tally.Config{Lose: lose})
		batch := total.Batch()
		if !step(batch, []byte("12345678"), manyCalls, &reader{rest: ten}) {
			t.Fatal("it is malformed")
		}
		total.Merge(batch, protocol, 0)
		if c := total.Counts(); c.Merged != want || c.Spans+c.Thrown != 1 {
			t.Errorf("losing %g: %d merged, want %d; %d spans, %d thrown away", lose, c.Merged, want, c.Spans, c.Thrown)
		}
	}
	total := tally.New(tally.Config{})
	batch := total.Batch()
	defer total.Discard(batch)
	if step(batch, []byte("12345678"), manyCalls, &reader{rest: []byte{1, 5, 8, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1, 1}}) {
		t.Errorf("so many calls are taken: %d merged", batch.Merged)
	}
}
