// This file passes calls on to a backend, while they are counted.

package rpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"

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
	sent   atomic.Uint64 // spans of the messages that were passed on
}

// pass passes one call on, message by message, until either side ends it. The backend has
// accepted its spans if it ended the call with OK, and otherwise refused all of them.
func (s *Server) pass(stream grpc.ServerStream, name string, method Method) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	p := &passing{Server: s, stream: stream, method: method}
	var err error
	if p.to, err = s.backend.Open(ctx, name); err != nil {
		_, _ = p.next(true) // what has come is counted all the same, and the backend's absence told
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
	if spans := p.sent.Load(); err == nil {
		s.total.Passed(spans, 0)
	} else {
		s.total.Passed(0, spans)
	}
	return err
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
		return false, nil
	}
	switch err := p.to.Send(m.Body()); {
	case errors.Is(err, io.EOF): // answer has the backend's status
		p.total.Passed(0, spans)
		return false, nil
	case err != nil:
		p.total.Passed(0, spans)
		return false, err
	}
	p.sent.Add(spans)
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
