// Package lines owns how tracetax talks with the processes that it starts of itself, over two pipes: a keeper, the load
// generator, the sink. Every line is a JSON object. A request has a number, which its answer repeats; an event has none. The
// end of the requests ends the process, and the end of the answers means that it has ended. It must not know what is said.
package lines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/tracetax/tracetax/internal/excerpt"
)

// longest bounds a line in either direction, in bytes.
const longest = 64 << 20

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
		return l, fmt.Errorf("reading the line %s: %w", excerpt.Quoted(r.lines.Bytes()), err)
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
