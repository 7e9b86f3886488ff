// Package formats owns files of spans: it reads the JSON of Jaeger, OTLP and Zipkin v2 as a stream, recognised by its content,
// and passes on each span with the attributes of calls. It must not know what is made of the spans.
package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the part of a span in a call.
type Kind uint8

// Kinds of spans.
const (
	Unknown Kind = iota // the sender does not say
	Internal
	Server
	Client
	Producer
	Consumer
)

// Span is one span as a file has it. Texts come as they were sent: nothing is cleaned.
type Span struct {
	Trace      [2]uint64 // high and low half
	ID, Parent uint64    // Parent 0: it has none
	Shared     bool      // Zipkin: the client's span has the same id
	Kind       Kind
	Service    string // "" where nothing names it
	Name       string
	Start, End int64 // ns since 1970; 0: not known
	Failed     bool
	Fields     Fields

	ranks            [fields]uint8 // of the attribute that each field came from
	process          string        // Jaeger: the id of its process in the trace
	lasts            int64         // ns; 0 where the end is given
	childOf, follows reference     // Jaeger
	isSpan           bool          // it has an id, whatever that is
}

// reference is a span that another one names.
type reference struct {
	trace [2]uint64 // 0: the same
	id    uint64
}

// MostSpans bounds the spans that are held while their services are not known yet.
const MostSpans = 50_000

// Found counts what a file has.
type Found struct {
	Spans   int // all, those without an id among them
	Without int // spans without a valid id of a trace or of their own
	Beyond  int // spans beyond MostSpans
	CutOff  bool
}

// Read reads a file, gzipped or not, and calls take for each span; it is valid until take returns. A file that ends in the middle
// of a value is read up to there. An error names the byte; that of a file without any span says what can be read.
func Read(in io.Reader, take func(*Span) error) (Found, error) {
	text, err := unpacked(in)
	if err != nil {
		return Found{}, err
	}
	r := &reader{
		in:   jsontext.NewDecoder(text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		take: take, texts: map[string]string{},
	}
	for err == nil {
		err = r.value(nil)
	}
	var wrong *jsontext.SyntacticError
	switch found := r.found.Spans > 0; {
	case errors.Is(err, io.EOF) && found:
		return r.found, nil
	case errors.Is(err, io.EOF):
		return r.found, errors.New("it has no spans: import reads the JSON of Jaeger ({data: [...]}), " +
			"OTLP ({resourceSpans: [...]}) and Zipkin v2")
	case errors.Is(err, io.ErrUnexpectedEOF) && found:
		r.found.CutOff = true
		return r.found, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.found, errors.New("it ends in the middle of a value, before its first span")
	case errors.As(err, &wrong):
		return r.found, fmt.Errorf("it is not JSON at byte %d: %w", wrong.ByteOffset, wrong.Err)
	}
	return r.found, cmp.Or(errors.Unwrap(err), err) // the reader of JSON adds its own name
}

// unpacked returns the text of a file, without a byte-order mark.
func unpacked(in io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	if head, err := buffered.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("unpacking gzip: %w", err)
		}
		buffered = bufio.NewReaderSize(z, 1<<16)
	}
	const mark = "\ufeff"
	if head, err := buffered.Peek(len(mark)); err == nil && string(head) == mark {
		if _, err := buffered.Discard(len(mark)); err != nil {
			return nil, fmt.Errorf("reading its beginning: %w", err)
		}
	}
	return buffered, nil
}

// reader walks the JSON of a file.
type reader struct {
	in      *jsontext.Decoder
	take    func(*Span) error
	found   Found
	texts   map[string]string // texts seen before: spans repeat theirs
	scratch []byte
}

// object calls member for each member of an object; member reads its value. Anything else is passed over.
func (r *reader) object(member func(name string) error) error {
	if r.in.PeekKind() != '{' {
		return r.in.SkipValue()
	}
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	for r.in.PeekKind() == '"' {
		var name string
		if err := r.text(&name); err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := r.in.ReadToken()
	return err
}

// array calls element for each element of a list; element reads it. Anything else is passed over.
func (r *reader) array(element func() error) error {
	if r.in.PeekKind() != '[' {
		return r.in.SkipValue()
	}
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	for k := r.in.PeekKind(); k != ']' && k != 0; k = r.in.PeekKind() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := r.in.ReadToken()
	return err
}

// textIn reads the text of one member of an object.
func (r *reader) textIn(name string, out *string) error {
	return r.object(func(member string) error {
		if member != name {
			return r.in.SkipValue()
		}
		return r.text(out)
	})
}

// Bounds of the texts that a reader remembers, and of the bytes of one. A longer one is cut off: no name is so long.
const (
	mostTexts = 50_000
	longText  = 1000
)

// text reads a string, a number or true and false as text; of anything else it is "".
func (r *reader) text(out *string) error {
	raw, err := r.scalar()
	if len(raw) > longText {
		*out = string(raw[:longText])
		return err
	}
	known, is := r.texts[string(raw)]
	if !is {
		if len(r.texts) >= mostTexts {
			clear(r.texts)
		}
		known = string(raw)
		r.texts[known] = known
	}
	*out = known
	return err
}

// scalar is text's bytes, valid until the next call.
func (r *reader) scalar() ([]byte, error) {
	switch kind := r.in.PeekKind(); kind {
	case '{', '[', 'n':
		return nil, r.in.SkipValue()
	case '"':
		value, err := r.in.ReadValue()
		switch {
		case err != nil:
			return nil, err
		case bytes.IndexByte(value, '\\') < 0:
			return value[1 : len(value)-1], nil
		}
		r.scratch, err = jsontext.AppendUnquote(r.scratch[:0], value)
		return r.scratch, err
	default:
		return r.in.ReadValue()
	}
}

// id reads an id of 8 or 16 bytes: digits of base 16, where leading noughts may be missing, or base64. 0 stands for none, and for a
// text that is no id.
func (r *reader) id(out *[2]uint64) error {
	text, err := r.scalar()
	*out = idOf(text)
	return err
}

// spanID reads the lower half of an id.
func (r *reader) spanID(out *uint64) error {
	var id [2]uint64
	err := r.id(&id)
	*out = id[1]
	return err
}

// urlBase64 puts the alphabet of URLs in the place of the other one.
var urlBase64 = strings.NewReplacer("+", "-", "/", "_")

func idOf(text []byte) (id [2]uint64) {
	const digits, longest = 16, 24 // of base 16 in a half; of base64
	if len(text) <= 2*digits {
		cut := max(0, len(text)-digits)
		high, err := strconv.ParseUint("0"+string(text[:cut]), 16, 64)
		low, err2 := strconv.ParseUint("0"+string(text[cut:]), 16, 64)
		if err == nil && err2 == nil {
			return [2]uint64{high, low}
		}
	}
	if len(text) > longest {
		return id
	}
	raw, err := base64.RawURLEncoding.DecodeString(urlBase64.Replace(strings.TrimRight(string(text), "=")))
	if err != nil || len(raw) != 8 && len(raw) != 16 {
		return id
	}
	whole := append(make([]byte, 16-len(raw), 16), raw...)
	return [2]uint64{binary.BigEndian.Uint64(whole), binary.BigEndian.Uint64(whole[8:])}
}

// integer reads a whole number of units, also one that is a text or has a fraction. It is 0 of anything else, and of what is too much.
func (r *reader) integer(out *int64, unit int64) error {
	text, err := r.scalar()
	n, wrong := strconv.ParseInt(string(text), 10, 64)
	if wrong != nil {
		f, wrong := strconv.ParseFloat(string(text), 64)
		if wrong != nil || math.Abs(f) >= math.MaxInt64 {
			f = 0
		}
		n = int64(f)
	}
	if most := math.MaxInt64 / 2 / unit; n > most || n < -most {
		n = 0
	}
	*out = n * unit
	return err
}
