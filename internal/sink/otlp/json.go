// This file reads JSON member by member without building objects of it.
package otlp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// errJSON is what a body that is not OTLP/JSON gets.
var errJSON = errors.New("body is not an OTLP JSON message")

// jsonReader walks one JSON body. What it returns as bytes is valid until the
// next call.
type jsonReader struct {
	decoder *jsontext.Decoder
	body    []byte
	scratch []byte
}

func newJSONReader(body []byte) *jsonReader {
	// Names are not checked for being unique: that would hold all names of an
	// object that nobody asked for.
	return &jsonReader{body: body, decoder: jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))}
}

// document reads a body that is one object, and nothing behind it.
func (r *jsonReader) document(member func(name []byte) error) error {
	if r.decoder.PeekKind() == 'n' {
		return fmt.Errorf("%w: null", errJSON)
	}
	if err := r.object(member); err != nil {
		return jsonError(err)
	}
	if _, err := r.decoder.ReadToken(); err != io.EOF {
		return fmt.Errorf("%w: data after its end", errJSON)
	}
	return nil
}

func jsonError(err error) error {
	if errors.Is(err, errJSON) {
		return err
	}
	var wrong *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("%w: not JSON: it ends too early", errJSON)
	case errors.As(err, &wrong):
		return fmt.Errorf("%w: not JSON at byte %d: %w", errJSON, wrong.ByteOffset, wrong.Err)
	}
	return fmt.Errorf("%w: %w", errJSON, err)
}

// object calls member for every member of an object; member must read its value.
// null is an object without members.
func (r *jsonReader) object(member func(name []byte) error) error {
	if open, err := r.open('{'); err != nil || !open {
		return err
	}
	for r.decoder.PeekKind() == '"' {
		name, err := r.text()
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

// array calls element for every element of an array; element must read it. null
// is an array without elements.
func (r *jsonReader) array(element func() error) error {
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

// objects calls member for every member of every object of an array.
func (r *jsonReader) objects(member func(name []byte) error) error {
	return r.array(func() error { return r.object(member) })
}

// open reads the beginning of an object or array; false if there is null instead.
func (r *jsonReader) open(want jsontext.Kind) (bool, error) {
	kind := r.decoder.PeekKind()
	if kind != want && kind != 'n' && kind != 0 {
		return false, r.unexpected(kind, want)
	}
	_, err := r.decoder.ReadToken()
	return kind == want, err
}

// text reads a string; nil for null.
func (r *jsonReader) text() ([]byte, error) {
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

// number reads a number, also one that is written as a string; false for a
// string that is no number, which is returned.
func (r *jsonReader) number() (n int64, text []byte, ok bool, err error) {
	switch kind := r.decoder.PeekKind(); kind {
	case 'n', '"':
		if text, err = r.text(); err != nil || text == nil {
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

// skip passes over a value of any kind.
func (r *jsonReader) skip() error { return r.decoder.SkipValue() }

// kindWords are the kinds of values that there are, by their first character.
var kindWords = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "true", 'f': "false", 'n': "null",
}

func (r *jsonReader) unexpected(kind, want jsontext.Kind) error {
	if word, ok := kindWords[kind]; ok {
		place := "at its beginning"
		if at := r.decoder.StackPointer(); at != "" {
			place = "in " + strconv.Quote(string(at))
		}
		return fmt.Errorf("%w: %s where %s belongs, %s", errJSON, word, kindWords[want], place)
	}
	at := int(r.decoder.InputOffset())
	at += len(r.body[at:]) - len(bytes.TrimLeft(r.body[at:], " \t\r\n,:"))
	c, _ := utf8.DecodeRune(r.body[at:])
	return fmt.Errorf("%w: not JSON: unexpected character %q at byte %d", errJSON, c, at)
}

// badID has a length that no id has, so that its span is refused.
var badID = []byte{0}

// decodeID decodes an id from hexadecimal digits into room; badID if it can't be.
func decodeID(room, digits []byte) []byte {
	if len(digits) > 2*len(room) {
		return badID
	}
	n, err := hex.Decode(room, digits)
	if err != nil {
		return badID
	}
	return room[:n]
}
