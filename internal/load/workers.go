// The engine for systems without epoll: a goroutine for each operation under
// way. It keeps the same books as the event loop, but costs more and is less
// punctual; its lag says so.

package load

import (
	"context"
	"crypto/tls"
	"errors"
	"sync"
	"time"
)

// workers carries out one thread's share of a task.
type workers struct {
	shown *progress
	idle  map[string][]*link // by target
	cache tls.ClientSessionCache

	// Of the task under way:
	plan   *plan
	thread int
	start  time.Time
	wake   chan struct{} // an operation ended, or the task was given up

	mu      sync.Mutex // guards what follows, and idle
	feeder  feeder
	tally   *tally
	waiting queue
	busy    int
	most    int
	made    int // connections
}

func newWorkers(shown *progress) *workers {
	return &workers{shown: shown, idle: map[string][]*link{}, cache: tls.NewLRUClientSessionCache(0)}
}

func (w *workers) run(ctx context.Context, p *plan, thread int, start time.Time) (*tally, error) {
	for _, t := range p.targets {
		if t.grpc {
			return nil, errors.New("gRPC calls need Linux (epoll) in this version")
		}
	}
	w.plan, w.thread, w.start = p, thread, start
	w.wake = make(chan struct{}, 1)
	w.feeder, w.tally = newFeeder(p.task, thread), newTally(p.task)
	w.most = int(share(uint64(p.task.Connections), thread, p.task.Threads))
	var running sync.WaitGroup
	for {
		pause, more := w.fall(ctx, &running)
		if !more || ctx.Err() != nil {
			break
		}
		w.sleep(ctx, pause)
	}
	running.Wait()
	w.abandon()
	w.shown.store(thread, w.tally)
	return w.tally, nil
}

// clock reads the time since the task's start.
func (w *workers) clock() time.Duration { return time.Since(w.start) }

// sleep waits for d, or until an operation ends.
func (w *workers) sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.wake:
	case <-ctx.Done():
	}
}

// fall begins the operations that have fallen due, and returns how long there
// is nothing more to do, false if the task has ended.
func (w *workers) fall(ctx context.Context, running *sync.WaitGroup) (time.Duration, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock()
	for {
		a, ok := w.feeder.take(now, w.busy)
		if !ok {
			break
		}
		w.tally.due(a.at)
		due := wait{a, now}
		if w.busy >= w.most {
			w.waiting.push(due)
		} else {
			w.busy++
			running.Go(func() { w.work(ctx, due) })
		}
		now = w.clock()
	}
	w.shown.store(w.thread, w.tally)
	if w.busy == 0 && w.feeder.over(now) {
		return 0, false
	}
	until := never
	if !w.feeder.over(now) { // otherwise the end of an operation is all that is waited for
		until = w.feeder.wake(w.busy)
	}
	return min(max(until-now, 0), time.Hour), true
}

// work carries out operations one after the other as long as some are due.
func (w *workers) work(ctx context.Context, due wait) {
	freed := due.noticed
	for more := true; more; {
		w.exchange(ctx, due, freed)
		due, freed, more = w.next(ctx)
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// next returns the operation that has waited longest, or one that is due.
func (w *workers) next(ctx context.Context) (wait, time.Duration, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock()
	if ctx.Err() == nil {
		if !w.waiting.empty() {
			return w.waiting.pop(), now, true
		}
		if a, ok := w.feeder.take(now, w.busy-1); ok {
			w.tally.due(a.at)
			return wait{a, now}, now, true
		}
	}
	w.busy--
	return wait{}, 0, false
}

// abandon ends the operations that were never sent as cancelled.
func (w *workers) abandon() {
	for !w.waiting.empty() {
		due := w.waiting.pop()
		w.tally.late(due.noticed - due.at)
		w.tally.fail(errCancelled.Error(), w.clock())
	}
}

// exchange carries out one operation on a connection free since the given time.
func (w *workers) exchange(ctx context.Context, due wait, freed time.Duration) {
	deadline := w.plan.deadline(due.at)
	now := w.clock()
	w.mu.Lock()
	sendable := now < deadline
	w.tally.late(due.noticed - due.at + max(now-freed, 0))
	if !sendable {
		w.tally.timeOut(due.at, now)
	}
	w.mu.Unlock()
	if sendable {
		w.finish(ctx, due, w.attempt(ctx, due.arrival, deadline))
	}
}

// outcome is what became of one operation.
type outcome struct {
	walk
	status  int
	kind    string // what the answer is wrong in; "" where it is right
	err     error
	refused bool // no connection could be opened

	redirects []string // where answers led to
	use       use
}

// use is what an operation took.
type use struct {
	sent, received, connected, resent uint64
}

func (w *workers) finish(ctx context.Context, due wait, o outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock()
	t := w.tally
	t.sent += o.use.sent
	t.received += o.use.received
	t.connected += o.use.connected
	t.resent += o.use.resent
	if o.use.sent > 0 {
		t.start(&o.walk)
	}
	if o.refused {
		w.feeder.refused(now)
	} else {
		w.feeder.answered()
	}
	for _, to := range o.redirects {
		count(t.redirects, to)
	}
	switch {
	case o.err != nil && ctx.Err() != nil:
		t.fail(errCancelled.Error(), now)
	case now >= w.plan.deadline(due.at):
		t.timeOut(due.at, now)
	case o.err != nil:
		t.fail(o.step().says(kindOf(o.err)), now)
	case o.kind != "":
		t.fail(o.kind, now)
	default:
		t.complete(due.at, now)
		t.answered(&o.walk, o.status)
	}
}

// attempt makes the steps of the operation.
func (w *workers) attempt(ctx context.Context, a arrival, deadline time.Duration) outcome {
	o := outcome{walk: walk{op: &w.plan.ops[a.op]}}
	for {
		answer := w.ask(ctx, &o.walk, a.nth, deadline, &o)
		step := o.step()
		switch {
		case o.err != nil:
			return o
		case !step.expects(o.status):
			return o
		case step.then == nil:
			return o
		}
		if o.kind = o.advance(answer); o.kind != "" {
			return o
		}
	}
}

// ask sends the request of a step, a second time if the kept connection was stale. It returns what is kept of the answer.
func (w *workers) ask(ctx context.Context, k *walk, nth uint64, deadline time.Duration, o *outcome) *tape {
	t := &w.plan.targets[k.op.target]
	for fresh := false; ; fresh = true {
		c, err := w.obtain(ctx, t, fresh, w.start.Add(deadline), &o.use)
		if err != nil {
			o.err, o.refused = err, !errors.Is(err, context.Canceled)
			return nil
		}
		before := o.use.sent
		o.status, o.err = c.exchange(ctx, k, nth, &o.use)
		answer := c.response.tape
		if o.err == nil {
			k.body += c.response.body
			switch step := k.step(); {
			case !step.expects(o.status):
				o.kind = step.says(c.response.wrong())
			case len(step.status) == 0 && c.response.redirects():
				o.redirects = append(o.redirects, c.response.told())
			}
			w.put(t.key, c)
			return answer
		}
		c.close()
		if !c.stale(k.step(), o.use.sent > before) || isTimeout(o.err) || ctx.Err() != nil {
			return nil
		}
		if o.use.sent > before {
			o.use.resent++
		}
	}
}

func (w *workers) shut() {
	for _, links := range w.idle {
		for _, c := range links {
			c.close()
		}
	}
	w.idle = nil
}
