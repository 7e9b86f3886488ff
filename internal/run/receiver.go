// Where the spans' way ends: what counts them there is asked how many have come.

package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/hop"
	"github.com/tracetax/tracetax/internal/sink"
)

// receiver counts the spans that have come to the end of their way.
type receiver interface {
	snapshot(ctx context.Context) (sink.Snapshot, error)
	every() time.Duration // how often it may be asked
}

// theSink counts what came to it, and costs nothing that is charged.
type theSink struct{ agents agents }

func (t theSink) every() time.Duration { return poll }

func (t theSink) snapshot(ctx context.Context) (sink.Snapshot, error) {
	seen, err := t.agents.sink.Snapshot(ctx)
	if err != nil {
		return seen, fmt.Errorf("asking the sink what it has counted: %w%s", err, said(t.agents.sinkProcess))
	}
	return seen, nil
}

// backendPause is between two looks at a backend's page of counters: each costs it CPU, which is charged.
const backendPause = 250 * time.Millisecond

// backend says itself how many spans it has stored. It knows neither traces nor requests.
type backend struct {
	counter hop.Counter
	said    record.Hop // when it was last asked
	stored  uint64
	changed time.Time // when it was first seen to have stored so many
}

func (b *backend) every() time.Duration { return backendPause }

func (b *backend) snapshot(ctx context.Context) (sink.Snapshot, error) {
	fail := func(err error) (sink.Snapshot, error) {
		return sink.Snapshot{}, of(b.counter.Name(), fmt.Errorf("asking backend %s how many spans it has stored: %w", b.counter.Name(), err))
	}
	said, err := b.counter.Read(ctx)
	if err != nil {
		return fail(err)
	}
	if said.Untold != "" { // it may be busy, and answer the next time
		return fail(unseen{errors.New(said.Untold)})
	}
	stored, known := hop.Stored(said)
	if !known {
		return fail(fmt.Errorf("its page has none of the counters that service.yaml names as received"))
	}
	b.said = said
	// What it throws away after it was counted makes the count smaller: counts of stretches are differences, so that it stands
	// still until it has caught up. How many it threw away is told beside it.
	stored = max(stored, b.stored)
	if stored != b.stored {
		b.stored, b.changed = stored, time.Now()
	}
	return sink.Snapshot{Counts: record.Counts{Spans: stored}, Since: time.Since(b.changed)}, nil
}

// stopBackend asks the backend for all spans that it has stored, when all others have ended and it was last seen, and ends it.
func (s *stage) stopBackend(ctx context.Context, seen sink.Snapshot) error {
	to := s.request.Plan.To
	if to == "" {
		return nil
	}
	p := s.request.Plan.Process(to)
	url, err := config.Expand(p.AsksFor(), s.valuesFor(*p))
	if err != nil {
		return of(to, fmt.Errorf("where backend %s is asked for its spans: %w", to, err))
	}
	astray, err := theSink{s.agents}.snapshot(ctx)
	if err != nil {
		return err
	}
	told := record.Backend{Name: to, Stored: seen.Counts.Spans, Astray: astray.Counts.Spans}
	if b, is := s.receiver.(*backend); is && b.said.Dropped != nil {
		told.Dropped = *b.said.Dropped
	}
	if answered, err := hop.Answered(ctx, url, p.Service.Answers); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		told.Untold = err.Error()
	} else {
		told.Answered = &answered
	}
	s.record.Backend = &told
	return s.stopOne(ctx, s.app(to))
}
