// This file writes the answers of OTLP: the export responses with their partial
// success, and google.rpc.Status for errors, in protobuf and in JSON.

package otlp

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
)

// answerProtobuf returns an Export…ServiceResponse; an empty one if all was fine.
func answerProtobuf(b *tally.Batch) []byte {
	if b.Rejected == 0 {
		return nil
	}
	var partial []byte
	partial = protowire.AppendTag(partial, 1, protowire.VarintType)
	partial = protowire.AppendVarint(partial, b.Rejected)
	partial = protowire.AppendTag(partial, 2, protowire.BytesType)
	partial = protowire.AppendString(partial, reason(b))
	answer := protowire.AppendTag(nil, 1, protowire.BytesType)
	return protowire.AppendBytes(answer, partial)
}

// answerJSON is the same in JSON, where 64-bit numbers are strings.
func answerJSON(s *signal, b *tally.Batch) []byte {
	if b.Rejected == 0 {
		return []byte("{}")
	}
	return encode(map[string]any{"partialSuccess": map[string]string{
		s.rejected:     strconv.FormatUint(b.Rejected, 10),
		"errorMessage": reason(b),
	}})
}

// encode writes what can always be written as JSON: strings, numbers and maps.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding an answer of the sink: %v", err))
	}
	return b
}

func reason(b *tally.Batch) string {
	return fmt.Sprintf("%d invalid spans; the first: %s", b.Rejected, b.Reason)
}

// statusProtobuf returns a google.rpc.Status.
func statusProtobuf(code codes.Code, message string) []byte {
	status := protowire.AppendTag(nil, 1, protowire.VarintType)
	status = protowire.AppendVarint(status, uint64(code))
	status = protowire.AppendTag(status, 2, protowire.BytesType)
	return protowire.AppendString(status, message)
}

// statusJSON is the same in JSON.
func statusJSON(code codes.Code, message string) []byte {
	return encode(struct {
		Code    uint32 `json:"code"`
		Message string `json:"message"`
	}{uint32(code), message})
}
