// Package glowroot receives what Glowroot's agents send to a central collector over gRPC:
// traces, of which a transaction is a span and so is each of its entries; and what they add
// up of all transactions once a minute, in which there is no span. It must not know the
// workload or what was expected.
package glowroot

import (
	"net"

	"github.com/tracetax/tracetax/internal/sink/rpc"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// Receiver counts the traces of Glowroot's agents in a tally.
type Receiver struct {
	server *rpc.Server
}

const protocol = "glowroot"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits rpc.Limits) *Receiver {
	return &Receiver{server: rpc.New(total, protocol, limits, methods)}
}

// Serve serves the connections of l until Close.
func (r *Receiver) Serve(l net.Listener) error { return r.server.Serve(l) }

// Close ends the receiver and its calls at once.
func (r *Receiver) Close() error { return r.server.Close() }

const service = "/org_glowroot_wire_api_model."

// methods are the methods that the agent 0.14.0-beta.2 calls. An empty answer to its
// first call leaves its configuration as it is.
var methods = map[string]rpc.Method{
	service + "CollectorService/collectInit":            {},
	service + "CollectorService/collectAggregateStream": {Count: countAggregates},
	service + "CollectorService/collectGaugeValues":     {Count: countGauges},
	service + "CollectorService/collectTraceStream":     {Count: countTrace},
	service + "CollectorService/log":                    {Count: countLog},
	service + "DownstreamService/connect":               {Silent: true},
}
