package experiment

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// Four blocks in two sittings: the third block waits for the pause after the second, and an experiment that goes on after the pause
// waits no more.
func TestSittings(t *testing.T) {
	var began time.Time
	ended := func(ago time.Duration) func(run.Request, *record.Record) {
		return func(_ run.Request, r *record.Record) { r.Ended = began.Add(-ago) }
	}
	loopOf := func(ago time.Duration) (*Loop, *script) {
		runner := &script{change: ended(ago)}
		l := newLoop(runner, &kept{})
		l.Experiment.Design.Blocks, l.Experiment.Design.Sittings, l.Experiment.Design.Pause = 4, 2, time.Hour
		return l, runner
	}
	began = time.Now()

	l, _ := loopOf(0)
	ctx, cancel := context.WithCancelCause(context.Background())
	interrupted := errors.New("interrupted")
	var waits []time.Time
	l.Observe = func(e Event) {
		if !e.Waits.IsZero() {
			waits = append(waits, e.Waits)
			cancel(interrupted)
		}
	}
	history, err := l.Run(ctx, nil)
	last := 0
	for i := range history {
		last = max(last, history[i].Block)
	}
	if !errors.Is(err, interrupted) || last != 2 || len(waits) != 1 || !waits[0].Equal(began.Add(time.Hour)) {
		t.Fatalf("%v; the last block is %d; it waited until %v, want %v", err, last, waits, began.Add(time.Hour))
	}

	// An hour later it goes on at once.
	l, _ = loopOf(time.Hour)
	l.Observe = func(e Event) {
		if !e.Waits.IsZero() {
			t.Errorf("it waits until %v", e.Waits)
		}
	}
	for i := range history {
		history[i].Ended = began.Add(-time.Hour)
	}
	history, err = l.Run(context.Background(), history)
	if err != nil || history[len(history)-1].Block != 4 {
		t.Errorf("%v; the last block is %d", err, history[len(history)-1].Block)
	}
}
