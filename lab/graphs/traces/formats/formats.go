// Package formats owns files of spans: it reads the JSON of Jaeger, OTLP and Zipkin v2 as a stream, recognised by its content,
// and passes on each span with the attributes that say who calls whom. It must not know what is made of the spans.
package formats

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

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

	ranks   [fields]uint8 // of the attribute that each field came from, counted from 1
	process string        // Jaeger: the id of its process in the trace
}

// MostSpans bounds the spans of one trace that are held while its services are not known yet.
const MostSpans = 50_000

// Found counts what a file has.
type Found struct {
	Spans   int // all, those without an id among them
	Without int // spans without a valid id of a trace or of their own
	Beyond  int // spans of a trace beyond MostSpans
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
	switch err := r.all(); {
	case err == nil && r.found.Spans == 0:
		return r.found, errors.New("it has no spans: import reads the JSON of Jaeger ({data: [...]}), OTLP ({resourceSpans: [...]}) and Zipkin v2")
	case errors.Is(err, io.ErrUnexpectedEOF) && r.found.Spans > 0:
		r.found.CutOff = true
		return r.found, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.found, errors.New("it ends in the middle of a value, before its first span")
	case err != nil:
		return r.found, err
	}
	return r.found, nil
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

// all reads the values of a file: one, or lines.
func (r *reader) all() error {
	for {
		switch err := r.value(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return r.explained(err)
		}
	}
}

// explained adds the place to errors of syntax.
func (r *reader) explained(err error) error {
	var wrong *jsontext.SyntacticError
	if errors.As(err, &wrong) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it is not JSON at byte %d: %w", wrong.ByteOffset, wrong.Err)
	}
	return err
}

// value reads what may be spans: an object, or a list of such.
func (r *reader) value() error {
	switch r.in.PeekKind() {
	case '{':
		return r.thing()
	case '[':
		return r.array(r.value)
	}
	return r.in.SkipValue()
}

// thing reads an object of any of the formats; its members tell which.
func (r *reader) thing() error {
	var one flat
	var trace *jaegerTrace
	if err := r.object(func(name string) error {
		switch name {
		case "data", "result", "trace":
			return r.value()
		case "resourceSpans", "resource_spans", "batches":
			return r.array(r.resourceSpans)
		case "spans", "processes":
			if trace == nil {
				trace = &jaegerTrace{reader: r, services: map[string]string{}}
			}
			return trace.member(name)
		}
		return one.member(r, name)
	}); err != nil {
		return err
	}
	switch {
	case trace != nil:
		return trace.flush()
	case one.isSpan:
		return r.emit(one.done())
	}
	return nil
}

// emit passes a span on.
func (r *reader) emit(s *Span) error {
	r.found.Spans++
	if s.Trace == [2]uint64{} || s.ID == 0 {
		r.found.Without++
		return nil
	}
	return r.take(s)
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
		name, err := r.text()
		if err != nil {
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

// Bounds of the texts that a reader remembers, and of the bytes of one. A longer one is cut off: no name is so long.
const (
	mostTexts = 50_000
	longText  = 1000
)

// text reads a string, a number or true and false as text; of anything else it is "".
func (r *reader) text() (string, error) {
	raw, err := r.scalar()
	if err != nil || len(raw) == 0 {
		return "", err
	}
	if known, ok := r.texts[string(raw)]; ok {
		return known, nil
	}
	if len(raw) > longText {
		return string(raw[:longText]), nil
	}
	if len(r.texts) >= mostTexts {
		clear(r.texts)
	}
	fresh := string(raw)
	r.texts[fresh] = fresh
	return fresh, nil
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
