// This file walks messages where they lie.

package glowroot

import (
	"github.com/tracetax/tracetax/internal/sink/rpc"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

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
