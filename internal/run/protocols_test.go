package run

import (
	"maps"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/spec"
)

// Only what the texts name is received besides OTLP, also where the variant is
// silent: its texts are to be filled in all the same.
func TestProtocols(t *testing.T) {
	plan := &spec.Plan{
		Silent: true,
		Processes: []spec.Process{
			{Run: []string{"app", "-Dzipkin=http://{sink.zipkin}/api", "{sink.otlp.grpc}", "{{sink.elastic}}"}},
			{Env: map[string]string{"KIEKER": "{sink.kieker.host} {sink.kieker.port}", "AGAIN": "{sink.zipkin}", "NOBODY": "{sink.nobody}"}},
		},
		Templates: map[string]string{"agent.config": "a={sink.pinpoint.port}"},
	}
	if got, want := protocolsOf(plan), []string{"kieker", "pinpoint", "zipkin"}; !slices.Equal(got, want) {
		t.Errorf("protocols %v, want %v", got, want)
	}
}

func TestSinkValues(t *testing.T) {
	got := sinkValues(sink.Addresses{OTLPGRPC: "127.0.0.1:1", OTLPHTTP: "127.0.0.1:2", Kieker: "127.0.0.1:3"})
	want := map[string]string{
		"sink.otlp.grpc": "127.0.0.1:1", "sink.otlp.http": "127.0.0.1:2",
		"sink.kieker": "127.0.0.1:3", "sink.kieker.host": "127.0.0.1", "sink.kieker.port": "3",
	}
	if !maps.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
}
