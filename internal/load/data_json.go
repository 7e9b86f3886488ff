// Data files in JSON lines: one object a line.

package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/excerpt"
)

type lineReader struct {
	from  *bufio.Reader
	bound *bounded
	row   map[string]json.RawMessage
	buf   []byte
	at    int
}

func newLineReader(in *bufio.Reader, bound *bounded) *lineReader {
	return &lineReader{from: in, bound: bound}
}

func (r *lineReader) line() int { return r.at }

// next reads the next line that is not blank.
func (r *lineReader) next() error {
	for {
		r.at++
		line, err := r.readLine()
		if err != nil {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return r.parse(line)
		}
	}
}

// readLine returns a line, io.EOF where there is none any more.
func (r *lineReader) readLine() ([]byte, error) {
	r.bound.renew()
	r.buf = r.buf[:0]
	for {
		part, err := r.from.ReadSlice('\n')
		r.buf = append(r.buf, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(r.buf) > 0, err == nil:
			return r.buf, nil
		default:
			return nil, err
		}
	}
}

func (r *lineReader) parse(line []byte) error {
	if line[0] == '[' && r.at == 1 {
		return errors.New("want one object a line, not an array of them (jq -c '.[]' FILE makes such lines)")
	}
	clear(r.row)
	err := json.Unmarshal(line, &r.row)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind), err == nil && r.row == nil:
		return errors.New(`want an object, such as {"id": 1}`)
	case err != nil:
		return fmt.Errorf("want one object a line: %w", err)
	case fieldCount(line) != len(r.row):
		return repeated(line)
	}
	return nil
}

// fieldCount is how many fields an object in valid JSON has, those of the same
// name each for itself.
func fieldCount(object []byte) int {
	depth, fields, quoted := 0, 0, false
	for i := 0; i < len(object); i++ {
		switch c := object[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		case c == ':' && depth == 1:
			fields++
		}
	}
	return fields
}

// repeated is the error of an object that has a field twice.
func repeated(object []byte) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil { // {
		return err
	}
	seen := map[json.Token]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("the object has two fields %s", excerpt.Quoted(fmt.Sprint(name)))
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	return errors.New("the object has a field twice")
}

func (r *lineReader) value(column string) (cell, error) {
	raw, ok := r.row[column]
	if !ok {
		return cell{}, fmt.Errorf("no field %q; the object has %s", column, listed(slices.Sorted(maps.Keys(r.row))))
	}
	if raw[0] != '"' {
		return cell{text: string(raw), json: raw}, nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return cell{}, fmt.Errorf("field %q: %w", column, err)
	}
	return cell{text: s, json: raw}, nil
}
