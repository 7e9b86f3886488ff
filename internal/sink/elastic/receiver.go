// Package elastic receives the intake of Elastic APM (version 2) over HTTP: events
// as JSON, one a line, in requests that agents keep open and write to for seconds.
// It counts them in a tally as they come. It must not know the workload or what was
// expected.
package elastic

import (
	"net/http"
	"strings"
	"sync"

	"github.com/tracetax/tracetax/internal/sink/wire"
)

// The protocols, as they are named in a record.
const (
	intake = "elastic/intake"
	other  = "elastic/other" // a poll that holds no events
)

const (
	eventsPath = "/intake/v2/events"
	configPath = "/config/v1/agents"

	typeJSON = "application/json"
)

// serverInfo is what a server of Elastic APM says of itself to whoever is allowed to
// ask. Agents choose by its version what they send.
const serverInfo = `{"build_date":"2024-08-06T00:00:00Z","build_sha":"0000000000000000000000000000000000000000","publish_ready":true,"version":"8.15.0"}` + "\n"

// Agents ask for their settings by a poll. There are none, which has this ETag, and
// the next question comes after as long as the server says.
const (
	noSettings = `"-"`
	pollAgain  = "max-age=30, must-revalidate"
)

// Receiver counts the events of Elastic's agents.
type Receiver struct {
	*wire.Intake
	streams sync.Pool // *stream
	merges  merges
}

// New returns a receiver.
func New(in *wire.Intake) *Receiver { return &Receiver{Intake: in} }

// Work reports whether the request is work under way. None is: agents keep requests
// open whether they have events or not. The sink is quiet when no bytes come.
func (*Receiver) Work(*http.Request) bool { return false }

// Count reads and counts one request, and returns its answer.
func (e *Receiver) Count(r *http.Request) wire.Answer {
	asked := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch path := r.URL.Path; {
	case path == eventsPath && r.Method == http.MethodPost:
		return e.events(r)
	case path == eventsPath:
		answer := (&wire.Refusal{Status: http.StatusMethodNotAllowed, Message: "send with POST"}).Answer()
		answer.Header = map[string]string{"Allow": http.MethodPost}
		return answer
	case path == "/" && asked:
		e.Total.Note(other, 0)
		return wire.Answer{Status: http.StatusOK, Type: typeJSON, Body: []byte(serverInfo)}
	case path == configPath && (asked || r.Method == http.MethodPost):
		e.Total.Note(other, 0)
		return settings(r)
	case asked:
		e.Total.Note(other, 0)
		return wire.Answer{Status: http.StatusNotFound, Body: []byte("no such path\n")}
	}
	return (&wire.Refusal{Status: http.StatusNotFound, Message: "no such path; send to " + eventsPath}).Answer()
}

// settings answers a poll for the agent's settings.
func settings(r *http.Request) wire.Answer {
	answer := wire.Answer{
		Status: http.StatusOK, Type: typeJSON, Body: []byte("{}\n"),
		Header: map[string]string{"Cache-Control": pollAgain, "Etag": noSettings},
	}
	if strings.Contains(r.Header.Get("If-None-Match"), noSettings) {
		answer.Status, answer.Body = http.StatusNotModified, nil
	}
	return answer
}
