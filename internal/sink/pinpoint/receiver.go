// Package pinpoint receives what Pinpoint's agents send over gRPC. A PSpan is a span,
// and so is each of the span events in it or in a PSpanChunk: Pinpoint calls a span what
// one process did for one request, and an event what others call a span. It must not
// know the workload or what was expected.
package pinpoint

import (
	"net"

	"github.com/tracetax/tracetax/internal/sink/rpc"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// Receiver counts the spans of Pinpoint's agents in a tally. All services of a Pinpoint
// collector are served on one port.
type Receiver struct {
	server *rpc.Server
}

const protocol = "pinpoint"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits rpc.Limits) *Receiver {
	return &Receiver{server: rpc.New(total, protocol, limits, methods)}
}

// Serve serves the connections of l until Close.
func (r *Receiver) Serve(l net.Listener) error { return r.server.Serve(l) }

// Close ends the receiver and its calls at once.
func (r *Receiver) Close() error { return r.server.Close() }

// success is a PResult that says so.
var success = []byte{1 << 3, 1}

// methods are the methods that an agent of version 2 or 3 calls.
var methods = map[string]rpc.Method{
	"/v1.Agent/RequestAgentInfo":            {Answer: success},
	"/v1.Agent/PingSession":                 {Echo: true},
	"/v1.Metadata/RequestSqlMetaData":       {Answer: success},
	"/v1.Metadata/RequestSqlUidMetaData":    {Answer: success},
	"/v1.Metadata/RequestApiMetaData":       {Answer: success},
	"/v1.Metadata/RequestStringMetaData":    {Answer: success},
	"/v1.Metadata/RequestExceptionMetaData": {Answer: success},
	"/v1.Span/SendSpan":                     {Count: countMessage, ServiceKey: "applicationname"},
	"/v1.Stat/SendAgentStat":                {Count: countStat},

	"/v1.ProfilerCommandService/HandleCommand":   {Silent: true},
	"/v1.ProfilerCommandService/HandleCommandV2": {Silent: true},

	"/v1.ProfilerCommandService/CommandEcho":                    {},
	"/v1.ProfilerCommandService/CommandStreamActiveThreadCount": {},
	"/v1.ProfilerCommandService/CommandActiveThreadDump":        {},
	"/v1.ProfilerCommandService/CommandActiveThreadLightDump":   {},
}
