package config

// Tracers that the OpenTelemetry Operator of a cluster injects into pods.

import "github.com/tracetax/tracetax/internal/config/program"

// NotInjected is the injection of a variant whose pods are to have none, whatever their namespace says.
const NotInjected = "false"

// injects reports whether a value of the key inject has the Operator inject something.
func injects(what string) bool { return what != "" && what != NotInjected }

// injectedEnv is what a variant tells an injected SDK: where the sink is. The Operator leaves alone what a container already has. As with
// the tracers of tracetax, all traces are sampled, and metrics and logs are off.
func injectedEnv() map[string]string {
	return map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://{sink.otlp.http}",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
		"OTEL_TRACES_SAMPLER":         "parentbased_always_on",
		"OTEL_METRICS_EXPORTER":       "none",
		"OTEL_LOGS_EXPORTER":          "none",
	}
}

// checkInject checks the keys of a variant for the Operator: what it injects, the variant's own tracer, and whether a process that it
// traces runs in an image.
func checkInject(s *program.Source, n *program.Node, what, tracer string, imaged bool) {
	inject, instrumentation := n.Get("inject"), n.Get("instrumentation")
	if instrumentation != nil && !injects(what) {
		s.Fail(instrumentation.At, "instrumentation names what the OpenTelemetry Operator injects: "+
			"write inject: java, nodejs, python, dotnet or sdk beside it")
	}
	switch {
	case inject == nil:
	case injects(what) && tracer != program.NoTracer:
		s.Fail(inject.At, "inject has the OpenTelemetry Operator trace the program, and tracer %s would trace it again: leave one of both out", tracer)
	case !imaged:
		s.Fail(inject.At, "inject is for the pods of a cluster, and no traced process has image: or deployment:")
	}
}
