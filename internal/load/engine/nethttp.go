// The engine for systems without epoll: net/http, and a goroutine for each connection. It counts as the event loop does, but
// costs more and is less punctual; its lag says so. It has no gRPC.

package engine

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/feed"
)

// client carries out one thread's share of a task.
type client struct {
	shown                     *progress
	transports                map[string]*http.Transport // by target
	sent, received, connected atomic.Uint64              // in all tasks

	// Of the task under way:
	plan  *plan
	start time.Time
	wake  chan struct{} // an operation has ended

	mu      sync.Mutex // guards what follows
	some    *sync.Cond // there is a waiting operation, or there will be none
	feeder  load.Feeder
	tally   *tally
	waiting queue
	busy    int // operations that are waiting or under way
	ended   bool
}

func newClient(shown *progress) *client {
	c := &client{shown: shown, transports: map[string]*http.Transport{}}
	c.some = sync.NewCond(&c.mu)
	return c
}

func (c *client) run(ctx context.Context, p *plan, thread int, start time.Time) (*tally, error) {
	for i := range p.targets {
		t := &p.targets[i]
		if t.grpc {
			return nil, errors.New("gRPC calls need Linux (epoll): run tracetax there, or ask over HTTP")
		}
		if c.transports[t.key] == nil {
			c.transports[t.key] = c.transport(t)
		}
	}
	c.plan, c.start, c.wake, c.ended = p, start, make(chan struct{}, 1), false
	c.feeder, c.tally = load.NewFeeder(p.task, thread), newTally(p.task)
	sent, received, connected := c.sent.Load(), c.received.Load(), c.connected.Load()
	var running sync.WaitGroup
	for range load.Share(uint64(p.task.Connections), thread, p.task.Threads) {
		running.Go(func() { c.work(ctx) })
	}
	for more := true; more && ctx.Err() == nil; {
		var pause time.Duration
		pause, more = c.fall(thread)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-c.wake:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	c.mu.Lock()
	c.ended = true
	for !c.waiting.empty() { // the task was given up
		due := c.waiting.pop()
		c.tally.late(due.noticed - due.At)
		c.tally.fail(errCancelled.Error(), c.clock())
		c.busy--
	}
	c.some.Broadcast()
	c.mu.Unlock()
	running.Wait()
	c.tally.sent, c.tally.received, c.tally.connected = c.sent.Load()-sent, c.received.Load()-received, c.connected.Load()-connected
	c.shown.store(thread, c.tally)
	return c.tally, nil
}

// clock reads the time since the task's start.
func (c *client) clock() time.Duration { return time.Since(c.start) }

// fall queues the operations that have fallen due, and returns how long there is nothing more to do, false if the task has ended.
func (c *client) fall(thread int) (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock()
	for a, ok := c.feeder.Take(now, c.busy); ok; a, ok = c.feeder.Take(now, c.busy) {
		c.tally.due(a.At)
		c.waiting.push(wait{a, now})
		c.busy++
		c.some.Signal()
		now = c.clock()
	}
	c.shown.store(thread, c.tally)
	switch over := c.feeder.Over(now); {
	case over && c.busy == 0:
		return 0, false
	case over: // the end of an operation is all that is waited for
		return time.Hour, true
	}
	return min(max(c.feeder.Wake(c.busy)-now, 0), time.Hour), true
}

// work carries out operations, the one that has waited longest first, until the task has ended.
func (c *client) work(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for freed := time.Duration(0); ; freed = c.clock() {
		for c.waiting.empty() && !c.ended {
			c.some.Wait()
		}
		if c.waiting.empty() {
			return
		}
		due, now := c.waiting.pop(), c.clock()
		c.tally.late(due.noticed - due.At + now - max(freed, due.noticed))
		if deadline := c.plan.deadline(due.At); now >= deadline {
			c.tally.timeOut(due.At, now)
		} else {
			c.mu.Unlock()
			limited, cancel := context.WithDeadline(ctx, c.start.Add(deadline))
			o := c.attempt(limited, due.Arrival)
			cancel()
			c.mu.Lock()
			c.finish(ctx, due, o)
		}
		c.busy--
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
}

// outcome is what became of one operation.
type outcome struct {
	walk
	status    int
	kind      string // what the answer is wrong in; "" where it is right
	err       error
	sent      atomic.Uint64 // requests that went out
	resent    uint64
	redirects []string // where answers led to
}

func (c *client) finish(ctx context.Context, due wait, o *outcome) {
	now, t := c.clock(), c.tally
	t.resent += o.resent
	if o.sent.Load() > 0 {
		t.start(&o.walk)
	}
	if opening := new(openError); errors.As(o.err, &opening) && ctx.Err() == nil {
		c.feeder.Refused(now)
	} else {
		c.feeder.Answered()
	}
	for _, to := range o.redirects {
		count(t.redirects, to)
	}
	switch {
	case o.err != nil && ctx.Err() != nil:
		t.fail(errCancelled.Error(), now)
	case now >= c.plan.deadline(due.At):
		t.timeOut(due.At, now)
	case o.err != nil:
		t.fail(o.step().says(kindOf(o.err)), now)
	case o.kind != "":
		t.fail(o.kind, now)
	default:
		t.complete(due.At, now)
		t.answered(&o.walk, o.status)
	}
}

// attempt makes the steps of an operation.
func (c *client) attempt(ctx context.Context, a load.Arrival) *outcome {
	o := &outcome{walk: walk{op: &c.plan.ops[a.Op]}}
	for {
		var answer feed.Tape
		answer, o.err = c.ask(ctx, o, a.Nth)
		if o.err != nil || o.kind != "" || o.step().then == nil {
			return o
		}
		if o.kind = o.advance(&answer); o.kind != "" {
			return o
		}
	}
}

// ask sends the request of a step, and returns what is kept of the answer.
func (c *client) ask(ctx context.Context, o *outcome, nth uint64) (feed.Tape, error) {
	step, t := o.step(), &c.plan.targets[o.op.target]
	wire, _ := o.bytes(nth, nil)
	before := o.sent.Load()
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(wire)))
	if err != nil {
		return feed.Tape{}, fmt.Errorf("making a request of it: %w", err)
	}
	r = r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { o.sent.Add(1) }}))
	r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", t.address
	if t.tls != nil {
		r.URL.Scheme = "https"
	}
	if _, given := r.Header["User-Agent"]; !given {
		r.Header.Set("User-Agent", "") // otherwise net/http adds one of its own
	}
	if r.ContentLength > 0 {
		_, body, _ := bytes.Cut(wire, []byte("\r\n\r\n"))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil } // to be sent again
	}
	answer, err := c.transports[t.key].RoundTrip(r)
	o.resent += max(o.sent.Load()-before, 1) - 1
	if err != nil {
		return feed.Tape{}, plainEnd(err, errClosedEarly)
	}
	defer answer.Body.Close() // it is read to its end, or given up
	kept, limit := feed.Tape{}, int64(0)
	if len(step.takes) > 0 {
		var head bytes.Buffer
		fmt.Fprintf(&head, "%s %s\n", answer.Proto, answer.Status)
		_ = answer.Header.Write(&head) // into memory
		kept.Head, limit = bytes.ReplaceAll(head.Bytes(), []byte("\r\n"), []byte("\n")), feed.MaxTape
	}
	read := response{status: answer.StatusCode, fields: fields{location: []byte(answer.Header.Get("Location"))}}
	if kept.Body, err = io.ReadAll(io.LimitReader(answer.Body, limit)); err != nil {
		return kept, plainEnd(err, errCutShort)
	}
	begun := kept.Body
	if c.plan.task.Shows && limit == 0 {
		if begun, err = io.ReadAll(io.LimitReader(answer.Body, mostShown)); err != nil {
			return kept, plainEnd(err, errCutShort)
		}
	}
	if c.plan.task.Shows {
		read.show(begun)
	}
	rest, err := io.Copy(io.Discard, answer.Body)
	switch {
	case err != nil:
		return kept, plainEnd(err, errCutShort)
	case limit > 0 && rest > 0:
		return kept, badResponse("too long to take values from it")
	}
	o.status, o.body = answer.StatusCode, o.body+uint64(len(begun))+uint64(rest)
	switch {
	case !step.expects(o.status):
		o.kind = step.says(read.wrong())
	case len(step.status) == 0 && read.redirects():
		o.redirects = append(o.redirects, read.told())
	}
	if told := strings.Join(answer.Header.Values("Server-Timing"), ","); o.kind == "" && len(told) < longestTimings {
		o.timing = append(append(o.timing, told...), ',')
	}
	return kept, nil
}

// errNotUnderstood is what net/http makes nothing of, such as HTTP/2.
const errNotUnderstood = badResponse("not understood as HTTP/1.1")

// plainEnd is err in this package's words; end is what the end of the connection is.
func plainEnd(err, end error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return end
	}
	if kindOf(err) == "other" && !isTimeout(err) {
		return errNotUnderstood
	}
	return err
}

// openError is that no connection could be opened.
type openError struct{ error }

func (e *openError) Unwrap() error { return e.error }

// transport keeps the connections to a target.
func (c *client) transport(t *target) *http.Transport {
	open := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, &openError{err}
		}
		c.connected.Add(1)
		return &counted{conn, c}, nil
	}
	config := t.tls.Clone()
	if config != nil {
		config.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	return &http.Transport{
		DisableCompression: true, MaxIdleConnsPerHost: load.MostConnections, DialContext: open,
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			plain, err := open(ctx, network, address)
			if err != nil {
				return nil, err
			}
			conn := tls.Client(plain, config)
			if err := conn.HandshakeContext(ctx); err != nil {
				_ = plain.Close()
				if ctx.Err() == nil {
					err = tlsError(err)
				}
				return nil, &openError{err}
			}
			return conn, nil
		},
	}
}

// counted is a connection whose bytes are counted.
type counted struct {
	net.Conn
	by *client
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.by.received.Add(uint64(n))
	return n, err
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.by.sent.Add(uint64(n))
	return n, err
}

func (c *client) shut() {
	for _, t := range c.transports {
		t.CloseIdleConnections()
	}
}
