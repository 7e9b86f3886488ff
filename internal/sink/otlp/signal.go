// Package otlp receives the OpenTelemetry protocol over gRPC and over HTTP
// (protobuf and JSON), walks the bodies where they lie, without building objects
// of them, and counts what they hold in a tally. It must not know the workload or
// what was expected.
package otlp

import "github.com/tracetax/tracetax/internal/sink/tally"

// signal is one of the three kinds of telemetry that OTLP carries.
type signal struct {
	name     string // as in the path and in the service's package
	service  string // the service's name within its package
	rejected string // field of the partial success, in JSON
	protobuf func(b *tally.Batch, body []byte) error
	json     func(b *tally.Batch, body []byte) error
}

// signals lists all of them.
var signals = [...]signal{
	{"trace", "TraceService", "rejectedSpans", walkTraces, walkTracesJSON},
	{"metrics", "MetricsService", "rejectedDataPoints", walkMetrics, walkMetricsJSON},
	{"logs", "LogsService", "rejectedLogRecords", walkLogs, walkLogsJSON},
}

// path is where the signal is posted to over HTTP.
func (s *signal) path() string {
	if s.name == "trace" {
		return "/v1/traces"
	}
	return "/v1/" + s.name
}

// serviceName is the gRPC service's full name.
func (s *signal) serviceName() string {
	return "opentelemetry.proto.collector." + s.name + ".v1." + s.service
}

// The protocols, as they are named in a record.
const (
	overGRPC     = "otlp/grpc"
	overProtobuf = "otlp/http+protobuf"
	overJSON     = "otlp/http+json"
)
