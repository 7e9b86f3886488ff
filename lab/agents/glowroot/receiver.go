// Package glowroot receives what Glowroot's agents send to a central collector over gRPC:
// traces, whose transaction is a span and so is each of its entries; and what they add
// up of all transactions once a minute, in which there is no span. It must not know the
// workload or what was expected.
package glowroot

import (
	"net"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/lab/agents/rpc"
)

// Receiver counts the traces of Glowroot's agents in a tally.
type Receiver struct {
	server *rpc.Server
}

const protocol = "glowroot"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits rpc.Limits) *Receiver {
	return &Receiver{server: rpc.New(total, protocol, limits, methods)}
}

// Serve serves the connections of l until Close.
func (r *Receiver) Serve(l net.Listener) error { return r.server.Serve(l) }

// Close ends the receiver and its calls at once.
func (r *Receiver) Close() error { return r.server.Close() }

const service = "/org_glowroot_wire_api_model."

// methods are the methods that the agent 0.14.0-beta.2 calls. An empty answer to its
// first call leaves its configuration as it is.
var methods = map[string]rpc.Method{
	service + "CollectorService/collectInit":            {},
	service + "CollectorService/collectAggregateStream": {Count: countAggregates},
	service + "CollectorService/collectGaugeValues":     {Count: countGauges},
	service + "CollectorService/collectTraceStream":     {Count: countTrace},
	service + "CollectorService/log":                    {Count: countLog},
	service + "DownstreamService/connect":               {Silent: true},
}

// This file walks messages where they lie.

// The numbers of the fields of a TraceStreamMessage and of a Trace.Header that are read.
const (
	entryField  = 4
	headerField = 7
	partialBit  = 1 // of a header: the transaction goes on
	nameField   = 8 // of a header
)

// countTrace counts one message of the stream that is a trace: its header, which is the
// transaction, or one of its entries. Neither has an id. A transaction that takes a
// minute or more (as the agent comes) may be told of before it ends, and is counted when it
// has: its entries then come twice.
func countTrace(batch *tally.Batch, message []byte) error {
	f := rpc.Walk(message)
	for f.Next() {
		switch {
		case f.Is(entryField):
			if err := rpc.Check(f.Bytes); err != nil {
				return err
			}
			batch.Span(&tally.Span{Kind: tally.Internal, Loose: true, Child: true})
		case f.Is(headerField):
			name, partial, err := readHeader(f.Bytes)
			if err != nil {
				return err
			}
			if !partial {
				batch.Span(&tally.Span{Name: name, Kind: tally.Server, Loose: true})
			}
		}
	}
	return f.Err
}

func readHeader(message []byte) (name []byte, partial bool, err error) {
	f := rpc.Walk(message)
	for f.Next() {
		switch {
		case f.Varint(partialBit):
			partial = f.Value != 0
		case f.Is(nameField):
			name = f.Bytes
		}
	}
	return name, partial, f.Err
}

// countAggregates counts one message of what the transactions of a minute add up to: field 3
// is that of all of a type, field 4 that of all of a name.
func countAggregates(batch *tally.Batch, message []byte) error {
	f := rpc.Walk(message)
	for f.Next() {
		if f.Is(3) || f.Is(4) {
			batch.Metrics++
		}
	}
	return f.Err
}

// countGauges counts a GaugeValueMessage: field 2 is one value each.
func countGauges(batch *tally.Batch, message []byte) error {
	f := rpc.Walk(message)
	for f.Next() {
		if f.Is(2) {
			batch.Metrics++
		}
	}
	return f.Err
}

func countLog(batch *tally.Batch, message []byte) error {
	batch.Logs++
	return rpc.Check(message)
}
