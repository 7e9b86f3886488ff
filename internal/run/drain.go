// How the end of an arrival of spans is found out: the sink, or the backend, is looked at until all have come, or it
// is quiet.

package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/jitter"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/hop"
	"github.com/tracetax/tracetax/internal/sink"
)

// How the end of the spans' arrival is found out.
const (
	poll   = 25 * time.Millisecond  // between two looks at the sink
	margin = 400 * time.Millisecond // silence beyond the tracer's delay that counts as quiet
)

// drained is the end of an arrival of spans.
type drained struct {
	counts record.Counts // since the sink's start
	took   time.Duration
	quiet  bool
	calm   *bool // whether the processes were as calm as idle in the end; nil: nobody looked
}

// drain waits until the spans of operations have come; see drainFor. The tracer holds them back, and then each of the hops.
func (s *stage) drain(ctx context.Context, before record.Counts, awaited float64) (drained, error) {
	return s.drainFor(ctx, before, awaited, s.request.Plan.Patience())
}

// drainFor waits until all awaited spans have arrived since before was counted (background spans do not count: the number of
// those that a tracer merges depends on the load), or until none has arrived for longer than the tracer and the hops may hold
// one. awaited < 0 means an unknown number. There is no wait for a variant that exports nothing.
func (s *stage) drainFor(ctx context.Context, before record.Counts, awaited float64, delay time.Duration) (drained, error) {
	held := holding{spans: -1}
	return s.arrive(ctx, before, awaited, delay, func(silence time.Duration) (bool, error) { return s.restOf(ctx, &held, silence) })
}

// arrive is drainFor, where rest says whether no hop holds any after a silence.
func (s *stage) arrive(ctx context.Context, before record.Counts, awaited float64, delay time.Duration, rest func(silence time.Duration) (bool, error)) (drained, error) {
	start := time.Now()
	silence := delay + margin
	patience := 3*silence + 10*time.Second
	flow := flow{begun: s.request.Begun, mark: before, next: before, marked: start, changed: start}
	var d drained
	quiet, err := await(ctx, s.receiver.every(), patience, func() (bool, error) {
		seen, err := s.receiver.snapshot(ctx)
		if err != nil {
			return false, err
		}
		d.counts, d.took = seen.Counts, time.Since(start)
		flow.see(seen.Counts, silence)
		switch {
		case seen.InFlight > 0: // a batch is being received
			return false, nil
		case !s.exporting:
			return true, nil
		case awaited >= 0 && s.allCame(seen.Counts.Minus(before), awaited):
			return true, nil
		}
		if flow.still() < silence {
			return false, nil
		}
		return rest(silence)
	})
	if err != nil {
		return drained{}, err
	}
	d.quiet = quiet || flow.passing(d.counts)
	return d, nil
}

// allCame reports whether all of the awaited spans came. Where a trace has more spans than any
// had in the calibration their number varies: then more may come.
func (s *stage) allCame(c record.Counts, awaited float64) bool {
	larger, _, _ := c.Shapes.Larger(s.request.Begun.Roots, nil)
	return larger == 0 && float64(s.spansMade(c)) >= awaited
}

// spansMade is how many spans of operations were made, by what reached the sink.
func (s *stage) spansMade(c record.Counts) uint64 {
	own, _ := c.OfOperations(s.request.Begun)
	return own.Sum()
}

// awaited is what spansMade will be once all has come of the operations of a kind that were started (see record.Work; of a mix
// by its parts), if nothing is lost; −1 where that is not known exactly.
func (s *stage) awaited(work string, did record.Load) float64 {
	if s.request.Plan.Sampling != 1 {
		return -1 // of none only time can tell that none is to come
	}
	parts, sum := did.Parts, 0.0
	if len(parts) == 0 {
		parts = []record.Part{{Operation: work, Started: did.Started}}
	}
	for _, part := range parts {
		k, known := s.request.Spans[part.Operation]
		if !known || k.Low != k.High {
			return -1
		}
		sum += k.Low * float64(part.Started)
	}
	return sum
}

// flow watches what arrives at the sink once operations have ended. A program's timers and health
// checks, and metrics that an agent sends every second, may never let it be quiet.
type flow struct {
	begun   record.Begun  // how the traces of operations are told from others
	last    uint64        // spans of operations that were made by what came, or that the sink could not read or take
	changed time.Time     // when the last of them came
	mark    record.Counts // what had come one while ago, or two
	next    record.Counts // what had come since, at most one while ago
	marked  time.Time     // when that was
}

// see takes note of what has come, and keeps what had come a while ago.
func (f *flow) see(c record.Counts, while time.Duration) {
	own, _ := c.OfOperations(f.begun)
	if made := own.Sum() + own.Duplicate + c.Rejected + c.Malformed + c.Thrown; made != f.last {
		f.last, f.changed = made, time.Now()
	}
	if time.Since(f.marked) >= while {
		f.mark, f.next, f.marked = f.next, c, time.Now()
	}
}

// still is for how long no span of operations has come; of any work, where it is not known which these are.
func (f *flow) still() time.Duration { return time.Since(f.changed) }

// passing reports whether all that still comes are whole traces: operations that have ended long
// ago begin none.
func (f *flow) passing(c record.Counts) bool {
	more := c.Minus(f.mark)
	if !more.Whole() || len(more.Shapes) == 0 {
		return false
	}
	for root, sizes := range more.Shapes {
		for _, traces := range sizes {
			if root == record.NoRoot || traces < 0 {
				return false
			}
		}
	}
	return true
}

// counted is what the sink had counted at the end of the last phase, or of what was made after it.
func (s *stage) counted() record.Counts {
	total := s.record.Start.Sink
	if s.record.Unasked != nil {
		total = total.Plus(s.record.Unasked.Sink)
	}
	for _, phase := range s.record.Phases {
		total = total.Plus(phase.Came())
	}
	return total
}

// Where the spans' way ends: what counts them there is asked how many have come.

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
	if said.Unreported != "" { // it may be busy, and answer the next time
		return fail(unseen{errors.New(said.Unreported)})
	}
	stored, known := hop.Stored(said)
	if !known {
		return fail(fmt.Errorf("its page has none of the counters that service.yaml names as received"))
	}
	b.said = said
	// What it throws away after it was counted makes the count smaller: counts of stretches are differences, so it stands
	// still until it has caught up. The number thrown away stands beside it.
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
	url, err := program.Expand(p.AsksFor(), s.valuesFor(*p))
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
		told.Unreported = err.Error()
	} else {
		told.Answered = &answered
	}
	s.record.Backend = &told
	return s.stopAll(ctx, s.app(to))
}

// unseen is why what was looked at could not be seen this once: it may be seen the next time.
type unseen struct{ error }

func (u unseen) Unwrap() error { return u.error }

// await looks at once, and then every so often on average, until what it looks for is done; false where
// that was not so when most of the time was over, which is when it looks a last time. A look
// that sees nothing this once is no failure, unless it is the last.
func await(ctx context.Context, every, most time.Duration, look func() (done bool, err error)) (bool, error) {
	ticker := jitter.NewTicker(every)
	defer ticker.Stop()
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for last := false; ; {
		done, err := look()
		if once := (unseen{}); errors.As(err, &once) && !last {
			done, err = false, nil
		}
		if err != nil || done || last {
			return done, err
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-deadline.C:
			last = true
		case <-ticker.C:
			ticker.Next()
		}
	}
}
