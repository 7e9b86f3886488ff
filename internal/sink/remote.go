// This file is the conductor's end of a sink process.

package sink

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/protocol"
)

// Remote drives a sink process. It is safe for concurrent use.
type Remote struct {
	addresses protocol.Addresses
	in        io.WriteCloser
	turn      chan struct{} // holds one token: one request at a time
	answers   <-chan []byte
	failed    <-chan error
	ended     error // why there are no more answers; guarded by turn
	stop      context.CancelFunc
	id        uint64
	closed    bool
}

// NewRemote waits for the hello of a sink process, whose stdin and stdout are in
// and out. It fails if the process says that it cannot start, or ends.
func NewRemote(in io.WriteCloser, out io.Reader) (*Remote, error) {
	ctx, stop := context.WithCancel(context.Background())
	r := &Remote{in: in, turn: make(chan struct{}, 1), stop: stop}
	r.turn <- struct{}{}
	r.answers, r.failed = readLines(ctx, out)
	line, err := r.line(ctx)
	if err == nil {
		err = r.greet(line)
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("starting the sink: %w", err)
	}
	return r, nil
}

func (r *Remote) greet(line []byte) error {
	var h hello
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("its first line %s: %w", excerpt.Quoted(line), err)
	}
	if h.Error != "" {
		return errors.New(h.Error)
	}
	r.addresses = h.Addresses
	return nil
}

// line returns the next line that the process writes.
func (r *Remote) line(ctx context.Context) ([]byte, error) {
	if r.ended != nil {
		return nil, r.ended
	}
	select {
	case line, more := <-r.answers:
		if more {
			return line, nil
		}
		r.ended = errors.New("the sink process ended")
		if err := <-r.failed; err != nil {
			r.ended = fmt.Errorf("the sink process ended: %w", err)
		}
		return nil, r.ended
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Addresses returns where the sink listens.
func (r *Remote) Addresses() protocol.Addresses { return r.addresses }

// Snapshot asks for what was counted so far.
func (r *Remote) Snapshot(ctx context.Context) (Snapshot, error) {
	s, err := r.ask(ctx, doSnapshot)
	if err != nil {
		return Snapshot{}, fmt.Errorf("asking the sink what it counted: %w", err)
	}
	return s, nil
}

func (r *Remote) ask(ctx context.Context, do string) (Snapshot, error) {
	select {
	case <-r.turn:
		defer func() { r.turn <- struct{}{} }()
	case <-ctx.Done():
		return Snapshot{}, ctx.Err()
	}
	if r.closed {
		return Snapshot{}, errors.New("the sink is closed")
	}
	r.id++
	if err := json.NewEncoder(r.in).Encode(request{ID: r.id, Do: do}); err != nil {
		return Snapshot{}, err
	}
	return r.answer(ctx)
}

// answer reads the answer to the latest request. Answers to earlier requests,
// whose askers did not wait, are passed over.
func (r *Remote) answer(ctx context.Context) (Snapshot, error) {
	for {
		line, err := r.line(ctx)
		if err != nil {
			return Snapshot{}, err
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			return Snapshot{}, fmt.Errorf("its answer %s: %w", excerpt.Quoted(line), err)
		}
		if a.ID != r.id {
			continue
		}
		if a.Error != "" {
			return Snapshot{}, errors.New(a.Error)
		}
		return a.Snapshot, nil
	}
}

// Close ends the sink by closing its stdin; the process then ends by itself. It
// does not wait for that, and is no error if the process has ended before.
func (r *Remote) Close() error {
	<-r.turn
	defer func() { r.turn <- struct{}{} }()
	if r.closed {
		return nil
	}
	r.closed = true
	r.stop()
	if err := r.in.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("closing the sink: %w", err)
	}
	return nil
}

// This file runs the sink as a process of its own: one line of JSON for hello,
// then one answer for each request line.

// hello is the first line that a sink process writes: its addresses, or why it
// could not start.
type hello struct {
	Addresses protocol.Addresses `json:"addresses,omitempty"`
	Error     string             `json:"error,omitempty"`
}

// request is a line to a sink process.
type request struct {
	ID uint64 `json:"id,omitempty"` // repeated in the answer
	Do string `json:"do"`           // what to do: snapshot or close
}

const (
	doSnapshot = "snapshot"
	doClose    = "close"
)

// answer is a line from a sink process.
type answer struct {
	ID uint64 `json:"id,omitempty"`
	Snapshot
	Error string `json:"error,omitempty"`
}

// maxLine bounds a line in either direction, in bytes.
const maxLine = 4 << 20

// Serve runs a sink until it is told to close, in ends, or ctx is done. A reader
// that blocks in in outlives ctx, until the process ends.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) (err error) {
	lines := json.NewEncoder(out)
	server, err := Start(cfg)
	if err != nil {
		if writeErr := lines.Encode(hello{Error: err.Error()}); writeErr != nil {
			return fmt.Errorf("%w (and telling so: %w)", err, writeErr)
		}
		return err
	}
	defer func() {
		if closeErr := server.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := lines.Encode(hello{Addresses: server.Addresses()}); err != nil {
		return fmt.Errorf("writing the sink's addresses: %w", err)
	}
	requests, readErr := readLines(ctx, in)
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-requests:
			if !more {
				return <-readErr
			}
			closed, err := server.answer(line, lines)
			if err != nil || closed {
				return err
			}
		}
	}
}

// answer does what one line asks for.
func (s *Server) answer(line []byte, out *json.Encoder) (closed bool, err error) {
	var r request
	a := answer{}
	if err := json.Unmarshal(line, &r); err != nil {
		a.Error = fmt.Sprintf("reading a request: %v", err)
	} else if r.Do != doSnapshot && r.Do != doClose {
		a.Error = fmt.Sprintf("cannot do %q; say %q or %q", r.Do, doSnapshot, doClose)
	}
	a.ID = r.ID
	a.Snapshot = s.Snapshot()
	if err := out.Encode(a); err != nil {
		return false, fmt.Errorf("answering a request: %w", err)
	}
	return r.Do == doClose, nil
}

// readLines reads lines until in ends; then the first channel is closed and the
// second gives the error, nil at a plain end.
func readLines(ctx context.Context, in io.Reader) (<-chan []byte, <-chan error) {
	lines, failed := make(chan []byte), make(chan error, 1)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			select {
			case lines <- append([]byte(nil), scanner.Bytes()...):
			case <-ctx.Done():
				failed <- nil
				return
			}
		}
		failed <- scanner.Err()
	}()
	return lines, failed
}
