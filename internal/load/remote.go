// The conductor's side of the protocol.

package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

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
