// Package kieker receives the monitoring records of Kieker: over TCP, as its
// SingleSocketTcpWriter sends them, and from the folders that its FileWriter leaves. An
// OperationExecutionRecord is a span; the other records are counted as logs (events)
// and metrics (samples of the JVM and the machine), or say something of Kieker itself.
// It must not know the workload or what was expected.
package kieker

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// Limits bound what senders can make a receiver hold.
type Limits struct {
	Body int64 // bytes of the strings of all registries together
}

// Receiver counts the records of Kieker's TCP writers in a tally. A connection is a
// request. Kieker holds records back until its buffer is full, and connections stay
// open as long as a program lives: a silent one is no fault.
type Receiver struct {
	total  *tally.Total
	limits Limits
	server wire.TCP
	held   atomic.Int64 // bytes of strings

	mu    sync.Mutex
	fault error // why a connection was ended first
}

const protocol = "kieker"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits Limits) *Receiver {
	r := &Receiver{total: total, limits: limits}
	r.server.Handle = r.handle
	return r
}

// Serve serves the connections of l until Close.
func (r *Receiver) Serve(l net.Listener) error { return r.server.Serve(l) }

// Close ends the receiver and its connections at once.
func (r *Receiver) Close() error { return r.server.Close() }

// Fault returns why the first of the connections was ended that are counted as
// malformed; nil if none was. The protocol has no way to tell a sender.
func (r *Receiver) Fault() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fault
}

func (r *Receiver) refuse(err error) {
	r.total.Refuse(err.Error())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil {
		r.fault = err
	}
}

// handle counts what comes over a connection until its end.
func (r *Receiver) handle(c net.Conn) {
	r.total.Arrived()
	r.total.Note(protocol, 0)
	r.total.Finished()
	var held int64
	defer func() { r.held.Add(-held) }()
	w := walker{registry: registry{charge: func(n int64) error {
		held += n
		if r.held.Add(n) > r.limits.Body {
			return fmt.Errorf("the strings of the registries take more than %d bytes", r.limits.Body)
		}
		return nil
	}}}
	err := drain(c, &w, r.total)
	if err != nil {
		r.refuse(fmt.Errorf("reading Kieker's records from %v: %w", c.RemoteAddr(), err))
	}
}

const readSize = 64 << 10 // bytes read at a time

// errCut is the error of a stream that ends within a record.
var errCut = errors.New("the stream ends in the middle of a record")

// drain counts the records that from gives until its end.
func drain(from io.Reader, w *walker, total *tally.Total) error {
	buffer := make([]byte, readSize)
	left := 0 // bytes at the start of the buffer that begin a record
	for {
		if left == len(buffer) {
			buffer = append(buffer, make([]byte, len(buffer))...)
		}
		n, err := from.Read(buffer[left:])
		if n > 0 {
			done, walkErr := count(total, w, buffer[:left+n], n)
			if walkErr != nil {
				return walkErr
			}
			left = copy(buffer, buffer[done:left+n])
		}
		switch {
		case err == nil:
		case left > 0:
			return errCut
		default:
			return nil // also a program that was killed
		}
	}
}

// count counts the whole records that b begins with; n bytes of it are new.
func count(total *tally.Total, w *walker, b []byte, n int) (int, error) {
	total.Arrived()
	defer total.Finished()
	batch := total.Batch()
	done, err := w.walk(batch, b)
	total.Part(batch, int64(n))
	return done, err
}
