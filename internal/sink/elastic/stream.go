// This file reads a request line by line, and counts what has come whenever the
// sender pauses: a request may stay open for as long as its agent likes.

package elastic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

const (
	// maxLine bounds an event, in bytes: the default of the APM server.
	maxLine = 300 << 10
	// readSize is the number of bytes read at a time.
	readSize = 64 << 10
	// maxFaults bounds how many faults a sender gets.
	maxFaults = 5
)

var errTooLong = fmt.Errorf("event exceeded the permitted size of %d bytes", maxLine)

// stream is the state of one request.
type stream struct {
	total *tally.Total
	batch *tally.Batch // of what has come since the sender last paused
	lines walker

	room    []byte // what was read and not yet used stands in room[:held]
	held    int
	passing bool // the rest of a line that is too long is passed over

	begun    bool   // the metadata have come
	accepted uint64 // events
	faults   []fault
	refused  error // why the request is refused whole
}

// fault is a refused event, in the form of the APM server.
type fault struct {
	Message  string `json:"message"`
	Document string `json:"document,omitempty"`
}

// events counts the events of one request while they come.
func (e *Receiver) events(r *http.Request) wire.Answer {
	encoding := wire.Encoding(r)
	if unknown := wire.UnknownEncoding(encoding); unknown != nil {
		return unknown.Answer()
	}
	s, ok := e.streams.Get().(*stream)
	if !ok {
		s = &stream{room: make([]byte, readSize)}
	}
	s.reset(e.Total)
	s.lines.merges = &e.merges
	defer e.streams.Put(s)
	e.Total.Touch()
	meter := &wire.Meter{From: r.Body, Limit: e.Limits.Body}
	err := e.readAll(r, s, meter, encoding)
	e.Total.Touch()
	if err != nil {
		refusal := e.Unread(err)
		if s.refused != nil {
			refusal = &wire.Refusal{Status: http.StatusBadRequest, Message: s.refused.Error()}
		}
		return wire.Answer{Status: refusal.Status, Type: typeJSON, Body: s.answer(fault{Message: refusal.Message}), Refused: refusal}
	}
	return s.end(r)
}

func (e *Receiver) readAll(r *http.Request, s *stream, meter *wire.Meter, encoding string) error {
	from, done, err := e.Bodies.Decoded(meter, encoding)
	if err == io.EOF {
		return nil // not a byte
	}
	if err != nil {
		return err
	}
	defer done()
	plain := &wire.Meter{From: from, Limit: e.Limits.Body}
	var counted int64
	for {
		n, err := plain.Read(s.room[s.held:])
		if n > 0 {
			e.Total.Touch()
			if err := e.Extend(r.Context()); err != nil {
				return err
			}
			s.take(n, meter.Bytes-counted)
			counted = meter.Bytes
		}
		if err == io.EOF {
			s.last(meter.Bytes - counted)
			return s.refused
		}
		if err != nil || s.refused != nil {
			return errors.Join(err, s.refused)
		}
	}
}

func (s *stream) reset(total *tally.Total) {
	*s = stream{total: total, lines: s.lines, room: s.room, faults: s.faults[:0]}
	s.lines.service, s.lines.agent = s.lines.service[:0], s.lines.agent[:0]
}

// take counts the lines that n more bytes in the room have completed. size is how many
// bytes of the body came since it was called before.
func (s *stream) take(n int, size int64) {
	s.batch = s.total.Batch()
	rest := s.room[:s.held+n]
	for s.refused == nil {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			break
		}
		s.line(rest[:end])
		rest = rest[end+1:]
	}
	s.keep(rest)
	s.merge(size)
}

func (s *stream) merge(size int64) {
	if s.refused != nil {
		s.total.Discard(s.batch)
		s.batch = nil
		return
	}
	s.total.Part(s.batch, size)
	s.batch = nil
}

// keep puts the beginning of a line to the front of the room, and makes more room if
// there is little left.
func (s *stream) keep(rest []byte) {
	s.held = copy(s.room, rest)
	switch {
	case s.passing:
		s.held = 0
	case s.held > maxLine:
		s.passing, s.held = true, 0
		s.tooLong()
	case s.held > len(s.room)/2:
		s.room = append(s.room, make([]byte, len(s.room))...)
	}
}

// last counts the line that ends with the body, and the last bytes of the body.
func (s *stream) last(size int64) {
	s.batch = s.total.Batch()
	s.line(s.room[:s.held])
	s.merge(size)
}

// line counts one event.
func (s *stream) line(line []byte) {
	if s.passing {
		s.passing = false
		return
	}
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return
	case len(line) > maxLine:
		s.tooLong()
		return
	}
	kind, err := s.lines.event(s.batch, line)
	if !s.begun {
		s.begin(kind, err)
		return
	}
	if err != nil {
		s.reject(line, err)
		return
	}
	s.accepted++
}

// tooLong refuses an event for its length, or the request if it is the first line.
func (s *stream) tooLong() {
	if !s.begun {
		s.refused = fmt.Errorf("metadata: %w", errTooLong)
		return
	}
	s.reject(nil, errTooLong)
}

// begin takes the first line, which has to be the metadata.
func (s *stream) begin(kind string, err error) {
	switch {
	case err != nil:
		s.refused = fmt.Errorf("metadata: %w", err)
	case kind != metadata:
		s.refused = fmt.Errorf("the first line is %s and not the metadata", quote.Quoted(kind))
	default:
		s.begun = true
		s.total.Note(intake, 0)
	}
}

// reject counts one event that is invalid.
func (s *stream) reject(line []byte, err error) {
	s.batch.Reject(err.Error())
	if len(s.faults) < maxFaults {
		s.faults = append(s.faults, fault{Message: err.Error(), Document: string(line[:min(len(line), 1024)])})
	}
}
