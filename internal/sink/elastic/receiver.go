// Package elastic receives the intake of Elastic APM (version 2) over HTTP: events
// as JSON, one a line, in requests that agents keep open and write to for seconds.
// It counts them in a tally as they come. It must not know the workload or what was
// expected.
package elastic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/tracetax/tracetax/internal/sink/tally"
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

// This file answers requests as the APM server does.

// end is the answer to a request that was read to its end: 202, or 400 if events of it
// were refused. What was valid is accepted either way.
func (s *stream) end(r *http.Request) wire.Answer {
	answer := wire.Answer{Status: http.StatusAccepted}
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

// answer is the number of accepted events, and the faults of others.
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

// This file counts an event that was read.

// count counts the event. Errors are no spans and no log records; they are not counted.
func (w *walker) count(b *tally.Batch, kind string) error {
	switch kind {
	case "transaction", "span":
		return w.countSpan(b, kind == "span")
	case "metricset":
		b.Metrics++
	case "log":
		b.Logs++
	}
	return nil
}

func (w *walker) countSpan(b *tally.Batch, child bool) error {
	e := &w.current
	switch {
	case len(e.id) == 0 || len(e.trace) == 0:
		return errNoID
	case child && len(e.parent) == 0:
		return errNoParent
	}
	var trace [16]byte
	var id, parent [8]byte
	before := b.Spans
	merging := w.merges != nil && string(w.agent) == agentJava
	merged := e.composite - min(e.composite, 1)
	if merging && !child {
		e.dropped -= min(e.dropped, w.merges.take(e.id))
	}
	b.Span(&tally.Span{
		Trace: decoded(trace[:], e.trace), ID: decoded(id[:], e.id), Parent: decoded(parent[:], e.parent),
		Name: e.name, Kind: kindOf(e, child), Loose: true, Wide: true, Merged: merged,
		// The statistics are of spans that are counted as dropped as well: of the exit
		// spans among them, and of a composite one they count all that it is made of. How
		// many were composite is not told, so this is the least.
		Suppressed: max(e.dropped, e.summed),
	})
	counted := b.Spans - before
	b.Service(w.service, counted)
	if counted > 0 && merged > 0 && merging {
		w.merges.add(e.transaction, merged)
	}
	return nil
}

// decoded is an id: the number that its digits are, or its text where it is none.
func decoded(room, id []byte) []byte {
	if wire.Hex(room, id) {
		return room
	}
	return id
}

// kindOf is the kind of a span or transaction: the one that OpenTelemetry's bridge
// says, or what the type tells, as the server derives it.
func kindOf(e *event, child bool) tally.Kind {
	if kind, ok := otelKinds[string(e.otel)]; ok {
		return kind
	}
	switch string(e.kind) {
	case "request":
		if !child {
			return tally.Server
		}
	case "messaging":
		if child {
			return tally.Producer
		}
		return tally.Consumer
	case "db", "external", "storage", "cache":
		if child {
			return tally.Client
		}
	}
	return tally.Internal
}

var otelKinds = map[string]tally.Kind{
	"SERVER": tally.Server, "CLIENT": tally.Client, "PRODUCER": tally.Producer, "CONSUMER": tally.Consumer, "INTERNAL": tally.Internal,
}
