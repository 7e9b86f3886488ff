// Values of an answer for the requests that follow it.

package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
)

// takeStart begins the place of a taken value: {take.NAME}, or {take.NAME:raw}.
const takeStart = "{take."

// MaxTape is the longest answer from which values are taken, in bytes.
const MaxTape = 1 << 20

// Tape is an answer from which values are taken: its lines up to the body, each ended by a line feed, and its body.
type Tape struct{ Head, Body []byte }

// asRow returns r with its {take.NAME} as columns of a row of data: they are written into a request by the same rules.
func asRow(r load.Request) load.Request {
	row := func(s string) string { return strings.ReplaceAll(s, takeStart, placeholderStart) }
	r.Path, r.Body = row(r.Path), []byte(row(string(r.Body)))
	r.Headers = slices.Clone(r.Headers)
	for i := range r.Headers {
		r.Headers[i].Value = row(r.Headers[i].Value)
	}
	return r
}

// Filled is a request whose gaps are filled with taken values.
type Filled struct {
	head, body []piece
	hasBody    bool // send its length
}

// Render returns the request as sent.
func (f *Filled) Render(taken map[string]string) ([]byte, error) {
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

// NewFilled finds the places of taken values in r; nil if there are none.
func NewFilled(r load.Request) (*Filled, error) {
	u, err := newGappy(asRow(r))
	if err != nil || len(u.head)+len(u.body) == 2 { // one literal in each
		return nil, err
	}
	return &Filled{u.head, u.body, saysLength(r)}, nil
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

// Values taken from an answer: by a path through its JSON, or by a regular expression.

// taker takes one value.
type taker struct {
	name    string
	way     []any          // through JSON: names, and numbers of items; nil: pattern
	pattern *regexp.Regexp // its first group is the value
	lacks   string         // the failure of an operation whose answer lacks the value
	unfit   string         // or has one that no request can hold
}

// Takers take all values that an operation needs from one answer.
type Takers []taker

// NewTakers returns the takers of values, or the fault of one of them.
func NewTakers(all []load.Take) (Takers, error) {
	var out Takers
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

// parseWay parses $.a["b"][0].
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

// Take takes from an answer the values that the next steps need. kind names the missing or unfit one, "" if none.
func (all Takers) Take(answer *Tape, into map[string]string) (kind string) {
	var document any
	decoded := false
	for i := range all {
		t := &all[i]
		var value string
		var there bool
		if t.pattern != nil {
			value, there = t.matched(answer)
		} else {
			if !decoded {
				document, decoded = decodeAnswer(answer.Body), true
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

func (t *taker) matched(answer *Tape) (string, bool) {
	m := t.pattern.FindSubmatch(slices.Concat(answer.Head, []byte("\n"), answer.Body))
	if m == nil {
		return "", false
	}
	return string(m[1]), true
}

// decodeAnswer parses a body in JSON; nil if it is none: it then has no values.
func decodeAnswer(body []byte) any {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		return nil
	}
	return document
}

// valueAt returns the text, number or truth value at a path.
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
