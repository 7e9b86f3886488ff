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
	answer := wire.Answer{Status: http.StatusAccepted, Spans: s.spans}
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
