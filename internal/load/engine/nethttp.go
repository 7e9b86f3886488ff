// The engine for TLS and gRPC: net/http, and a goroutine for each operation. It counts as the event loop does, but costs more
// and is less punctual; its lag shows it.

package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

// client carries out one thread's share of a task.
type client struct {
	shown                     *progress
	remotes                   map[string]*remote // by target
	sent, received, connected atomic.Uint64      // in all tasks

	// Of the task under way:
	plan    *plan
	ctx     context.Context
	start   time.Time
	wake    chan struct{} // an operation has ended
	running sync.WaitGroup

	mu      sync.Mutex // guards what follows
	links   []*link
	free    map[*remote][]*link // stacks of those that take more calls, so few do most of the work
	most    int                 // the most links
	opening int                 // links with an opening connection
	made    int                 // connections so far
	feeder  load.Feeder
	tally   *tally
	waiting queue
	busy    int           // operations that wait or are under way
	freed   time.Duration // when a link was last freed
}

func newClient(shown *progress) *client {
	return &client{shown: shown, remotes: map[string]*remote{}}
}

func (c *client) run(ctx context.Context, p *plan, thread int, start time.Time) (*tally, error) {
	c.prepare(ctx, p, thread, start)
	sent, received, connected := c.sent.Load(), c.received.Load(), c.connected.Load()
	for ctx.Err() == nil {
		pause, more := c.turn(thread)
		if !more {
			break
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-c.wake:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	c.mu.Lock()
	for !c.waiting.empty() { // the task was given up
		w := c.waiting.pop()
		c.tally.late(w.noticed - w.At)
		c.tally.fail(errCancelled.Error(), c.clock())
	}
	c.mu.Unlock()
	c.running.Wait()
	c.tally.sent, c.tally.received, c.tally.connected = c.sent.Load()-sent, c.received.Load()-received, c.connected.Load()-connected
	c.shown.store(thread, c.tally)
	return c.tally, nil
}

// prepare sets up a task. No call is under way.
func (c *client) prepare(ctx context.Context, p *plan, thread int, start time.Time) {
	for i := range p.targets {
		if t := &p.targets[i]; c.remotes[t.key] == nil {
			c.remotes[t.key] = newRemote(t)
		} else {
			c.remotes[t.key].addrs = t.addrs
		}
	}
	c.plan, c.ctx, c.start, c.wake = p, ctx, start, make(chan struct{}, 1)
	c.feeder, c.tally = load.NewFeeder(p.task, thread), newTally(p.task)
	c.waiting, c.busy, c.opening, c.freed = queue{}, 0, 0, 0
	c.most = p.task.Open(thread)
	for n := len(c.links); n > c.most; n-- {
		c.links[n-1].close()
		c.links = c.links[:n-1]
	}
	c.free = map[*remote][]*link{}
	for _, k := range c.links {
		k.stacked = false
		c.keep(k)
	}
}

// clock reads the time since the task's start.
func (c *client) clock() time.Duration { return time.Since(c.start) }

// turn begins due operations, and returns how long nothing is due unless an operation ends; false if the task has ended.
func (c *client) turn(thread int) (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock()
	for !c.waiting.empty() && c.plan.deadline(c.waiting.first().At) <= now {
		c.forget(c.waiting.pop(), now)
	}
	c.fall()
	c.shown.store(thread, c.tally)
	over := c.feeder.Over(c.clock())
	if over && c.busy == 0 {
		return 0, false
	}
	until := load.Never
	if !over && !c.crowded() {
		until = c.feeder.Wake(c.busy)
	}
	if !c.waiting.empty() {
		until = min(until, c.plan.deadline(c.waiting.first().At))
	}
	return min(max(until-c.clock(), 0), time.Hour), true
}

// crowded reports whether a closed loop must not begin operations because too many connections are being opened.
func (c *client) crowded() bool { return c.plan.task.Rate == 0 && c.opening >= mostOpening }

// fall begins the operations that are due.
func (c *client) fall() {
	for !c.crowded() {
		now := c.clock()
		a, ok := c.feeder.Take(now, c.busy)
		if !ok {
			return
		}
		c.tally.due(a.At)
		c.busy++
		w := wait{a, now}
		if now >= c.plan.deadline(a.At) {
			c.forget(w, now)
		} else if !c.waiting.empty() || !c.begin(w, now) {
			c.waiting.push(w)
		}
	}
}

// forget times out an operation that never had a connection.
func (c *client) forget(w wait, now time.Duration) {
	c.tally.late(w.noticed - w.At)
	c.tally.timeOut(w.At, now)
	c.busy--
}

// begin carries out an operation, if it gets a link: one that could be had since the given time. Lag is the time before
// the generator noticed the operation, and the time since it could have begun it.
func (c *client) begin(w wait, freed time.Duration) bool {
	k := c.obtain(c.remotes[c.plan.targets[c.plan.ops[w.Op].target].key])
	if k == nil {
		return false
	}
	c.tally.late(w.noticed - w.At + c.clock() - max(freed, w.noticed))
	k.load++
	c.keep(k)
	c.running.Go(func() { c.carryOut(k, w) })
	return true
}

// obtain returns a link to r that takes a call; nil if all are busy.
func (c *client) obtain(r *remote) *link {
	if stack := c.free[r]; len(stack) > 0 {
		k := stack[len(stack)-1]
		c.free[r] = stack[:len(stack)-1]
		k.stacked = false
		return k
	}
	if len(c.links) < c.most {
		k := &link{by: c, remote: r, number: len(c.links)}
		c.links = append(c.links, k)
		return k
	}
	for other, stack := range c.free {
		for i := len(stack) - 1; i >= 0; i-- {
			if k := stack[i]; k.load == 0 {
				c.free[other] = append(stack[:i], stack[i+1:]...)
				k.close()
				k.remote, k.stacked = r, false
				return k
			}
		}
	}
	return nil
}

// keep puts a link aside for the next call, if it takes more.
func (c *client) keep(k *link) {
	most := 1
	if k.remote.grpc {
		most = c.plan.task.Streams
	}
	if !k.stacked && k.load < most {
		k.stacked = true
		c.free[k.remote] = append(c.free[k.remote], k)
	}
}

// opens counts the links whose connections are being opened.
func (c *client) opens(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opening += more
}

// source returns the index in plan.sources of the local address for the next connection.
func (c *client) source() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	return c.made - 1
}

// carryOut makes an operation on a link, and then begins those that wait.
func (c *client) carryOut(k *link, w wait) {
	ctx, cancel := context.WithDeadline(c.ctx, c.start.Add(c.plan.deadline(w.At)))
	o := &outcome{walk: walk{op: &c.plan.ops[w.Op]}}
	o.attempt(ctx, k, w.Nth)
	now := c.clock()
	cancel()
	c.mu.Lock()
	c.finish(w, o, now)
	k.load--
	c.busy--
	c.freed = now
	c.keep(k)
	if c.ctx.Err() == nil {
		for !c.waiting.empty() && c.begin(*c.waiting.first(), c.freed) {
			c.waiting.pop()
		}
		c.fall()
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// finish counts the result of an operation.
func (c *client) finish(w wait, o *outcome, now time.Duration) {
	t, given := c.tally, c.ctx.Err() != nil
	t.resent += o.resent
	if o.sent.Load() > 0 {
		t.start(&o.walk)
	}
	if opening := new(openError); errors.As(o.err, &opening) && !given {
		c.feeder.Refused(now)
	} else {
		c.feeder.Answered()
	}
	for _, to := range o.redirects {
		count(t.redirects, to)
	}
	switch {
	case o.err != nil && given:
		t.fail(errCancelled.Error(), now)
	case now >= c.plan.deadline(w.At):
		t.timeOut(w.At, now)
	case o.err != nil:
		t.fail(o.step().says(kindOf(o.err)), now)
	case o.kind != "":
		t.fail(o.kind, now)
	default:
		t.complete(w.At, now)
		t.answered(&o.walk, o.status)
	}
}

func (c *client) shut() {
	for _, k := range c.links {
		k.close()
	}
}
