// The generator's side of the protocol.

package load

import (
	"context"
	"io"

	"github.com/tracetax/tracetax/internal/record"
)

// Serve carries out the tasks that come in, one a line, and answers each with a
// line on out. It returns when in ends, which is how it is stopped (then without
// an error), when ctx ends, or when either side cannot be understood any more;
// a task under way is given up.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	g, err := NewGenerator()
	if err != nil {
		return err
	}
	defer g.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := service{generator: g, out: out, done: make(chan reply), cancel: func() {}}
	requests, ended := listen(ctx, in)
	for {
		select {
		case r := <-requests:
			err = s.handle(ctx, r)
		case answer := <-s.done:
			s.running = false
			err = writeLine(out, answer)
		case err = <-ended:
			s.giveUp()
			return err
		case <-ctx.Done():
			s.giveUp()
			return ctx.Err()
		}
		if err != nil {
			s.giveUp()
			return err
		}
	}
}

// listen reads requests until in ends, which it tells on the second channel.
func listen(ctx context.Context, in io.Reader) (<-chan request, <-chan error) {
	requests, ended := make(chan request), make(chan error, 1)
	go func() {
		ended <- readLines(in, func(r request) bool {
			select {
			case requests <- r:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	return requests, ended
}

// service is the state of Serve.
type service struct {
	generator *Generator
	out       io.Writer
	running   bool
	done      chan reply // the answer to the task under way
	cancel    func()     // gives it up
}

func (s *service) handle(ctx context.Context, r request) error {
	switch {
	case r.Do == doHello:
		return writeLine(s.out, reply{Hello: protocolVersion})
	case r.Do == doCancel:
		s.cancel()
		return nil
	case r.Do != doTask || r.Task == nil:
		return writeLine(s.out, reply{Error: "not understood: want hello, task or cancel"})
	case s.running:
		return writeLine(s.out, reply{Error: "a task is under way: cancel it first, or wait"})
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.running = true
	go func(cancel func()) {
		defer cancel()
		l, err := s.generator.Do(ctx, *r.Task)
		s.done <- answer(l, err)
	}(s.cancel)
	return nil
}

func answer(l record.Load, err error) reply {
	if err != nil {
		return reply{Load: &l, Error: err.Error()}
	}
	return reply{Load: &l}
}

// giveUp ends the task under way, if there is one, and throws its answer away.
func (s *service) giveUp() {
	s.cancel()
	if s.running {
		<-s.done
		s.running = false
	}
}
