// This file passes calls on to a backend, while they are counted.

package rpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/sink/forward"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
)

// PassOn has every call passed on to backend, which then answers it, also calls of methods
// that the server does not know. Close closes backend. It is to be called before Serve.
func (s *Server) PassOn(backend *forward.GRPC) { s.backend = backend }

// passing is one call on its way to the backend.
type passing struct {
	*Server
	stream grpc.ServerStream
	method Method
	to     *forward.Stream
	fate   fate
}

// fate is what becomes of the spans of a call's messages that were passed on: the end of the call decides on all of them.
// It is safe for concurrent use.
type fate struct {
	mu                sync.Mutex
	waiting           uint64
	decided, accepted bool
}

// add has spans wait for the end of the call. Where it has come already, since the backend ended the call before the message
// was seen to have been sent, they are to be told at once.
func (f *fate) add(spans uint64) (tell, accepted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.decided {
		f.waiting += spans
	}
	return f.decided, f.accepted
}

// decide ends the waiting, and returns the spans that waited.
func (f *fate) decide(accepted bool) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.decided, f.accepted = true, accepted
	return f.waiting
}

// pass passes one call on, message by message, until either side ends it. The backend has
// accepted its spans if it ended the call with OK, and otherwise refused all of them.
func (s *Server) pass(stream grpc.ServerStream, name string, method Method) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	p := &passing{Server: s, stream: stream, method: method}
	var err error
	if p.to, err = s.backend.Open(ctx, name); err != nil {
		p.drop(ctx)
		return err
	}
	sent, ended := make(chan error, 1), make(chan error, 1)
	go func() { sent <- p.send() }() // which ends with the call at the latest
	go func() { ended <- p.answer() }()
	select {
	case err = <-sent:
		if err == nil {
			err = <-ended
		}
	case err = <-ended:
	}
	p.tell(p.fate.decide(err == nil), err == nil)
	if err == nil {
		wire.Linger(ctx, s.late)
	}
	return err
}

// leftover is how long a sender without a backend is read before it gets the error.
var leftover = time.Second // which tests change

// drop counts what the sender has sent, which no backend gets.
func (p *passing) drop(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended) // with the call at the latest
		for first, more := true, true; more; first = false {
			more, _ = p.next(first) // what is wrong is counted, and the absence of the backend told
		}
	}()
	select {
	case <-ended:
	case <-time.After(leftover):
	case <-ctx.Done():
	}
}

// tell counts spans that the backend accepted, or refused.
func (p *passing) tell(spans uint64, accepted bool) {
	if accepted {
		p.total.Passed(spans, 0)
	} else {
		p.total.Passed(0, spans)
	}
}

// send passes on what the sender sends until either side ends the call.
func (p *passing) send() error {
	for first := true; ; first = false {
		if more, err := p.next(first); err != nil || !more {
			return err
		}
	}
}

// next counts one message and passes it on, also one that is malformed: the backend is to
// answer it. There are no more where the sender has ended the call, or the backend has; what
// does not reach the backend is refused.
func (p *passing) next(first bool) (more bool, err error) {
	m := wire.Message{Pool: mem.DefaultBufferPool()}
	defer m.Free()
	switch err := p.stream.RecvMsg(&m); {
	case errors.Is(err, io.EOF) && p.to != nil:
		return false, p.to.End()
	case errors.Is(err, io.EOF):
		return false, nil
	case err != nil:
		return false, p.broken(err)
	}
	spans, _ := p.take(&m, p.method, serviceOf(p.stream, p.method.ServiceKey), first) // it says what is malformed to the tally
	if p.to == nil {
		p.total.Passed(0, spans)
		return true, nil
	}
	switch err := p.to.Send(m.Body()); {
	case errors.Is(err, io.EOF): // answer has the backend's status
		p.total.Passed(0, spans)
		return false, nil
	case err != nil:
		p.total.Passed(0, spans)
		return false, err
	}
	if tell, accepted := p.fate.add(spans); tell {
		p.tell(spans, accepted)
	}
	return true, nil
}

// answer hands the backend's messages to the sender until the backend ends the call.
func (p *passing) answer() error {
	for {
		m := wire.Message{Pool: mem.DefaultBufferPool()}
		if err := p.to.Receive(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		err := p.stream.SendMsg(&wire.Message{Out: bytes.Clone(m.Body())})
		m.Free()
		if err != nil {
			return err
		}
	}
}
