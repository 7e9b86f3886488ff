// Package skywalking receives what SkyWalking's agents send over gRPC: trace segments,
// whose spans it counts, and what else an agent must be rid of to be content. It must
// not know the workload or what was expected.
package skywalking

import (
	"net"

	"github.com/tracetax/tracetax/internal/sink/forward"
	"github.com/tracetax/tracetax/internal/sink/rpc"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// Receiver counts the segments of SkyWalking's agents in a tally.
type Receiver struct {
	server *rpc.Server
}

const protocol = "skywalking"

// New returns a receiver that counts in total.
func New(total *tally.Total, limits rpc.Limits) *Receiver {
	return &Receiver{server: rpc.New(total, protocol, limits, methods())}
}

// PassOn has every call passed on to backend, which then answers it. It is to be called before
// Serve.
func (r *Receiver) PassOn(backend *forward.GRPC) { r.server.PassOn(backend) }

// Serve serves the connections of l until Close.
func (r *Receiver) Serve(l net.Listener) error { return r.server.Serve(l) }

// Close ends the receiver and its calls at once.
func (r *Receiver) Close() error { return r.server.Close() }

// services are the methods that an agent of version 8 or 9 calls. Each is answered with
// an empty Commands message: nothing is asked of the agent.
var services = map[string]rpc.Method{
	"TraceSegmentReportService/collect":                 {Count: countSegment},
	"TraceSegmentReportService/collectInSync":           {Count: countCollection},
	"JVMMetricReportService/collect":                    {Count: countMetrics},
	"CLRMetricReportService/collect":                    {Count: countMetrics},
	"MeterReportService/collect":                        {Count: countMeter},
	"MeterReportService/collectBatch":                   {Count: countMetrics},
	"LogReportService/collect":                          {Count: countLog},
	"ManagementService/reportInstanceProperties":        {},
	"ManagementService/keepAlive":                       {},
	"ConfigurationDiscoveryService/fetchConfigurations": {},
	"EventService/collect":                              {},
	"SpanAttachedEventReportService/collect":            {},
	"ProfileTask/getProfileTaskCommands":                {},
	"ProfileTask/collectSnapshot":                       {},
	"ProfileTask/reportTaskFinish":                      {},
}

// methods are the services' under the name of their package, and without one, as
// agents before 8.4 call them.
func methods() map[string]rpc.Method {
	m := make(map[string]rpc.Method, 2*len(services))
	for name, method := range services {
		m["/skywalking.v3."+name] = method
		m["/"+name] = method
	}
	return m
}
