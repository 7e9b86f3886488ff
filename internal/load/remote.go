// The words between the conductor and a generator in a process of its own: one
// JSON object a line, a request on its stdin for each answer on its stdout.

package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// protocolVersion is what both sides must agree on.
const protocolVersion = 1

// Requests.
const (
	doHello  = "hello"  // answered with the protocol's version
	doTask   = "task"   // answered with the load when it is done
	doCancel = "cancel" // has the task under way answered at once; not answered itself
)

// request is a line from the conductor.
type request struct {
	Do   string `json:"do"`
	Task *Task  `json:"task,omitempty"`
}

// reply is a line from the generator. With an Error, Load is what was done until then.
type reply struct {
	Hello int          `json:"hello,omitempty"`
	Load  *record.Load `json:"load,omitempty"`
	Error string       `json:"error,omitempty"`
}

// readLines decodes one M a line and hands it on, until in ends or accept says
// that nobody listens any more. The end of in is no error.
func readLines[M any](in io.Reader, accept func(M) bool) error {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading a line: %w", err)
		}
		var m M
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("reading the line %.80q: %w", line, err)
		}
		if !accept(m) {
			return nil
		}
	}
}

func writeLine(out io.Writer, m any) error {
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encoding a line: %w", err)
	}
	if _, err := out.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("writing a line: %w", err)
	}
	return nil
}

// The conductor's side of the protocol.

// patienceWithRemote is how long a generator may take to answer what it can
// answer at once, and to end.
const patienceWithRemote = 10 * time.Second

// errGone is what a generator's death looks like from here.
var errGone = errors.New("the load generator's process has ended; its log may say why")

// Remote is a generator in a process of its own, which runs Serve.
type Remote struct {
	mu      sync.Mutex
	in      io.WriteCloser
	replies chan reply
	gone    chan struct{} // closed when no more replies come
	goneErr error         // why; to be read after gone is closed
	left    chan struct{} // closed by Close
	leave   sync.Once
}

// NewRemote takes charge of a generator whose stdin and stdout are given, and
// makes sure that it answers.
func NewRemote(in io.WriteCloser, out io.Reader) (*Remote, error) {
	r := &Remote{in: in, replies: make(chan reply), gone: make(chan struct{}), left: make(chan struct{})}
	go r.listen(out)
	if err := r.greet(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Remote) listen(out io.Reader) {
	defer close(r.gone)
	r.goneErr = readLines(out, func(m reply) bool {
		select {
		case r.replies <- m:
		case <-r.left:
		}
		return true
	})
}

func (r *Remote) greet() error {
	if err := writeLine(r.in, request{Do: doHello}); err != nil {
		return fmt.Errorf("greeting the load generator: %w", err)
	}
	m, err := r.await(time.After(patienceWithRemote))
	if err != nil {
		return fmt.Errorf("greeting the load generator: %w", err)
	}
	if m.Hello != protocolVersion {
		return fmt.Errorf("greeting the load generator: it speaks version %d, not %d: both must be the same build of tracetax", m.Hello, protocolVersion)
	}
	return nil
}

// await returns the next reply; a nil limit is no limit.
func (r *Remote) await(limit <-chan time.Time) (reply, error) {
	select {
	case m := <-r.replies:
		return m, nil
	case <-r.gone:
		return reply{}, errors.Join(errGone, r.goneErr)
	case <-limit:
		return reply{}, fmt.Errorf("the load generator has not answered for %v", patienceWithRemote)
	}
}

// Do has t carried out. If ctx ends first, it returns what was done until then
// with the error.
func (r *Remote) Do(ctx context.Context, t Task) (record.Load, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return record.Load{}, err
	}
	if err := writeLine(r.in, request{Do: doTask, Task: &t}); err != nil {
		return record.Load{}, fmt.Errorf("giving a task to the load generator: %w", err)
	}
	select {
	case m := <-r.replies:
		return m.result()
	case <-r.gone:
		return record.Load{}, errors.Join(errGone, r.goneErr)
	case <-ctx.Done():
		return r.cancel(ctx)
	}
}

// cancel gives up the task under way.
func (r *Remote) cancel(ctx context.Context) (record.Load, error) {
	if err := writeLine(r.in, request{Do: doCancel}); err != nil {
		return record.Load{}, fmt.Errorf("giving up a task of the load generator: %w", errors.Join(err, ctx.Err()))
	}
	m, err := r.await(time.After(patienceWithRemote))
	if err != nil {
		return record.Load{}, errors.Join(err, ctx.Err())
	}
	l, _ := m.result() // its error is the end of ctx, in words
	return l, fmt.Errorf("the load was given up: %w", ctx.Err())
}

func (m reply) result() (record.Load, error) {
	var l record.Load
	if m.Load != nil {
		l = *m.Load
	}
	if m.Error != "" {
		return l, fmt.Errorf("load generator: %s", m.Error)
	}
	return l, nil
}

// Close ends the generator by closing its stdin, and waits until it has closed
// its stdout. A task under way is given up.
func (r *Remote) Close() error {
	var err error
	r.leave.Do(func() {
		close(r.left)
		err = r.in.Close()
	})
	select {
	case <-r.gone:
	case <-time.After(patienceWithRemote):
		err = errors.Join(err, fmt.Errorf("the load generator has not ended within %v", patienceWithRemote))
	}
	if err != nil {
		return fmt.Errorf("ending the load generator: %w", err)
	}
	return nil
}

// The generator's side of the protocol.

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
