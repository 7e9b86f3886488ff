package prepare

import (
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
)

// Only what the texts name is received besides OTLP, also where the variant is
// silent: its texts are to be filled in all the same.
func TestProtocols(t *testing.T) {
	plan := &config.Plan{
		Silent: true,
		Processes: []program.Process{
			{Run: []string{"app", "-Dzipkin=http://{sink.zipkin}/api", "{sink.otlp.grpc}", "{{sink.elastic}}"}},
			{Env: map[string]string{"KIEKER": "{sink.kieker.host} {sink.kieker.port}", "AGAIN": "{sink.zipkin}", "NOBODY": "{sink.nobody}"},
				Templates: map[string]string{"agent.config": "a={sink.pinpoint.port}"}},
		},
	}
	if got, want := Protocols(plan), []protocol.Name{protocol.Zipkin, protocol.Kieker, protocol.Pinpoint}; !slices.Equal(got, want) {
		t.Errorf("protocols %v, want %v", got, want)
	}
}

func TestExports(t *testing.T) {
	at := func(args []string, env map[string]string, silent bool) *config.Plan {
		return &config.Plan{Processes: []program.Process{{Run: args, Env: env}}, Silent: silent}
	}
	for name, test := range map[string]struct {
		plan *config.Plan
		want bool
	}{
		"nothing":      {at([]string{"app"}, nil, false), false},
		"argument":     {at([]string{"app", "--to={sink.otlp.http}"}, nil, false), true},
		"environment":  {at(nil, map[string]string{"TO": "http://{sink.otlp.grpc}"}, false), true},
		"silent by it": {at(nil, map[string]string{"TO": "{sink.otlp.grpc}"}, true), false},
		"template":     {&config.Plan{Processes: []program.Process{{Templates: map[string]string{"agent.config": "collector={sink.pinpoint.host}"}}}}, true},
	} {
		if got := Exports(test.plan); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
