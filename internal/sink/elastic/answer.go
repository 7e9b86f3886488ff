// This file answers requests as the APM server does.

package elastic

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tracetax/tracetax/internal/sink/wire"
)

// end is the answer to a request that was read to its end: 202, or 400 if events of it
// were refused. What was valid is accepted either way.
func (s *stream) end(r *http.Request) wire.Answer {
	answer := wire.Answer{Status: http.StatusAccepted, Spans: s.spans, Events: s.accepted}
	_, verbose := r.URL.Query()["verbose"]
	switch {
	case !s.begun:
		// A body without a line: the server takes it, and nothing is counted of it.
		s.total.Note(other, 0)
	case len(s.faults) > 0:
		answer.Status, answer.Type, answer.Body = http.StatusBadRequest, typeJSON, s.answer(s.faults...)
	case verbose:
		answer.Type, answer.Body = typeJSON, s.answer()
	}
	return answer
}

// answer is how many events were accepted, and what was wrong with others.
func (s *stream) answer(faults ...fault) []byte {
	b, err := json.Marshal(struct {
		Accepted uint64  `json:"accepted"`
		Errors   []fault `json:"errors,omitempty"`
	}{s.accepted, faults})
	if err != nil {
		panic(fmt.Sprintf("encoding an answer of the sink: %v", err)) // strings and numbers can be written
	}
	return append(b, '\n')
}

// Accepted is how many spans of a request a server accepted: all that it counts as accepted, also where it refuses other
// events with 400. Where it accepted fewer events than were valid here, each of those that it refused may have been a span.
func (*Receiver) Accepted(answer *http.Response, body []byte, counted wire.Answer) uint64 {
	if answer.StatusCode != http.StatusBadRequest {
		return counted.Spans
	}
	var said struct{ Accepted uint64 }
	if json.Unmarshal(body, &said) != nil {
		return 0 // an answer that is none of its server's
	}
	refused := counted.Events - min(counted.Events, said.Accepted)
	return counted.Spans - min(counted.Spans, refused)
}
