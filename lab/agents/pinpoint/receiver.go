// Package pinpoint receives what Pinpoint's agents send over gRPC. A PSpan is a span,
// and so is each of the span events in it or in a PSpanChunk: Pinpoint calls a span what
// one process did for one request, and an event what others call a span. It must not
// know the workload or what was expected.
package pinpoint

import (
	"encoding/binary"
	"net"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/lab/agents/rpc"
)

// Receiver counts the spans of Pinpoint's agents in a tally. All services of a Pinpoint
// collector are served on one port.
type Receiver struct {
	server *rpc.Server
}

const protocol = "pinpoint"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits rpc.Limits) *Receiver {
	return &Receiver{server: rpc.New(total, protocol, limits, methods)}
}

// Serve serves the connections of l until Close.
func (r *Receiver) Serve(l net.Listener) error { return r.server.Serve(l) }

// Close ends the receiver and its calls at once.
func (r *Receiver) Close() error { return r.server.Close() }

// success is a PResult that reports success.
var success = []byte{1 << 3, 1}

// methods are the methods that an agent of version 2 or 3 calls.
var methods = map[string]rpc.Method{
	"/v1.Agent/RequestAgentInfo":            {Answer: success},
	"/v1.Agent/PingSession":                 {Echo: true},
	"/v1.Metadata/RequestSqlMetaData":       {Answer: success},
	"/v1.Metadata/RequestSqlUidMetaData":    {Answer: success},
	"/v1.Metadata/RequestApiMetaData":       {Answer: success},
	"/v1.Metadata/RequestStringMetaData":    {Answer: success},
	"/v1.Metadata/RequestExceptionMetaData": {Answer: success},
	"/v1.Span/SendSpan":                     {Count: countMessage, ServiceKey: "applicationname"},
	"/v1.Stat/SendAgentStat":                {Count: countStat},

	"/v1.ProfilerCommandService/HandleCommand":   {Silent: true},
	"/v1.ProfilerCommandService/HandleCommandV2": {Silent: true},

	"/v1.ProfilerCommandService/CommandEcho":                    {},
	"/v1.ProfilerCommandService/CommandStreamActiveThreadCount": {},
	"/v1.ProfilerCommandService/CommandActiveThreadDump":        {},
	"/v1.ProfilerCommandService/CommandActiveThreadLightDump":   {},
}

// This file walks spans where they lie.

// countMessage counts a PSpanMessage: a PSpan or a PSpanChunk.
func countMessage(batch *tally.Batch, message []byte) error {
	f := rpc.Walk(message)
	for f.Next() {
		if !f.Is(1) && !f.Is(2) {
			continue
		}
		s, err := readSpan(f.Bytes, f.Is(2))
		if err != nil {
			return err
		}
		if err := s.count(batch, f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

// span is what its events share: what is read of a PSpan, or of a PSpanChunk, which
// holds events of a span that comes apart.
type span struct {
	chunk bool
	trace [16]byte // when the transaction's agent started, and the transaction's number there
	id    [8]byte
	// parent is all ones where there is none, as the agents write it.
	parent [8]byte
	async  [8]byte // a chunk: which of the span's asynchronous branches it is of
	name   []byte
}

// The numbers of the fields that a PSpan and a PSpanChunk have in common, or not.
const (
	transactionField = 2
	idField          = 3
	parentField      = 4  // of a PSpan
	acceptField      = 9  // of a PSpan
	spanEventsField  = 13 // of a PSpan
	chunkEventsField = 5  // of a PSpanChunk
	asyncField       = 8  // of a PSpanChunk
	nextField        = 12 // of a PSpanEvent
)

// noParent is -1.
var noParent = [8]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

func readSpan(message []byte, chunk bool) (span, error) {
	s := span{chunk: chunk}
	f := rpc.Walk(message)
	for f.Next() {
		var err error
		switch {
		case f.Is(transactionField):
			err = readPair(f.Bytes, 2, 3, s.trace[:])
		case f.Fixed64(idField):
			binary.BigEndian.PutUint64(s.id[:], f.Value)
		case !chunk && f.Fixed64(parentField):
			binary.BigEndian.PutUint64(s.parent[:], f.Value)
		case !chunk && f.Is(acceptField):
			s.name, err = readPath(f.Bytes)
		case chunk && f.Is(asyncField):
			var pair [16]byte
			err = readPair(f.Bytes, 1, 2, pair[:])
			copy(s.async[:4], pair[4:8])
			copy(s.async[4:], pair[12:])
		}
		if err != nil {
			return s, err
		}
	}
	if s.parent == noParent {
		clear(s.parent[:])
	}
	return s, f.Err
}

// readPair reads two varint fields of a message, 8 bytes each.
func readPair(message []byte, first, second uint64, into []byte) error {
	f := rpc.Walk(message)
	for f.Next() {
		switch {
		case f.Varint(first):
			binary.BigEndian.PutUint64(into, f.Value)
		case f.Varint(second):
			binary.BigEndian.PutUint64(into[8:], f.Value)
		}
	}
	return f.Err
}

// readPath reads what was asked for out of a PAcceptEvent.
func readPath(message []byte) ([]byte, error) {
	var path []byte
	f := rpc.Walk(message)
	for f.Next() {
		if f.Is(1) {
			path = f.Bytes
		}
	}
	return path, f.Err
}

const badSpan = "span id is missing or 0"

// count counts the span, unless it comes apart, and its events.
func (s *span) count(batch *tally.Batch, message []byte) error {
	zero := s.id == [8]byte{}
	events := uint64(spanEventsField)
	switch {
	case s.chunk:
		events = chunkEventsField
	case zero:
		batch.Reject(badSpan)
	default:
		batch.Span(&tally.Span{Trace: s.trace[:], ID: s.id[:], Parent: s.parent[:], Name: s.name, Kind: tally.Server, Loose: true})
	}
	f := rpc.Walk(message)
	for f.Next() {
		if !f.Is(events) {
			continue
		}
		if zero {
			batch.Reject(badSpan)
			continue
		}
		if err := s.event(batch, f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

// event counts a PSpanEvent. Its number is unique within its span, or
// within its branch of it, only. It is taken for a child of the span: how deep it lies
// is said, but not below which event.
func (s *span) event(batch *tally.Batch, message []byte) error {
	var id [20]byte // span, branch, number
	copy(id[:], s.id[:])
	copy(id[8:], s.async[:])
	kind := tally.Internal
	f := rpc.Walk(message)
	for f.Next() {
		switch {
		case f.Varint(1):
			binary.BigEndian.PutUint32(id[16:], uint32(f.Value))
		case f.Is(nextField):
			if calls(f.Bytes) {
				kind = tally.Client
			}
		}
	}
	if f.Err != nil {
		return f.Err
	}
	batch.Span(&tally.Span{Trace: s.trace[:], ID: id[:], Parent: s.id[:], Kind: kind, Loose: true})
	return nil
}

// calls reports whether a PNextEvent says that another process was called: most events
// have one that says -1.
func calls(message []byte) bool {
	next := ^uint64(0)
	for f := rpc.Walk(message); f.Next(); {
		if !f.Is(1) {
			continue
		}
		for m := rpc.Walk(f.Bytes); m.Next(); {
			if m.Fixed64(1) {
				next = m.Value
			}
		}
	}
	return next != ^uint64(0)
}

// countStat counts a PStatMessage: what an agent read at a time.
func countStat(batch *tally.Batch, message []byte) error {
	batch.Metrics++
	return rpc.Check(message)
}
