// How a value of a data file is written in each part of a request.

package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// form is a way of writing a value.
type form int

const (
	plain      form = iota // as it stands
	percent                // percent-encoded: in a path, a query or a form
	target0                // as it stands at the beginning of a path: /a?b
	targetPart             // as it stands within a path
	field                  // as it stands in a header
	jsonQuoted             // within the quotes of a JSON string
	jsonValue              // a JSON value of its own
)

// cell is a value of a data file.
type cell struct {
	text string
	json []byte // the value as JSON; nil in CSV, which has no types
}

// append writes c in the form f.
func (f form) append(b []byte, c cell) ([]byte, error) {
	switch f {
	case percent:
		return appendPercent(b, c.text), nil
	case target0, targetPart:
		return appendTarget(b, c.text, f == target0)
	case field:
		if !isValue(c.text) {
			return nil, errors.New("holds control characters, which a header must not")
		}
	case jsonQuoted:
		return appendQuoted(b, c.text)
	case jsonValue:
		if c.json != nil {
			return append(b, c.json...), nil
		}
	}
	return append(b, c.text...), nil
}

// appendPercent encodes all but the unreserved characters of RFC 3986, section 2.3.
func appendPercent(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b = append(b, c)
			continue
		}
		b = append(b, '%', hex[c>>4], hex[c&15])
	}
	return b
}

func appendTarget(b []byte, s string, first bool) ([]byte, error) {
	if first && !strings.HasPrefix(s, "/") {
		return nil, fmt.Errorf("is %.40q: want a path that begins with /", s)
	}
	if hasBlank(s) {
		return nil, fmt.Errorf("is %.40q: spaces and control characters must be percent-encoded", s)
	}
	return append(b, s...), nil
}

// hasBlank reports whether s holds what must not stand in a request's target.
func hasBlank(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f })
}

// appendQuoted escapes s for the inside of a JSON string.
func appendQuoted(b []byte, s string) ([]byte, error) {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, fmt.Errorf("cannot be written in JSON: %w", err)
	}
	q := bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))
	return append(b, q[1:len(q)-1]...), nil
}
