package jsonpipe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// ErrGone is what the end of the other process looks like from here.
var ErrGone = errors.New("its process has ended; its log may say why")

// Error is what the other process says of a request that it could not do, or not all of.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// Client is tracetax's side: it asks Q and is answered A. It is safe for concurrent use.
type Client[Q, A any] struct {
	Patience time.Duration // with the answer to a request that was given up; 0: nobody waits for it

	in   io.WriteCloser
	out  writer[Q]
	gone chan struct{} // closed when no more answers come
	why  error         // of that; to be read after gone is closed

	mu      sync.Mutex
	asked   uint64
	waiting map[uint64]chan Line[A]
}

// NewClient talks to the process whose stdin is given. Listen takes in what it says.
func NewClient[Q, A any](in io.WriteCloser) *Client[Q, A] {
	return &Client[Q, A]{in: in, out: writer[Q]{to: in}, gone: make(chan struct{}), waiting: map[uint64]chan Line[A]{}}
}

// Listen takes in answers and events until the process ends. It is to be called once.
func (c *Client[Q, A]) Listen(out io.Reader, event func(A)) {
	defer close(c.gone)
	for lines := newReader[A](out); ; {
		l, err := lines.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.why = err
			}
			return
		}
		if l.ID == 0 {
			if event != nil {
				event(l.Body)
			}
			continue
		}
		c.mu.Lock()
		answer := c.waiting[l.ID]
		delete(c.waiting, l.ID)
		c.mu.Unlock()
		if answer != nil { // otherwise nobody waits for it any more
			answer <- l
		}
	}
}

// Gone is closed when the process has ended, or cannot be understood any more.
func (c *Client[Q, A]) Gone() <-chan struct{} { return c.gone }

// Tell says what is not answered.
func (c *Client[Q, A]) Tell(q Q) error { return c.out.write(Line[Q]{Body: q}) }

// Ask asks, and waits for the answer. If ctx ends first, the request is given up, and what was done until then is returned with
// the error, within the client's patience.
func (c *Client[Q, A]) Ask(ctx context.Context, q Q) (a A, err error) {
	if err := ctx.Err(); err != nil {
		return a, err
	}
	answer := make(chan Line[A], 1)
	c.mu.Lock()
	c.asked++
	id := c.asked
	c.waiting[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	if err := c.out.write(Line[Q]{ID: id, Body: q}); err != nil {
		return a, err
	}
	done, given := ctx.Done(), error(nil)
	var patience <-chan time.Time
	for {
		select {
		case l := <-answer:
			return answered(l, given)
		case <-c.gone:
			select {
			case l := <-answer: // the last thing that it said
				return answered(l, given)
			default:
				return a, errors.Join(ErrGone, c.why, given)
			}
		case <-patience:
			return a, errors.Join(fmt.Errorf("it has not answered for %v", c.Patience), given)
		case <-done:
			if done, given = nil, ctx.Err(); c.Patience == 0 {
				return a, given
			}
			if err := c.out.write(Line[Q]{ID: id, Cancel: true}); err != nil {
				return a, errors.Join(err, given)
			}
			patience = time.After(c.Patience)
		}
	}
}

// answered is what an answer says. Of a request that was given up, that is the error.
func answered[A any](l Line[A], given error) (A, error) {
	switch {
	case given != nil:
		return l.Body, given
	case l.Error != "":
		return l.Body, &Error{l.Error}
	}
	return l.Body, nil
}

// Close ends the requests, and with them the process. It may be called again.
func (c *Client[Q, A]) Close() error {
	if err := c.in.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
