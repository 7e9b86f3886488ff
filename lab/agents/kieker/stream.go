// This file walks a stream of Kieker's records where they lie.

package kieker

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

const (
	recordHeader   = 4 + 8     // class, as its name's number in the registry; time
	registryHeader = 4 + 4 + 4 // registryMark, number, length
	registryMark   = -1

	// Of an OperationExecutionRecord: where its fields stand.
	executionTrace     = 8
	executionOrder     = 36 // place among the calls of its trace, from 0; -1 without a trace
	executionDepth     = 40 // calls around it; 0 for the outermost
	executionSize      = 44
	metadataController = 4

	maxRecord    = 1 << 20 // bytes of a record or of a string: what a reader holds at most
	entryMemory  = 128     // bytes that a string of the registry costs beside itself
	unknownClass = "the record class %s is not one of Kieker 2.0.2; nobody can tell where its records end"
)

// entry is a string of the registry, and what records of a class of that name are.
type entry struct {
	text   []byte
	layout layout
	known  bool
}

// registry holds the strings that records refer to by number.
type registry struct {
	entries map[int32]entry
	charge  func(int64) error // takes account of the memory of a string; nil: none is taken
}

func (r *registry) add(number int32, text []byte) error {
	if r.charge != nil {
		if err := r.charge(int64(len(text)) + entryMemory); err != nil {
			return err
		}
	}
	if r.entries == nil {
		r.entries = make(map[int32]entry)
	}
	e := entry{text: append([]byte(nil), text...)}
	e.layout, e.known = layoutOf(string(text))
	r.entries[number] = e
	return nil
}

// class returns the layout of records of the class with that number.
func (r *registry) class(number int32) (*layout, error) {
	e, ok := r.entries[number]
	if !ok {
		return nil, fmt.Errorf("a record's class is string %d, which was not sent", number)
	}
	if !e.known {
		return nil, fmt.Errorf(unknownClass, quote.Quoted(e.text))
	}
	return &e.layout, nil
}

// walker counts the records of one stream.
type walker struct {
	registry registry
	service  []byte // what Kieker's controller calls itself

	last       int32 // class of the record before
	lastLayout *layout
}

var errTooLong = errors.New("a record or string is longer than any that Kieker sends")

// walk counts the whole records that b begins with, and returns their bytes. What is
// left of b is the beginning of a record.
func (w *walker) walk(batch *tally.Batch, b []byte) (done int, err error) {
	before := batch.Spans
	defer func() { batch.Service(w.service, batch.Spans-before) }()
	for {
		n, err := w.one(batch, b[done:])
		if err != nil || n == 0 {
			return done, err
		}
		done += n
	}
}

// one counts the record that b begins with, and returns its bytes; 0 if there are more
// of them to come.
func (w *walker) one(batch *tally.Batch, b []byte) (int, error) {
	if len(b) < 4 {
		return 0, nil
	}
	number := int32(binary.BigEndian.Uint32(b))
	if number == registryMark {
		return w.string(b)
	}
	l, err := w.class(number)
	if err != nil || len(b) < recordHeader {
		return 0, err
	}
	fields := b[recordHeader:]
	size, err := l.length(fields)
	switch {
	case err != nil:
		return 0, err
	case size > maxRecord-recordHeader:
		return 0, errTooLong
	case size < 0 || size > len(fields):
		return 0, nil
	}
	w.count(batch, l, fields[:size])
	return recordHeader + size, nil
}

// class is the registry's, faster where the same class comes in a row.
func (w *walker) class(number int32) (*layout, error) {
	if w.lastLayout != nil && w.last == number {
		return w.lastLayout, nil
	}
	l, err := w.registry.class(number)
	w.last, w.lastLayout = number, l
	return l, err
}

// string takes a string into the registry.
func (w *walker) string(b []byte) (int, error) {
	if len(b) < registryHeader {
		return 0, nil
	}
	size := binary.BigEndian.Uint32(b[8:])
	if size > maxRecord-registryHeader {
		return 0, errTooLong
	}
	end := registryHeader + int(size)
	if len(b) < end {
		return 0, nil
	}
	w.lastLayout = nil // the number may have had another meaning
	return end, w.registry.add(int32(binary.BigEndian.Uint32(b[4:])), b[registryHeader:end])
}

func (w *walker) count(batch *tally.Batch, l *layout, fields []byte) {
	switch l.class {
	case execution:
		w.execution(batch, fields)
	case event:
		batch.Logs++
	case sample:
		batch.Metrics++
	case metadata:
		w.service = w.text(fields[metadataController:])
	}
}

// execution counts a record of an operation as a span. It does not tell which call was
// around it, only whether there was one.
func (w *walker) execution(batch *tally.Batch, fields []byte) {
	var id [8]byte // of the place plus 1, so the first has one
	if order := int32(binary.BigEndian.Uint32(fields[executionOrder:])); order >= 0 {
		binary.BigEndian.PutUint64(id[:], uint64(order)+1)
	}
	batch.Span(&tally.Span{
		Trace: fields[executionTrace : executionTrace+8],
		ID:    id[:],
		Name:  w.text(fields),
		Kind:  tally.Internal,
		Loose: true,
		Child: int32(binary.BigEndian.Uint32(fields[executionDepth:executionSize])) > 0,
	})
}

// text returns the string of the registry that the number at the start of b names.
func (w *walker) text(b []byte) []byte {
	return w.registry.entries[int32(binary.BigEndian.Uint32(b))].text
}
