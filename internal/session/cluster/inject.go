package cluster

// The OpenTelemetry Operator: what a pod says to it, and whether it answered. Where its webhook is away, pods begin without it, and
// nothing else tells.

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// injectable is what the Operator injects, and the variable of a container by which that is there.
var injectable = map[string]string{
	"java": "JAVA_TOOL_OPTIONS", "nodejs": "NODE_OPTIONS", "python": "PYTHONPATH", "dotnet": "DOTNET_STARTUP_HOOKS", "sdk": "OTEL_RESOURCE_ATTRIBUTES",
}

// injection returns the annotations of a pod for the Operator.
func injection(p afar.Pod) object {
	switch p.Inject {
	case "":
		return nil
	case config.NotInjected:
		out := object{}
		for what := range injectable {
			out[config.Operator+"inject-"+what] = "false"
		}
		return out
	}
	out := object{config.Operator + "inject-" + p.Inject: cmp.Or(p.Instrumentation, "true")}
	if p.Container != "" {
		out[config.Operator+"container-names"] = p.Container
	}
	return out
}

// agents is part of the folder of every agent that the Operator injects.
const agents = "otel-auto-instrumentation"

// notAsked returns why a pod that came back is not what was asked for: the Operator injected nothing, or something; "" if it is.
func notAsked(made kubernetes.Pod, in string, p afar.Pod) string {
	if p.Inject == "" {
		return ""
	}
	found := map[string]string{}
	for _, c := range made.Spec.Containers {
		if c.Name == in {
			for _, e := range c.Env {
				found[e.Name] = e.Value
			}
		}
	}
	if p.Inject == config.NotInjected {
		for what, variable := range injectable {
			if strings.Contains(found[variable], agents) {
				return fmt.Sprintf("it is not to be injected, and something injected %s all the same (%s=%s): see what changes pods in its namespace",
					what, variable, found[variable])
			}
		}
		return ""
	}
	variable := injectable[p.Inject]
	if mark := map[bool]string{true: "k8s.", false: agents}[p.Inject == "sdk"]; strings.Contains(found[variable], mark) {
		return ""
	}
	return fmt.Sprintf("the OpenTelemetry Operator did not inject %s (container %s has no %s of it): see that the Operator runs, that "+
		"an Instrumentation %sis in the namespace, and that the container does not take that variable from a reference "+
		"('kubectl get instrumentation' lists what there is)", p.Inject, in, variable, strings.TrimLeft(p.Instrumentation+" ", " "))
}
