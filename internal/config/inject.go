package config

// What a variant says of its pods in a cluster: what the OpenTelemetry Operator injects into them, and their labels and annotations, by
// which others may inject something.

import (
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
)

// InPods are the keys of a variant that are of its pods alone.
type InPods struct {
	Inject          string            `yaml:"inject" one:"java nodejs python dotnet sdk false"` // what the OpenTelemetry Operator of a cluster injects into its pods; false: nothing, whatever their namespace says
	Instrumentation string            `yaml:"instrumentation" as:"line"`                        // the Operator's Instrumentation that it takes, NAME or NAMESPACE/NAME; default: the only one of the namespace
	Annotations     map[string]string `yaml:"annotations" as:"marks"`                           // of its pods in a cluster, besides those of the template
	Labels          map[string]string `yaml:"labels" as:"marks"`                                // of its pods in a cluster; a Service that chooses by them sends requests there
}

// NotInjected is the injection of a variant whose pods are to have none, whatever their namespace says.
const NotInjected = "false"

// Operator begins the annotations that the OpenTelemetry Operator reads.
const Operator = "instrumentation.opentelemetry.io/"

// injects reports whether a value of the key inject has the Operator inject something.
func injects(what string) bool { return what != "" && what != NotInjected }

// idle are the values by which a label or an annotation keeps something out of a pod, as sidecar.istio.io/inject: "false" does.
var idle = []string{"", NotInjected, "disabled", "off", "no", "none", "0"}

// mayInject reports whether something may trace the program by what the pods say.
func (p InPods) mayInject() bool {
	for _, all := range []map[string]string{p.Annotations, p.Labels} {
		for _, value := range all {
			if !slices.Contains(idle, strings.ToLower(value)) {
				return true
			}
		}
	}
	return injects(p.Inject)
}

// given returns the first of the keys that is there; "" if none is.
func (p InPods) given() string {
	switch {
	case p.Inject != "":
		return "inject"
	case len(p.Annotations) > 0:
		return "annotations"
	case len(p.Labels) > 0:
		return "labels"
	}
	return ""
}

// Elsewhere returns why a variant cannot run but in pods; "" if it can.
func (p InPods) Elsewhere() string {
	const there = "measure there (--target kubernetes --namespace NAME)"
	switch key := p.given(); key {
	case "":
		return ""
	case "inject":
		return "inject asks the OpenTelemetry Operator of a cluster, which injects into pods: " + there + ", or name a tracer (tracer: …)"
	default:
		return key + " are of the pods of a cluster: " + there + ", or leave them out"
	}
}

func (p InPods) clone() InPods {
	p.Annotations, p.Labels = maps.Clone(p.Annotations), maps.Clone(p.Labels)
	return p
}

func (p InPods) equal(q InPods) bool {
	return p.Inject == q.Inject && p.Instrumentation == q.Instrumentation && maps.Equal(p.Annotations, q.Annotations) && maps.Equal(p.Labels, q.Labels)
}

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

// checkInPods checks the keys of a variant that are of its pods: beside its tracer, beside each other, and whether a process that it traces
// runs in an image.
func checkInPods(s *program.Source, n *program.Node, p InPods, tracer string, imaged bool) {
	if instrumentation := n.Get("instrumentation"); instrumentation != nil && !injects(p.Inject) {
		s.Fail(instrumentation.At, "instrumentation names what the OpenTelemetry Operator injects: "+
			"write inject: java, nodejs, python, dotnet or sdk beside it")
	}
	inject := n.Get("inject")
	if inject != nil && injects(p.Inject) && tracer != program.NoTracer {
		s.Fail(inject.At, "inject has the OpenTelemetry Operator trace the program, and tracer %s would trace it again: leave one of both out", tracer)
		return
	}
	for _, key := range []string{"inject", "annotations", "labels"} {
		if of := n.Get(key); of != nil && !imaged {
			s.Fail(of.At, "the key %s is for the pods of a cluster, and no traced process has image: or deployment:", key)
		}
	}
	if annotations := n.Get("annotations"); annotations != nil && inject != nil {
		for _, e := range annotations.Entries {
			if strings.HasPrefix(e.Key, Operator) {
				s.Fail(e.At, "annotation %s is what inject sets: leave one of both out", program.Printable(e.Key))
			}
		}
	}
}
