// Finding the end of the arrival of spans: the sink, or the backend, is polled until all have come, or it is quiet.

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

// Finding the end of the spans' arrival.
const (
	poll   = 25 * time.Millisecond  // between two looks at the sink
	margin = 400 * time.Millisecond // silence beyond the tracer's delay that counts as quiet
	cold   = 3 * time.Second        // how much longer than that the first export of a process may take: its code is loaded and compiled first
)

// drained is the end of an arrival of spans.
type drained struct {
	counts record.Counts // since the sink's start
	took   time.Duration
	quiet  bool
	calm   *bool // whether the processes were as calm as idle in the end; nil: unknown
}

// drain waits until the spans of operations have come; see drainFor. Both the tracer and each hop may hold them back, and the first
// time further workers, whose first export that is: what their first requests make besides then hides what is still to come.
func (s *stage) drain(ctx context.Context, before record.Counts, awaited float64) (drained, error) {
	delay := s.request.Plan.Patience()
	if more := s.othersCold(); more > 0 && !s.spread {
		delay, awaited, s.spread = delay+more, -1, true
	}
	d, err := s.drainFor(ctx, before, awaited, delay)
	if err != nil || awaited < 0 || s.othersCold() == 0 || s.allCame(d.counts.Minus(before), awaited) {
		return d, err
	}
	rest, err := s.drainFor(ctx, before, awaited, s.othersCold()) // a worker that this stretch reached first has yet to export
	rest.took += d.took
	return rest, err
}

// othersCold returns how much later than the first spans those of further workers may come: each has a first export. 0 if there are none.
func (s *stage) othersCold() time.Duration {
	if len(s.record.Start.Workers) == 0 {
		return 0
	}
	return cold
}

// drainFor waits until all awaited spans have arrived since before was counted, or until none has arrived for longer than the
// tracer and the hops may hold one. Background spans do not count: their number varies with the load. awaited < 0: unknown
// number. For a variant that exports nothing it does not wait.
func (s *stage) drainFor(ctx context.Context, before record.Counts, awaited float64, delay time.Duration) (drained, error) {
	held := holding{spans: -1}
	return s.arrive(ctx, before, awaited, delay, func(silence time.Duration) (bool, error) { return s.restOf(ctx, &held, silence) })
}

// arrive is drainFor with a rest that reports whether no hop holds spans after a silence.
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

// allCame reports whether all awaited spans came. After a trace with more spans than any in the calibration their number
// varies: more may come.
func (s *stage) allCame(c record.Counts, awaited float64) bool {
	larger, _, _ := c.Shapes.Larger(s.request.Begun.Roots, nil)
	return larger == 0 && float64(s.spansMade(c)) >= awaited
}

// spansMade returns the number of spans that operations made, by those at the sink.
func (s *stage) spansMade(c record.Counts) uint64 {
	own, _ := c.OfOperations(s.request.Begun)
	return own.Sum()
}

// awaited returns the final value of spansMade for the started operations of a kind (see record.Work; of a mix by its parts),
// if nothing is lost; −1 if it is not known exactly.
func (s *stage) awaited(work string, did record.Load) float64 {
	if s.request.Plan.Sampling != 1 {
		return -1 // if none comes, only time can show that none will
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

// flow watches the arrivals at the sink once operations have ended. A program's timers and health checks, and metrics that an
// agent sends every second, may keep it from ever being quiet.
type flow struct {
	begun   record.Begun  // tells the traces of operations from others
	last    uint64        // spans of operations by arrivals, with those that the sink could not read or take
	changed time.Time     // when the last of them came
	mark    record.Counts // the counts one while ago, or two
	next    record.Counts // the counts since, at most one while ago
	marked  time.Time     // when that was
}

// see notes the counts, and keeps those of a while ago.
func (f *flow) see(c record.Counts, while time.Duration) {
	own, _ := c.OfOperations(f.begun)
	if made := own.Sum() + own.Duplicate + c.Rejected + c.Malformed + c.Thrown; made != f.last {
		f.last, f.changed = made, time.Now()
	}
	if time.Since(f.marked) >= while {
		f.mark, f.next, f.marked = f.next, c, time.Now()
	}
}

// still returns the time since the last span of operations; of any work, if these are not known.
func (f *flow) still() time.Duration { return time.Since(f.changed) }

// passing reports whether only whole traces still come: operations that ended long ago begin none.
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

// counted returns the sink's counts at the end of the last phase, or of the work after it.
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

// The end of the spans' way: its counter is asked how many have come.

// receiver counts the spans at the end of their way.
type receiver interface {
	snapshot(ctx context.Context) (sink.Snapshot, error)
	every() time.Duration // time between two snapshots
}

// theSink counts the spans of the sink, at no charged cost.
type theSink struct{ agents agents }

func (t theSink) every() time.Duration { return poll }

func (t theSink) snapshot(ctx context.Context) (sink.Snapshot, error) {
	seen, err := t.agents.sink.Snapshot(ctx)
	if err != nil {
		return seen, fmt.Errorf("asking the sink what it has counted: %w%s", err, said(t.agents.sinkProcess))
	}
	return seen, nil
}

// backendPause is the time between two readings of a backend's page of counters: each costs it CPU, which is charged.
const backendPause = 250 * time.Millisecond

// backend asks a backend how many spans it has stored. It knows neither traces nor requests.
type backend struct {
	counter hop.Counter
	said    record.Hop // its last answer
	stored  uint64
	changed time.Time // when it was first seen with this number
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
	// Spans dropped after they were counted lower the count. Counts of stretches are differences, so it stands still until it has
	// caught up. The number dropped is recorded too.
	stored = max(stored, b.stored)
	if stored != b.stored {
		b.stored, b.changed = stored, time.Now()
	}
	return sink.Snapshot{Counts: record.Counts{Spans: stored}, Since: time.Since(b.changed)}, nil
}

// stopBackend asks the backend for all its stored spans, after all others have ended (seen: the last snapshot), and ends it.
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

// unseen is a reading that failed this once: the next one may succeed.
type unseen struct{ error }

func (u unseen) Unwrap() error { return u.error }

// await calls look at once, and then at this mean interval, until it is done; false if it was not when the most time was over,
// after a last look. An unseen look is no failure, unless it is the last.
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
