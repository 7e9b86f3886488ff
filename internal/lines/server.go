package lines

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Server is the other process's side: it is asked Q and answers A.
type Server[Q, A any] struct {
	in  reader[Q]
	out writer[A]
}

// NewServer takes requests from in and answers on out.
func NewServer[Q, A any](in io.Reader, out io.Writer) *Server[Q, A] {
	return &Server[Q, A]{in: newReader[Q](in), out: writer[A]{to: out}}
}

// Next is the next request; io.EOF where in has ended.
func (s *Server[Q, A]) Next() (Line[Q], error) { return s.in.next() }

// Answer answers a request, if it is one that is answered; err is why not all of it was done. It may be called from several
// goroutines.
func (s *Server[Q, A]) Answer(to Line[Q], a A, err error) error {
	if to.ID == 0 {
		return nil
	}
	l := Line[A]{ID: to.ID, Body: a}
	if err != nil {
		l.Error = err.Error()
	}
	return s.out.write(l)
}

// Tell tells an event. It may be called from several goroutines.
func (s *Server[Q, A]) Tell(event A) error { return s.out.write(Line[A]{Body: event}) }

// Serve has do answer each request, in a goroutine of its own; its context ends when the request is given up. It returns when
// in ends, the order to end (then without an error), when ctx ends, or when either side cannot be
// understood any more. What is under way is then given up, and its answer thrown away. A reader that blocks outlives ctx.
func (s *Server[Q, A]) Serve(ctx context.Context, do func(context.Context, Q) (A, error)) error {
	ctx, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	type answer struct {
		to   Line[Q]
		say  A
		err  error
		done context.CancelFunc
	}
	requests, ended, answers := make(chan Line[Q]), make(chan error, 1), make(chan answer)
	go func() { ended <- s.pass(ctx, requests) }()
	cancels := map[uint64]context.CancelFunc{} // of the requests under way
	for {
		select {
		case l := <-requests:
			if l.Cancel {
				if cancel := cancels[l.ID]; cancel != nil {
					cancel()
				}
				continue
			}
			within, cancel := context.WithCancel(ctx)
			cancels[l.ID] = cancel
			working.Go(func() {
				say, err := do(within, l.Body)
				select {
				case answers <- answer{l, say, err, cancel}:
				case <-ctx.Done():
				}
			})
		case a := <-answers:
			a.done()
			delete(cancels, a.to.ID)
			if err := s.Answer(a.to, a.say, a.err); err != nil {
				return err
			}
		case err := <-ended:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pass passes requests on until in ends, which is no error, or ctx does.
func (s *Server[Q, A]) pass(ctx context.Context, to chan<- Line[Q]) error {
	for {
		l, err := s.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case to <- l:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
