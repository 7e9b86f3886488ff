// This file runs the sink as a process of its own: one line of JSON for hello,
// then one answer for each request line.

package sink

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tracetax/tracetax/internal/protocol"
)

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
