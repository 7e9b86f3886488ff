// This file counts what a backend made of spans that were passed on to it.

package otlp

import (
	"context"
	"mime"
	"net/http"

	"github.com/tracetax/tracetax/internal/sink/wire"
)

// pass passes a message on that came over gRPC, and counts what the backend accepted.
func (r *Receiver) pass(ctx context.Context, s *signal, m *wire.Message, counted wire.Answer) ([]byte, error) {
	answer, err := r.passer.Pass(ctx, "/"+s.serviceName()+"/Export", m)
	if err != nil {
		r.Total.Passed(0, counted.Spans)
		return nil, err
	}
	taken := accepted(counted, rejected(answer))
	r.Total.Passed(taken, counted.Spans-taken)
	return answer, nil
}

// Accepted is how many spans of a request a backend accepted that answered it with
// success, which may be a partial one.
func (counter) Accepted(answer *http.Response, body []byte, counted wire.Answer) uint64 {
	if answer.StatusCode == http.StatusBadRequest {
		return 0
	}
	t, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err == nil && t == typeJSON {
		return accepted(counted, rejectedJSON(body))
	}
	return accepted(counted, rejected(body))
}

// accepted is how many of the spans that were counted a backend took that rejected so
// many: those that are invalid here are among these.
func accepted(counted wire.Answer, rejected uint64) uint64 {
	return counted.Spans - min(counted.Spans, rejected-min(rejected, counted.Rejected))
}

// rejected is how many spans an ExportTraceServiceResponse says were rejected: its
// partial_success (1), rejected_spans (1).
func rejected(answer []byte) (n uint64) {
	f := wire.Fields{Rest: answer}
	for f.Next() {
		if f.Tag != wire.BytesTag(1) {
			continue
		}
		partial := wire.Fields{Rest: f.Bytes}
		for partial.Next() {
			if partial.Tag == wire.VarintTag(1) {
				n = partial.Value
			}
		}
	}
	return n
}

// rejectedJSON is the same in JSON. An answer that is none rejects nothing.
func rejectedJSON(answer []byte) uint64 {
	var n int64
	r := wire.NewJSON(answer)
	err := r.Document(r.Only("partialSuccess", func() error {
		return r.Object(r.Only("rejectedSpans", func() error {
			value, _, _, err := r.Number()
			n = value
			return err
		}))
	}))
	if err != nil {
		return 0
	}
	return uint64(max(n, 0))
}
