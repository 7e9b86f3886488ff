// An operation of several requests, one after the other: what of an answer goes into the requests that follow.

package load

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/traceparent"
)

// Take is a value that is taken from the answer to a request, for {take.NAME} in those that follow.
type Take struct {
	Name string `json:"name"`
	From string `json:"from"` // $.a.b[0]: of a body in JSON; anything else is a regular expression over the answer, whose first group is taken
}

// takeStart begins the place of a value that was taken: {take.NAME}, or {take.NAME:raw}.
const takeStart = "{take."

// maxTape is how long an answer may be from which values are taken.
const maxTape = 1 << 20

// tape is an answer from which values are taken: its lines up to the body, each ended by a line feed, and its body.
type tape struct{ head, body []byte }

// asRow is r with its {take.NAME} written as columns of a row of data: they are written into a request by the same rules.
func (r Request) asRow() Request {
	row := func(s string) string { return strings.ReplaceAll(s, takeStart, placeholderStart) }
	r.Path, r.Body = row(r.Path), []byte(row(string(r.Body)))
	r.Headers = slices.Clone(r.Headers)
	for i := range r.Headers {
		r.Headers[i].Value = row(r.Headers[i].Value)
	}
	return r
}

// chain gives o the steps that follow it.
func (o *operation) chain(r Request, ids *tracing) error {
	if len(r.Then) == 0 {
		return nil
	}
	var err error
	if o.takes, err = newTakers(r.Takes); err != nil {
		return err
	}
	o.number = 1
	last := o
	for _, then := range r.Then {
		next := newOperation(then, o.target, ids)
		next.number = last.number + 1
		if next.takes, err = newTakers(then.Takes); err != nil {
			return err
		}
		filled, err := newGappy(then.asRow(), nil)
		if err != nil {
			return err
		}
		if len(filled.head)+len(filled.body) > 2 { // there is more than one literal in each
			next.filled = &filledIn{filled.head, filled.body, saysLength(then)}
		}
		last.then, last = &next, &next
	}
	return nil
}

// filledIn is a request whose gaps are filled with values that were taken.
type filledIn struct {
	head, body []piece
	hasBody    bool // say its length
}

// render is the request as it goes over the wire.
func (f *filledIn) render(taken map[string]string) ([]byte, error) {
	head, err := fillIn(nil, f.head, taken)
	if err != nil {
		return nil, err
	}
	body, err := fillIn(nil, f.body, taken)
	if err != nil {
		return nil, err
	}
	if f.hasBody {
		head = fmt.Appendf(head, "Content-Length: %d\r\n", len(body))
	}
	return append(append(head, "\r\n"...), body...), nil
}

func fillIn(b []byte, pieces []piece, taken map[string]string) ([]byte, error) {
	for _, p := range pieces {
		b = append(b, p.literal...)
		if p.gap == nil {
			continue
		}
		var err error
		if b, err = p.gap.form.append(b, cell{text: taken[p.gap.column]}); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// says is what an operation fails of, with the step that it fails at.
func (o *operation) says(kind string) string {
	if o.number == 0 {
		return kind
	}
	return fmt.Sprintf("step %d: %s", o.number, kind)
}

// walk is the way of one operation through its steps.
type walk struct {
	op    *operation        // the first step
	at    *operation        // the one that is made; nil: the first
	taken map[string]string // from the answers so far
	wire  []byte            // the request of this step, where it differs each time
	body  uint64            // bytes of the answers' bodies so far

	traced uint64 // by which number its traces got their ids; 0: none yet
}

// step is the one that is made.
func (k *walk) step() *operation {
	if k.at != nil {
		return k.at
	}
	return k.op
}

// bytes is operation.bytes of the step.
func (k *walk) bytes(nth uint64, room []byte) (wire, grown []byte) {
	step := k.step()
	wire = k.wire
	if wire == nil {
		wire, room = step.bytes(nth, room)
	}
	if step.tracing == nil {
		return wire, room
	}
	at := step.traceAt
	switch {
	case k.wire != nil || step.rows != nil:
		at = traceAt(wire)
	default: // the same for all
		room = append(room[:0], wire...)
		wire = room
	}
	step.tracing.put(wire[at:at+traceparent.Length], k)
	return wire, room
}

// errUnfit is what an operation fails of where a value breaks the request that it goes into.
var errUnfit = errors.New("a value that was taken does not fit into the request that follows")

// advance goes to the next step, with what the answer to this one holds. kind says what it lacks, "" where nothing.
func (k *walk) advance(answer *tape) (kind string) {
	step := k.step()
	if len(step.takes) > 0 && k.taken == nil {
		k.taken = map[string]string{}
	}
	if kind := step.take(answer, k.taken); kind != "" {
		return step.says(kind)
	}
	k.at, k.wire = step.then, nil
	if k.at.filled == nil {
		return ""
	}
	var err error
	if k.wire, err = k.at.filled.render(k.taken); err != nil {
		return k.at.says(errUnfit.Error())
	}
	return ""
}
