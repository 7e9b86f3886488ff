package process

import (
	"io"
	"sync"
)

// reserved are the ports that were given out. Until its program listens on it, a port looks free to others.
var reserved = reservations{most: 128}

// reservations hold the last ports that were given out, those of many runs: a run has some ten, and its programs listen
// within seconds.
type reservations struct {
	most int
	mu   sync.Mutex
	held []io.Closer // the oldest first
}

// take reserves a port, and gives up the oldest reservation where there are too many; false where this tracetax, or
// another one on this machine, has reserved it.
func (r *reservations) take(port int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	mark, ok := reserve(port)
	if !ok {
		return false
	}
	if mark == nil { // it cannot be done here
		return true
	}
	if r.held = append(r.held, mark); len(r.held) > r.most {
		_ = r.held[0].Close() // a name without a file: there is nothing to go wrong
		r.held = r.held[1:]
	}
	return true
}
