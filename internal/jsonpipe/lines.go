// Package jsonpipe owns how tracetax talks with the processes that it starts of itself, over two pipes: a keeper, the load
// generator, the sink. Every line is a JSON object. A request has a number, which its answer repeats; an event has none. The
// end of the requests ends the process, and the end of the answers means that it has ended. It must not know what is said.
package jsonpipe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tracetax/tracetax/internal/quote"
)

// longest bounds a line in either direction, in bytes: the bodies of requests are in one, a third longer than they are.
const longest = 128 << 20

// Line is one line. Its body is a request, an answer or an event.
type Line[B any] struct {
	ID     uint64 `json:"id,omitempty"`     // of a request, from 1, and of its answer; 0: nothing is answered
	Cancel bool   `json:"cancel,omitempty"` // the request of that number is given up; it is answered all the same
	Error  string `json:"error,omitempty"`  // of an answer: why not all was done
	Body   B      `json:"body"`
}

// reader reads lines whose bodies are B.
type reader[B any] struct{ lines *bufio.Scanner }

func newReader[B any](from io.Reader) reader[B] {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longest)
	return reader[B]{lines}
}

// next is the next line; io.EOF where there is none.
func (r reader[B]) next() (l Line[B], err error) {
	if !r.lines.Scan() {
		if err := r.lines.Err(); err != nil {
			return l, fmt.Errorf("reading a line: %w", err)
		}
		return l, io.EOF
	}
	if err := json.Unmarshal(r.lines.Bytes(), &l); err != nil {
		return l, fmt.Errorf("reading the line %s: %w", quote.Quoted(r.lines.Bytes()), err)
	}
	return l, nil
}

// writer writes lines, from several goroutines.
type writer[B any] struct {
	mu sync.Mutex
	to io.Writer
}

func (w *writer[B]) write(l Line[B]) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encoding a line: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.to.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("writing a line: %w", err)
	}
	return nil
}

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
