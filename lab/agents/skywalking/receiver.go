// Package skywalking receives what SkyWalking's agents send over gRPC: trace segments,
// whose spans it counts, and what else an agent must be rid of to be content. It must
// not know the workload or what was expected.
package skywalking

import (
	"encoding/binary"
	"net"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/lab/agents/rpc"
)

// Receiver counts the segments of SkyWalking's agents in a tally.
type Receiver struct {
	server *rpc.Server
}

const protocol = "skywalking"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits rpc.Limits) *Receiver {
	return &Receiver{server: rpc.New(total, protocol, limits, methods())}
}

// Serve serves the connections of l until Close.
func (r *Receiver) Serve(l net.Listener) error { return r.server.Serve(l) }

// Close ends the receiver and its calls at once.
func (r *Receiver) Close() error { return r.server.Close() }

// services are the methods that an agent of version 8 or 9 calls. Each is answered with
// an empty Commands message: nothing is asked of the agent.
var services = map[string]rpc.Method{
	"TraceSegmentReportService/collect":                 {Count: countSegment},
	"TraceSegmentReportService/collectInSync":           {Count: countCollection},
	"JVMMetricReportService/collect":                    {Count: countMetrics},
	"CLRMetricReportService/collect":                    {Count: countMetrics},
	"MeterReportService/collect":                        {Count: countMeter},
	"MeterReportService/collectBatch":                   {Count: countMetrics},
	"LogReportService/collect":                          {Count: countLog},
	"ManagementService/reportInstanceProperties":        {},
	"ManagementService/keepAlive":                       {},
	"ConfigurationDiscoveryService/fetchConfigurations": {},
	"EventService/collect":                              {},
	"SpanAttachedEventReportService/collect":            {},
	"ProfileTask/getProfileTaskCommands":                {},
	"ProfileTask/collectSnapshot":                       {},
	"ProfileTask/reportTaskFinish":                      {},
}

// methods are the services' under the name of their package, and without one, as
// agents before 8.4 call them.
func methods() map[string]rpc.Method {
	m := make(map[string]rpc.Method, 2*len(services))
	for name, method := range services {
		m["/skywalking.v3."+name] = method
		m["/"+name] = method
	}
	return m
}

// This file walks segments where they lie.

// countCollection counts a SegmentCollection.
func countCollection(batch *tally.Batch, message []byte) error {
	f := rpc.Walk(message)
	for f.Next() {
		if f.Is(1) {
			if err := countSegment(batch, f.Bytes); err != nil {
				return err
			}
		}
	}
	return f.Err
}

// segment has the fields that its spans share: the work of one thread for one request.
type segment struct {
	trace   []byte
	id      []byte
	service []byte

	own, parent []byte // room for the ids of a span
}

// countSegment counts a SegmentObject. Its fields may come in any order: what the spans
// share is read before them.
func countSegment(batch *tally.Batch, message []byte) error {
	var s segment
	f := rpc.Walk(message)
	for f.Next() {
		switch {
		case f.Is(1):
			s.trace = f.Bytes
		case f.Is(2):
			s.id = f.Bytes
		case f.Is(4):
			s.service = f.Bytes
		}
	}
	if f.Err != nil {
		return f.Err
	}
	before := batch.Spans
	for f = rpc.Walk(message); f.Next(); {
		if !f.Is(3) {
			continue
		}
		if err := s.count(batch, f.Bytes); err != nil {
			return err
		}
	}
	batch.Service(s.service, batch.Spans-before)
	return nil
}

// span has the fields of a SpanObject that are read. A span's number is unique
// within its segment only.
type span struct {
	number    int32
	parent    int32 // none: -1
	reference reference
	name      []byte
	kind      uint64
	layer     uint64
}

// reference is a parent in another segment: another thread or another process.
type reference struct {
	segment []byte
	number  int32
}

// Why a span is refused, in words for its sender.
const (
	badSegment = "the span's segment has no id"
	badNumber  = "span id is less than 0, or parent span id less than -1"
)

// count counts a SpanObject.
func (s *segment) count(batch *tally.Batch, message []byte) error {
	p, err := readSpan(message)
	switch {
	case err != nil:
		return err
	case len(s.id) == 0:
		batch.Reject(badSegment)
		return nil
	case p.number < 0 || p.parent < -1:
		batch.Reject(badNumber)
		return nil
	}
	s.own = identify(s.own, s.id, p.number)
	s.parent = s.parent[:0]
	switch {
	case p.parent >= 0:
		s.parent = identify(s.parent, s.id, p.parent)
	case p.reference.segment != nil:
		s.parent = identify(s.parent, p.reference.segment, p.reference.number)
	}
	batch.Span(&tally.Span{Trace: s.trace, ID: s.own, Parent: s.parent, Name: p.name, Kind: p.tallied(), Loose: true})
	return nil
}

// identify writes a span's id into room: its segment and its number.
func identify(room, segment []byte, number int32) []byte {
	return binary.BigEndian.AppendUint32(append(room[:0], segment...), uint32(number))
}

func readSpan(message []byte) (span, error) {
	var p span
	f := rpc.Walk(message)
	for f.Next() {
		switch {
		case f.Varint(1):
			p.number = int32(f.Value)
		case f.Varint(2):
			p.parent = int32(f.Value)
		case f.Is(5) && p.reference.segment == nil: // a consumer of many messages has one for each
			var err error
			if p.reference, err = readReference(f.Bytes); err != nil {
				return p, err
			}
		case f.Is(6):
			p.name = f.Bytes
		case f.Varint(8):
			p.kind = f.Value
		case f.Varint(9):
			p.layer = f.Value
		}
	}
	return p, f.Err
}

func readReference(message []byte) (reference, error) {
	var r reference
	f := rpc.Walk(message)
	for f.Next() {
		switch {
		case f.Is(3):
			r.segment = f.Bytes
		case f.Varint(4):
			r.number = int32(f.Value)
		}
	}
	return r, f.Err
}

// The types of a span, and the layer of messages.
const (
	entry    = 0
	exit     = 1
	local    = 2
	messages = 5
)

// tallied returns the kind of the span in the words of the tally.
func (p *span) tallied() tally.Kind {
	switch {
	case p.kind == entry && p.layer == messages:
		return tally.Consumer
	case p.kind == entry:
		return tally.Server
	case p.kind == exit && p.layer == messages:
		return tally.Producer
	case p.kind == exit:
		return tally.Client
	case p.kind == local:
		return tally.Internal
	}
	return tally.Unspecified
}

// This file counts what agents send beside segments.

// countMetrics counts a collection of metrics: field 1 is one reading each, of all that
// the agent reads at a time.
func countMetrics(batch *tally.Batch, message []byte) error {
	f := rpc.Walk(message)
	for f.Next() {
		if f.Is(1) {
			batch.Metrics++
		}
	}
	return f.Err
}

func countMeter(batch *tally.Batch, message []byte) error {
	batch.Metrics++
	return rpc.Check(message)
}

func countLog(batch *tally.Batch, message []byte) error {
	batch.Logs++
	return rpc.Check(message)
}
