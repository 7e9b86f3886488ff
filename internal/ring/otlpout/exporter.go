// This file makes requests of spans, and knows which of them were delivered.

package otlpout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/jitter"
	"github.com/tracetax/tracetax/internal/ring"
)

const (
	mostRequest = 900_000
	mostWaiting = 8 * mostRequest // bytes of all programs that wait for company
	company     = time.Second     // that spans wait for others of their program
	senders     = 2               // requests under way at once

	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Counts add up the fates of spans.
type Counts struct {
	Delivered uint64 // taken by the back end
	Rejected  uint64 // that it took note of, and did not want: OTLP's partial success
	Lost      uint64 // of requests that it refused for good, or that were given up
	Requests  uint64 // that were answered well
	Retries   uint64
	Bytes     uint64 // of these requests
	Failure   error  // the last one; nil where there was none
}

// request is one export.
type request struct {
	data  []byte
	first uint64 // spans of the program that were taken before
	spans int
	since time.Time
	done  bool
	given bool // up: it was neither delivered nor refused
}

// stream holds the requests of one program.
type stream struct {
	encoder *encoder
	taken   uint64
	waiting *request   // that is not full
	out     []*request // the oldest first, the waiting one included
}

// Exporter delivers spans to a back end. It is a ring.Handler; Flush and Close are called by the same goroutine.
type Exporter struct {
	ctx     context.Context // ends it, and what was not delivered is lost
	version string
	send    sender
	queue   chan *request
	working sync.WaitGroup
	waiting int // bytes

	mu      sync.Mutex
	idle    *sync.Cond // some request is done
	streams map[*ring.Program]*stream
	counts  Counts
	free    [][]byte
}

// New returns an exporter to where the options say. ctx bounds its life: Close it before. version is that of tracetax.
func New(ctx context.Context, o Options, version string) (*Exporter, error) {
	send, err := newSender(o)
	if err != nil {
		return nil, err
	}
	e := &Exporter{ctx: ctx, version: version, send: send, queue: make(chan *request), streams: map[*ring.Program]*stream{}}
	e.idle = sync.NewCond(&e.mu)
	for range senders {
		e.working.Go(e.work)
	}
	return e, nil
}

// Take encodes spans. It blocks while all senders wait for the back end.
func (e *Exporter) Take(p *ring.Program, spans []ring.Span) error {
	e.mu.Lock()
	s := e.streams[p]
	if s == nil {
		s = &stream{encoder: newEncoder(p, e.version)}
		e.streams[p] = s
	}
	r := s.waiting
	if r == nil {
		r = e.open(s)
	}
	r.spans += len(spans)
	s.taken += uint64(len(spans))
	e.mu.Unlock()
	before := len(r.data)
	r.data = s.encoder.append(r.data, spans)
	e.waiting += len(r.data) - before
	switch {
	case len(r.data) >= mostRequest:
		return e.post(s)
	case e.waiting >= mostWaiting:
		return e.postAll(0)
	}
	return nil
}

// open begins a request of a program. The lock is held.
func (e *Exporter) open(s *stream) *request {
	r := &request{first: s.taken, since: time.Now()}
	if last := len(e.free) - 1; last >= 0 {
		r.data, e.free = e.free[last][:0], e.free[:last]
	}
	r.data = s.encoder.begin(r.data)
	e.waiting += len(r.data)
	s.waiting = r
	s.out = append(s.out, r)
	return r
}

// post hands the waiting request of a program to a sender.
func (e *Exporter) post(s *stream) error {
	r := s.waiting
	s.waiting = nil
	e.waiting -= len(r.data)
	s.encoder.finish(r.data)
	select {
	case e.queue <- r:
		return nil
	case <-e.ctx.Done():
		e.end(r, answer{}, fmt.Errorf("giving up delivery: %w", context.Cause(e.ctx)))
		return fmt.Errorf("delivering spans: %w", context.Cause(e.ctx))
	}
}

// postAll posts what has waited for at least that long.
func (e *Exporter) postAll(age time.Duration) error {
	for _, s := range e.allStreams() {
		if s.waiting == nil || age > 0 && time.Since(s.waiting.since) < age {
			continue
		}
		if err := e.post(s); err != nil {
			return err
		}
	}
	return nil
}

func (e *Exporter) allStreams() []*stream {
	if e.waiting == 0 {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []*stream
	for _, s := range e.streams {
		out = append(out, s)
	}
	return out
}

// Rest posts what waited long enough for company.
func (e *Exporter) Rest() error { return e.postAll(company) }

// Settled returns how many spans of a program, counted from the first, are delivered, or refused for good.
func (e *Exporter) Settled(p *ring.Program) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.streams[p]
	if s == nil {
		return 0
	}
	for len(s.out) > 0 && s.out[0].done && !s.out[0].given {
		s.out = s.out[1:]
	}
	if len(s.out) > 0 {
		return s.out[0].first
	}
	return s.taken
}

// Forget drops what is kept of a program.
func (e *Exporter) Forget(p *ring.Program) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.streams, p)
}

// Flush posts what waits, and returns when all is delivered or lost.
func (e *Exporter) Flush() error {
	err := e.postAll(0)
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.pending() {
		e.idle.Wait()
	}
	return err
}

func (e *Exporter) pending() bool {
	for _, s := range e.streams {
		for _, r := range s.out {
			if !r.done && r != s.waiting {
				return true
			}
		}
	}
	return false
}

// Close ends the exporter. What still waits is lost; Flush comes before.
func (e *Exporter) Close() error {
	e.mu.Lock()
	for _, s := range e.streams {
		if s.waiting != nil {
			e.counts.Lost += uint64(s.waiting.spans)
			s.waiting = nil
		}
	}
	e.mu.Unlock()
	close(e.queue)
	e.working.Wait()
	return e.send.close()
}

// Counts returns what became of the spans so far. Any goroutine may call it.
func (e *Exporter) Counts() Counts {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts
}

// work delivers requests, one after the other.
func (e *Exporter) work() {
	for r := range e.queue {
		a, err := e.deliver(r)
		e.end(r, a, err)
	}
}

// deliver sends a request until the back end has it, refuses it for good, or the exporter ends.
func (e *Exporter) deliver(r *request) (answer, error) {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		a, err := e.send.send(e.ctx, r.data)
		var again *retryError
		if err == nil || !errors.As(err, &again) {
			return a, err
		}
		e.mu.Lock()
		e.counts.Retries++
		e.counts.Failure = err
		e.mu.Unlock()
		t := time.NewTimer(max(again.after, jitter.Around(pause)))
		select {
		case <-t.C:
		case <-e.ctx.Done():
			t.Stop()
			return answer{}, fmt.Errorf("giving up delivery: %w", err)
		}
	}
}

// end counts a request that is over.
func (e *Exporter) end(r *request, a answer, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.done = true
	spans := uint64(r.spans)
	if err != nil {
		r.given = e.ctx.Err() != nil
		e.counts.Lost += spans
		e.counts.Failure = err
	} else {
		rejected := min(a.rejected, spans)
		e.counts.Rejected += rejected
		e.counts.Delivered += spans - rejected
		e.counts.Requests++
		e.counts.Bytes += uint64(len(r.data))
		if rejected > 0 || a.message != "" {
			e.counts.Failure = fmt.Errorf("the back end rejected %d of %d spans: %q", rejected, spans, a.message)
		}
		if len(e.free) < 2*senders {
			e.free = append(e.free, r.data)
		}
	}
	r.data = nil
	e.idle.Broadcast()
}
