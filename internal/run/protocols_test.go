package run

import (
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/spec"
)

// Only what the texts name is received besides OTLP, also where the variant is
// silent: its texts are to be filled in all the same.
func TestProtocols(t *testing.T) {
	plan := &spec.Plan{
		Silent: true,
		Processes: []spec.Process{
			{Run: []string{"app", "-Dzipkin=http://{sink.zipkin}/api", "{sink.otlp.grpc}", "{{sink.elastic}}"}},
			{Env: map[string]string{"KIEKER": "{sink.kieker.host} {sink.kieker.port}", "AGAIN": "{sink.zipkin}", "NOBODY": "{sink.nobody}"},
				Templates: map[string]string{"agent.config": "a={sink.pinpoint.port}"}},
		},
	}
	if got, want := protocolsOf(plan), []protocol.Name{protocol.Zipkin, protocol.Kieker, protocol.Pinpoint}; !slices.Equal(got, want) {
		t.Errorf("protocols %v, want %v", got, want)
	}
}
