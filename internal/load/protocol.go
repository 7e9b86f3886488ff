// The words between the conductor and a generator in a process of its own: one
// JSON object a line, a request on its stdin for each answer on its stdout.

package load

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
