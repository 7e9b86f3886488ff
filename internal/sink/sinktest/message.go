// Messages of protocols over gRPC, written field by field, and what a receiver counts of them.

package sinktest

import (
	"fmt"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"google.golang.org/protobuf/encoding/protowire"
)

// Fixed64 is a field that Message writes as a fixed64.
type Fixed64 uint64

// Message writes a message: number and value of one field after the other. An int is
// written as a varint, a Fixed64 as such, a string, bytes or another message by length.
// It panics over a value of another type.
func Message(fields ...any) []byte {
	var b []byte
	for i := 0; i < len(fields); i += 2 {
		number := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case int:
			b = protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(v))
		case Fixed64:
			b = protowire.AppendFixed64(protowire.AppendTag(b, number, protowire.Fixed64Type), uint64(v))
		case string:
			b = protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), v)
		case []byte:
			b = protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), v)
		default:
			panic(fmt.Sprintf("field %d has a value of type %T", number, v))
		}
	}
	return b
}

// Counted is what count makes of the messages, ids being checked. An error of it ends
// the test.
func Counted(t testing.TB, count func(*tally.Batch, []byte) error, messages ...[]byte) record.Counts {
	t.Helper()
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	for i, m := range messages {
		batch := total.Batch()
		if err := count(batch, m); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		total.Merge(batch, "test", int64(len(m)))
	}
	return total.Counts()
}
