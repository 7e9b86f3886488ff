// Package datadog receives what Datadog's tracers send to their agent over HTTP: traces
// as msgpack, in the versions 0.3 to 0.5, walked where they lie and counted in a tally.
// It must not know the workload or what was expected.
package datadog

import (
	"mime"
	"net/http"
	"strings"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// other lists the paths of statistics, telemetry and questions, which tracers send beside traces.
const other = "datadog/other"

// version is a version of the traces' format.
type version struct {
	protocol string // as it is named in a record
	walk     func(*tally.Batch, []byte) error
	answer   wire.Answer
}

// keepAll has a tracer keep every trace, in every service and environment.
const keepAll = `{"rate_by_service":{"service:,env:":1}}` + "\n"

var (
	fine  = wire.Answer{Status: http.StatusOK, Body: []byte("OK\n")}
	rates = wire.Answer{Status: http.StatusOK, Type: typeJSON, Body: []byte(keepAll)}
)

const typeJSON = "application/json"

var versions = map[string]version{
	"/v0.3/traces": {"datadog/v0.3", walkTraces, fine},
	"/v0.4/traces": {"datadog/v0.4", walkTraces, rates},
	"/v0.5/traces": {"datadog/v0.5", walkTable, rates},
}

// info is the self-description of an agent. Tracers choose by it what they send. Like the
// real one it lets them keep back the traces that they did not sample.
const info = `{"version":"7.60.0","endpoints":["/v0.3/traces","/v0.4/traces","/v0.5/traces","/v0.6/stats","/telemetry/proxy/"],` +
	`"client_drop_p0s":true,"span_meta_structs":true,"long_running_spans":false,"config":{"default_env":"none","statsd_port":8125}}` + "\n"

// Receiver counts the traces of Datadog's tracers.
type Receiver struct{ *wire.Intake }

// New returns a receiver.
func New(in *wire.Intake) *Receiver { return &Receiver{in} }

// Work reports whether the request is work under way.
func (*Receiver) Work(r *http.Request) bool {
	_, traces := versions[r.URL.Path]
	return traces
}

// Count reads and counts one request, and returns its answer.
func (d *Receiver) Count(r *http.Request) wire.Answer {
	if v, traces := versions[r.URL.Path]; traces {
		return d.traces(r, v)
	}
	switch path := r.URL.Path; {
	case path == "/info":
		d.Total.Note(other, 0)
		return wire.Answer{Status: http.StatusOK, Type: typeJSON, Body: []byte(info)}
	case path == "/v0.6/stats", path == "/v0.7/config", path == "/v0.1/pipeline_stats", strings.HasPrefix(path, "/telemetry/proxy/"):
		return d.ignore(r)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		d.Total.Note(other, 0)
		return wire.Answer{Status: http.StatusNotFound, Body: []byte("404 page not found\n")}
	}
	return (&wire.Refusal{Status: http.StatusNotFound, Message: "no such path; send to /v0.4/traces or /v0.5/traces"}).Answer()
}

// ignore takes what is no trace, and counts that it came.
func (d *Receiver) ignore(r *http.Request) wire.Answer {
	answer, refused := d.Receive(r, func(_ []byte, size int64) wire.Answer {
		d.Total.Note(other, size)
		return wire.Answer{Status: http.StatusOK, Type: typeJSON, Body: []byte("{}\n")}
	})
	if refused != nil {
		return refused.Answer()
	}
	return answer
}

// traces counts a request of traces.
func (d *Receiver) traces(r *http.Request, v version) wire.Answer {
	switch t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case r.Method != http.MethodPost && r.Method != http.MethodPut:
		answer := (&wire.Refusal{Status: http.StatusMethodNotAllowed, Message: "send with PUT or POST"}).Answer()
		answer.Header = map[string]string{"Allow": "PUT, POST"}
		return answer
	case err != nil || t != "application/msgpack":
		return (&wire.Refusal{Status: http.StatusUnsupportedMediaType, Message: "content-type must be application/msgpack"}).Answer()
	}
	answer, refused := d.Receive(r, func(body []byte, size int64) wire.Answer {
		batch := d.Total.Batch()
		if err := v.walk(batch, body); err != nil {
			d.Total.Discard(batch)
			return (&wire.Refusal{Status: http.StatusBadRequest, Message: err.Error()}).Answer()
		}
		d.Total.Merge(batch, v.protocol, size)
		return v.answer
	})
	if refused != nil {
		return refused.Answer()
	}
	return answer
}
