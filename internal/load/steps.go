// An operation of several requests, one after the other: what of an answer goes into the requests that follow.

package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// What is wrong with the requests of an operation of several, before any is made.

// checkSteps says what is wrong with the requests that follow r, and with what they take.
func (r Request) checkSteps() error {
	if len(r.Then) == 0 {
		return r.checkSingle()
	}
	var known []string
	for i, step := range append([]Request{r}, r.Then...) {
		if err := step.checkStep(r, i, known); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		for _, t := range step.Takes {
			known = append(known, t.Name)
		}
	}
	return nil
}

// takeWord is {take.NAME} or {take.NAME:raw}, as split finds it.
var takeWord = regexp.MustCompile(`\{take\.[^{}\r\n]*\}`)

// checkSingle is checkSteps for a request that none goes before or follows: there is nothing to take values from, and it
// would go out with the word in it.
func (r Request) checkSingle() error {
	texts := []string{r.Path, string(r.Body)}
	for _, h := range r.Headers {
		texts = append(texts, h.Value)
	}
	for _, text := range texts {
		if word := takeWord.FindString(text); word != "" {
			return fmt.Errorf("nothing before it takes %.60s: only a step that follows another one can use what that took", word)
		}
	}
	return nil
}

// checkStep is checkSteps for the i-th of the requests that begin with first; known are the values taken before it.
func (r Request) checkStep(first Request, i int, known []string) error {
	switch {
	case r.GRPC:
		return errors.New("a gRPC call cannot be one of several steps")
	case r.Data != "":
		return errors.New("steps take no rows of request data")
	case r.target() != first.target():
		return fmt.Errorf("it goes to %s and the first one to %s: all steps of an operation ask the same server", r.Address, first.Address)
	}
	if i > 0 {
		if len(r.Then) > 0 {
			return errors.New("a step has no steps of its own")
		}
		if err := r.check(); err != nil {
			return err
		}
	}
	filled, err := newGappy(r.asRow(), nil)
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(filled.head, filled.body) {
		if p.gap != nil && !slices.Contains(known, p.gap.column) {
			return fmt.Errorf("nothing before it takes {take.%s}", p.gap.column)
		}
	}
	_, err = newTakers(r.Takes)
	return err
}

// Values that are taken from an answer: by a way through its JSON, or by a regular expression.

// taker takes one value.
type taker struct {
	name    string
	way     []any          // through JSON: names, and numbers of items; nil: pattern
	pattern *regexp.Regexp // its first group is the value
	lacks   string         // what an operation fails of whose answer has no such value
	unfit   string         // or one that no request can hold
}

func newTakers(all []Take) ([]taker, error) {
	var out []taker
	for _, t := range all {
		one := taker{
			name:  t.Name,
			lacks: fmt.Sprintf("no {take.%s} in the answer", t.Name),
			unfit: fmt.Sprintf("{take.%s} holds control characters", t.Name),
		}
		var err error
		if strings.HasPrefix(t.From, "$") {
			one.way, err = parseWay(t.From)
		} else if one.pattern, err = regexp.Compile(t.From); err == nil && one.pattern.NumSubexp() == 0 {
			err = errors.New("it has no group: put what is to be taken into brackets")
		}
		if err != nil {
			return nil, fmt.Errorf("take %s from %q: %w", t.Name, t.From, err)
		}
		if slices.ContainsFunc(out, func(other taker) bool { return other.name == t.Name }) {
			return nil, fmt.Errorf("take %s is here a second time", t.Name)
		}
		out = append(out, one)
	}
	return out, nil
}

// wayStep is one step of a way through JSON: .name, ["any name"] or [0].
var wayStep = regexp.MustCompile(`^(?:\.([A-Za-z_][A-Za-z0-9_-]*)|\["([^"\\]*)"\]|\[([0-9]{1,9})\])`)

// parseWay reads $.a["b"][0].
func parseWay(text string) ([]any, error) {
	var way []any
	for rest := text[1:]; rest != ""; {
		m := wayStep.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("%.40q is no step of a way such as $.user.tokens[0]", rest)
		}
		if m[3] != "" {
			n, err := strconv.Atoi(m[3])
			if err != nil {
				return nil, err
			}
			way = append(way, n)
		} else {
			way = append(way, m[1]+m[2])
		}
		rest = rest[len(m[0]):]
	}
	if way == nil {
		return nil, errors.New("it is all of the answer: say which value of it, such as $.token")
	}
	return way, nil
}

// take takes from an answer what the steps that follow need. kind says what it lacks, "" where it has all.
func (o *operation) take(answer *tape, into map[string]string) (kind string) {
	var document any
	decoded := false
	for i := range o.takes {
		t := &o.takes[i]
		var value string
		var there bool
		if t.pattern != nil {
			value, there = t.matched(answer)
		} else {
			if !decoded {
				document, decoded = decodeAnswer(answer.body), true
			}
			value, there = valueAt(document, t.way)
		}
		switch {
		case !there:
			return t.lacks
		case !isValue(value):
			return t.unfit
		}
		into[t.name] = value
	}
	return ""
}

func (t *taker) matched(answer *tape) (string, bool) {
	m := t.pattern.FindSubmatch(slices.Concat(answer.head, []byte("\n"), answer.body))
	if m == nil {
		return "", false
	}
	return string(m[1]), true
}

// decodeAnswer is a body in JSON; nil where it is none: then it has no value at any way.
func decodeAnswer(body []byte) any {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		return nil
	}
	return document
}

// valueAt is the text, number or truth value at a way.
func valueAt(at any, way []any) (string, bool) {
	for _, step := range way {
		switch inside := at.(type) {
		case map[string]any:
			name, named := step.(string)
			if at = inside[name]; !named {
				return "", false
			}
		case []any:
			n, numbered := step.(int)
			if !numbered || n >= len(inside) {
				return "", false
			}
			at = inside[n]
		default:
			return "", false
		}
	}
	switch value := at.(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	case bool:
		return strconv.FormatBool(value), true
	}
	return "", false
}
