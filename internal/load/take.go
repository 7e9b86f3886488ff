// Values that are taken from an answer: by a way through its JSON, or by a regular expression.

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
)

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
