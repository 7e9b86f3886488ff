// Package zipkin receives Zipkin's second API over HTTP, in JSON and in protobuf,
// walks the bodies where they lie, and counts their spans in a tally. It must not know
// the workload or what was expected.
package zipkin

import (
	"bytes"
	"errors"
	"mime"
	"net/http"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// The protocols, as they are named in a record.
const (
	overJSON     = "zipkin/json"
	overProtobuf = "zipkin/protobuf"
	other        = "zipkin/other" // a poll that holds no spans
)

const (
	spansPath  = "/api/v2/spans"
	healthPath = "/health"
)

// Receiver counts Zipkin's requests.
type Receiver struct{ *wire.Intake }

// New returns a receiver.
func New(in *wire.Intake) *Receiver { return &Receiver{in} }

// Work reports whether the request is work under way.
func (*Receiver) Work(r *http.Request) bool { return r.URL.Path == spansPath }

// Count reads and counts one request, and returns its answer: 202 as the server gives.
// Like the server, it refuses a request whole if one of its spans is invalid.
func (z *Receiver) Count(r *http.Request) wire.Answer {
	switch {
	case r.URL.Path == healthPath && r.Method == http.MethodGet:
		z.Total.Note(other, 0)
		return wire.Answer{Status: http.StatusOK, Type: "application/json", Body: []byte(`{"status":"UP"}`)}
	case r.URL.Path != spansPath:
		return (&wire.Refusal{Status: http.StatusNotFound, Message: "no such path; send to " + spansPath}).Answer()
	case r.Method != http.MethodPost:
		answer := (&wire.Refusal{Status: http.StatusMethodNotAllowed, Message: "send with POST"}).Answer()
		answer.Header = map[string]string{"Allow": http.MethodPost}
		return answer
	}
	walk, protocol := format(r)
	answer, refused := z.Receive(r, func(body []byte, size int64) wire.Answer {
		batch := z.Total.Batch()
		err := walk(batch, body)
		if err == nil && batch.Rejected > 0 {
			err = errors.New("invalid span: " + batch.Reason)
		}
		if err != nil {
			z.Total.Discard(batch)
			return (&wire.Refusal{Status: http.StatusBadRequest, Message: err.Error()}).Answer()
		}
		z.Total.Merge(batch, protocol, size)
		return wire.Answer{Status: http.StatusAccepted}
	})
	if refused != nil {
		return refused.Answer()
	}
	return answer
}

// format is how the body is written; JSON unless the sender says protobuf, as the
// server has it.
func format(r *http.Request) (walk func(*tally.Batch, []byte) error, protocol string) {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && t == "application/x-protobuf" {
		return walkProtobuf, overProtobuf
	}
	return walkJSON, overJSON
}

// This file is what both formats make of a span.

// Why a span is invalid, in words for its sender.
const (
	badTrace  = "traceId is not 64 or 128 bits, or all zero"
	badSpan   = "id is not 64 bits, or all zero"
	badParent = "parentId is not 64 bits"
)

// span has the fields that are read of a span. Its ids have their full length: shorter ones come
// with zeros before them.
type span struct {
	trace                     [16]byte
	id, parent                [8]byte
	badTrace, badID, badOwner bool // the id was there, and is none
	name, service             []byte
	kind                      tally.Kind
	shared                    bool
}

// count counts the span, and its service.
func (s *span) count(b *tally.Batch) {
	switch {
	case s.badTrace || s.trace == [16]byte{}:
		b.Reject(badTrace)
		return
	case s.badID || s.id == [8]byte{}:
		b.Reject(badSpan)
		return
	case s.badOwner:
		b.Reject(badParent)
		return
	}
	if s.parent == s.id {
		s.parent = [8]byte{} // a span that names itself is a root, for the server too
	}
	before := b.Spans
	b.Span(&tally.Span{
		Trace: s.trace[:], ID: s.id[:], Parent: s.parent[:], Name: s.name, Kind: s.kind,
		Loose: true, Wide: [8]byte(s.trace[:8]) != [8]byte{}, Shared: s.shared,
	})
	b.Service(s.service, b.Spans-before)
}

// This file walks spans in JSON.

// walkJSON counts a list of spans.
func walkJSON(b *tally.Batch, body []byte) error {
	w := walker{JSON: wire.NewJSON(body)}
	w.endpoint = w.Only("serviceName", func() error { return w.copied(&w.service) })
	return w.List(func() error {
		if err := w.readSpan(); err != nil {
			return err
		}
		w.count(b)
		return nil
	})
}

// walker holds what is known of the span that is being read.
type walker struct {
	*wire.JSON
	span
	endpoint func(name []byte) error
}

func (w *walker) readSpan() error {
	w.span = span{name: w.name[:0], service: w.service[:0]}
	return w.Object(w.member)
}

func (w *walker) member(name []byte) error {
	switch string(name) {
	case "traceId":
		return w.id(w.trace[:], &w.badTrace)
	case "id":
		return w.id(w.span.id[:], &w.badID)
	case "parentId":
		return w.id(w.parent[:], &w.badOwner)
	case "name":
		return w.copied(&w.name)
	case "kind":
		return w.readKind()
	case "localEndpoint":
		return w.Object(w.endpoint)
	case "shared":
		var err error
		w.shared, err = w.Bool()
		return err
	}
	return w.Skip()
}

// id reads an id in hexadecimal digits; null is none.
func (w *walker) id(room []byte, bad *bool) error {
	digits, err := w.Text()
	*bad = err == nil && digits != nil && !wire.Hex(room, digits)
	return err
}

func (w *walker) copied(to *[]byte) error {
	text, err := w.Text()
	*to = append((*to)[:0], text...)
	return err
}

func (w *walker) readKind() error {
	text, err := w.Text()
	w.kind, _ = tally.KindNamed(string(bytes.ToLower(text)))
	return err
}

// This file walks spans in protobuf. The field numbers are those of zipkin.proto3.

// walkProtobuf counts a ListOfSpans.
func walkProtobuf(b *tally.Batch, body []byte) error {
	f := wire.Fields{Rest: body}
	for f.Next() {
		if f.Tag != wire.BytesTag(1) { // spans
			continue
		}
		if err := walkSpan(b, f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

func walkSpan(b *tally.Batch, message []byte) error {
	var s span
	f := wire.Fields{Rest: message}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(1):
			s.badTrace = !number(s.trace[:], f.Bytes)
		case wire.BytesTag(2):
			s.badOwner = !number(s.parent[:], f.Bytes) && len(f.Bytes) > 0
		case wire.BytesTag(3):
			s.badID = !number(s.id[:], f.Bytes)
		case wire.VarintTag(4):
			s.kind = kindNumbered(f.Value)
		case wire.BytesTag(5):
			s.name = f.Bytes
		case wire.BytesTag(8): // local_endpoint
			if err := s.endpoint(f.Bytes); err != nil {
				return err
			}
		case wire.VarintTag(13):
			s.shared = f.Value != 0
		}
	}
	if f.Err != nil {
		return f.Err
	}
	s.count(b)
	return nil
}

// number copies an id of 8 bytes, or of as many as there is room for; false for others.
func number(room, id []byte) bool {
	clear(room)
	if len(id) != 8 && len(id) != len(room) {
		return false
	}
	copy(room[len(room)-len(id):], id)
	return true
}

func (s *span) endpoint(message []byte) error {
	f := wire.Fields{Rest: message}
	for f.Next() {
		if f.Tag == wire.BytesTag(1) { // service_name
			s.service = f.Bytes
		}
	}
	return f.Err
}

// kindNumbered is the kind with zipkin.proto3's number.
func kindNumbered(n uint64) tally.Kind {
	switch n {
	case 1:
		return tally.Client
	case 2:
		return tally.Server
	case 3:
		return tally.Producer
	case 4:
		return tally.Consumer
	}
	return tally.Unspecified
}
