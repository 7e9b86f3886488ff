package config

// Tracers that the OpenTelemetry Operator of a cluster injects into pods.

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/config/program"
)

// NotInjected is the injection of a variant whose pods are to have none, whatever their namespace says.
const NotInjected = "false"

// Injects reports whether a variant has the Operator inject a tracer.
func (v Variant) Injects() bool { return v.Inject != "" && v.Inject != NotInjected }

// injectedEnv is what a variant tells an injected SDK: where the sink is. The Operator leaves alone what a container already has. As with
// the tracers of tracetax, all traces are sampled, and metrics and logs are off.
func injectedEnv() map[string]string {
	return map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + sinkMark + "otlp.http}",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
		"OTEL_TRACES_SAMPLER":         "parentbased_always_on",
		"OTEL_METRICS_EXPORTER":       "none",
		"OTEL_LOGS_EXPORTER":          "none",
	}
}

// checkInject checks the keys of a variant for the Operator.
func checkInject(s *program.Source, n *program.Node, v *Variant, w *program.Workload) {
	inject, instrumentation := n.Get("inject"), n.Get("instrumentation")
	if instrumentation != nil && !v.Injects() {
		s.Fail(instrumentation.At, "instrumentation names what the OpenTelemetry Operator injects: write inject: java, nodejs, python, dotnet or sdk beside it")
	}
	if inject == nil {
		return
	}
	if v.Injects() && v.Tracer.Name != program.NoTracer {
		s.Fail(inject.At, "inject has the OpenTelemetry Operator trace the program, and tracer %s would trace it again: leave one of both out", v.Tracer.Name)
	}
	if !slices.ContainsFunc(w.Processes, func(p program.Process) bool { return p.InImage() && v.Traces(p) }) {
		s.Fail(inject.At, "inject is for the pods of a cluster, and no traced process has image: or deployment:")
	}
}

// addInjected adds to what a variant's processes get.
func (v Variant) addInjected(a added) {
	if v.Injects() {
		maps.Copy(a.set, injectedEnv())
	}
}
