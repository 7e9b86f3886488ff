// This file reads JSON member by member without building objects of it.

package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrJSON refuses a body that is not JSON, or has another form.
var ErrJSON = errors.New("body is not the JSON message that it should be")

// JSON walks one JSON body. What it returns as bytes is valid until the
// next call.
type JSON struct {
	decoder *jsontext.Decoder
	input   bytes.Buffer
	body    []byte
	scratch []byte
}

// uniqueOrNot: names are not checked for being unique, since that would hold all names
// of an object that nobody asked for.
var uniqueOrNot = jsontext.AllowDuplicateNames(true)

// NewJSON returns a reader of one body.
func NewJSON(body []byte) *JSON {
	r := new(JSON)
	r.Reset(body)
	return r
}

// Reset begins a body, and keeps what room there is.
func (r *JSON) Reset(body []byte) {
	r.body = body
	r.input = *bytes.NewBuffer(body)
	if r.decoder == nil {
		r.decoder = jsontext.NewDecoder(&r.input, uniqueOrNot)
		return
	}
	r.decoder.Reset(&r.input, uniqueOrNot)
}

// Document reads a body that is one object, and nothing behind it.
func (r *JSON) Document(member func(name []byte) error) error {
	if r.decoder.PeekKind() == 'n' {
		return fmt.Errorf("%w: null", ErrJSON)
	}
	return r.whole(r.Object(member))
}

// List reads a body that is one array, and nothing behind it. null is none.
func (r *JSON) List(element func() error) error {
	if r.decoder.PeekKind() == 'n' {
		return fmt.Errorf("%w: null", ErrJSON)
	}
	return r.whole(r.Array(element))
}

// whole is the error of a body that was read with err.
func (r *JSON) whole(err error) error {
	if err != nil {
		return jsonError(err)
	}
	if _, err := r.decoder.ReadToken(); err != io.EOF {
		return fmt.Errorf("%w: data after its end", ErrJSON)
	}
	return nil
}

func jsonError(err error) error {
	if errors.Is(err, ErrJSON) {
		return err
	}
	var wrong *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("%w: not JSON: it ends too early", ErrJSON)
	case errors.As(err, &wrong):
		return fmt.Errorf("%w: not JSON at byte %d: %w", ErrJSON, wrong.ByteOffset, wrong.Err)
	}
	return fmt.Errorf("%w: %w", ErrJSON, err)
}

// Object calls member for every member of an object; member must read its value.
// null is an object without members.
func (r *JSON) Object(member func(name []byte) error) error {
	if open, err := r.open('{'); err != nil || !open {
		return err
	}
	for r.decoder.PeekKind() == '"' {
		name, err := r.Text()
		if err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := r.decoder.ReadToken()
	return err
}

// Array calls element for every element of an array; element must read it. null
// is an array without elements.
func (r *JSON) Array(element func() error) error {
	if open, err := r.open('['); err != nil || !open {
		return err
	}
	for k := r.decoder.PeekKind(); k != ']' && k != 0; k = r.decoder.PeekKind() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := r.decoder.ReadToken()
	return err
}

// Objects calls member for every member of every object of an array.
func (r *JSON) Objects(member func(name []byte) error) error {
	return r.Array(func() error { return r.Object(member) })
}

// open reads the beginning of an object or array; false if there is null instead.
func (r *JSON) open(want jsontext.Kind) (bool, error) {
	kind := r.decoder.PeekKind()
	if kind != want && kind != 'n' && kind != 0 {
		return false, r.unexpected(kind, want)
	}
	_, err := r.decoder.ReadToken()
	return kind == want, err
}

// Text reads a string; nil for null.
func (r *JSON) Text() ([]byte, error) {
	kind := r.decoder.PeekKind()
	if kind != '"' && kind != 'n' && kind != 0 {
		return nil, r.unexpected(kind, '"')
	}
	value, err := r.decoder.ReadValue()
	if err != nil || kind == 'n' {
		return nil, err
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1], nil
	}
	r.scratch, err = jsontext.AppendUnquote(r.scratch[:0], value)
	return r.scratch, err
}

// Number reads a number, also one that is written as a string; false for a
// string that is no number, which is returned.
func (r *JSON) Number() (n int64, text []byte, ok bool, err error) {
	switch kind := r.decoder.PeekKind(); kind {
	case 'n', '"':
		if text, err = r.Text(); err != nil || text == nil {
			return 0, nil, true, err
		}
	case '0', 0:
		if text, err = r.decoder.ReadValue(); err != nil {
			return 0, nil, false, err
		}
	default:
		return 0, nil, false, r.unexpected(kind, '0')
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, nil, true, nil
	}
	if f, err := strconv.ParseFloat(string(text), 64); err == nil { // such as 2.0
		return int64(f), nil, true, nil
	}
	return 0, text, false, nil
}

// Bool reads true or false; null is false.
func (r *JSON) Bool() (bool, error) {
	switch kind := r.decoder.PeekKind(); kind {
	case 't', 'f', 'n', 0:
		_, err := r.decoder.ReadToken()
		return kind == 't', err
	default:
		return false, r.unexpected(kind, 't')
	}
}

// Skip passes over a value of any kind.
func (r *JSON) Skip() error { return r.decoder.SkipValue() }

// kindWords are the kinds of values that there are, by their first character.
var kindWords = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "true or false", 'f': "true or false", 'n': "null",
}

func (r *JSON) unexpected(kind, want jsontext.Kind) error {
	if word, ok := kindWords[kind]; ok {
		place := "at its beginning"
		if at := r.decoder.StackPointer(); at != "" {
			place = "in " + strconv.Quote(string(at))
		}
		return fmt.Errorf("%w: %s where %s belongs, %s", ErrJSON, word, kindWords[want], place)
	}
	at := int(r.decoder.InputOffset())
	at += len(r.body[at:]) - len(bytes.TrimLeft(r.body[at:], " \t\r\n,:"))
	c, _ := utf8.DecodeRune(r.body[at:])
	return fmt.Errorf("%w: not JSON: unexpected character %q at byte %d", ErrJSON, c, at)
}

// Only returns a member function that reads the member of that name with read
// and ignores all others.
func (r *JSON) Only(wanted string, read func() error) func([]byte) error {
	return func(name []byte) error {
		if string(name) == wanted {
			return read()
		}
		return r.Skip()
	}
}

// Path returns a member function that reads the member of that name as an array
// of objects, each with inner.
func (r *JSON) Path(name string, inner func([]byte) error) func([]byte) error {
	return r.Only(name, func() error { return r.Objects(inner) })
}
