// When the next sitting begins.

package experiment

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
)

// sit waits for the sitting of a run, if those before it belong to an earlier one: a pause after the last of them. What was
// interrupted meanwhile goes on at once if the pause is over.
func (l *Loop) sit(ctx context.Context, plan design.Plan, next design.Run) error {
	of := l.Experiment.Design
	var ended time.Time
	for i := range l.history {
		r := &l.history[i]
		if r.Kind != record.Measured {
			continue
		}
		if of.SittingOf(r.Block) >= of.SittingOf(next.Block) {
			return nil // it has begun
		}
		if r.Ended.After(ended) {
			ended = r.Ended
		}
	}
	begins := ended.Add(of.Pause)
	if next.Kind != record.Measured || ended.IsZero() || !begins.After(time.Now()) {
		return nil
	}
	l.tell(plan, Event{Begun: true, Next: next, Waits: begins})
	timer := time.NewTimer(time.Until(begins))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
