// This file lets two read one body.

package forward

import (
	"io"
	"sync"
)

// tee copies to a pipe what is read from a body. The backend's side and the handler
// may both read from it.
type tee struct {
	mu            sync.Mutex
	from          io.Reader
	to            *io.PipeWriter
	waits, goesOn func() // called before the sender is waited for, and when something of it, or its end, has come
	err           error  // how the body ended
}

// Read reads from the body. Nobody need read the copy.
func (t *tee) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return 0, t.err
	}
	t.waits()
	n, err := t.from.Read(p)
	t.goesOn()
	if n > 0 {
		_, _ = t.to.Write(p[:n]) // an error says that nobody reads the copy any more
	}
	if err != nil {
		t.err = err
		_ = t.to.CloseWithError(err) // never fails
	}
	return n, err
}

// Close leaves the body open: what the backend does not want is still to be counted.
func (*tee) Close() error { return nil }
