package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

func TestInjection(t *testing.T) {
	got := text(t, appPod(names{}, "", afar.Pod{InPods: config.InPods{Inject: "java", Instrumentation: "observability/default"}, Container: "shop"}))
	for _, part := range []string{
		`"instrumentation.opentelemetry.io/inject-java":"observability/default"`, `"instrumentation.opentelemetry.io/container-names":"shop"`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the pod lacks %s: %s", part, got)
		}
	}
	if got := text(t, injection(afar.Pod{InPods: config.InPods{Inject: "sdk"}})); got != `{"instrumentation.opentelemetry.io/inject-sdk":"true"}` {
		t.Errorf("the only Instrumentation: %s", got)
	}
	if got := text(t, injection(afar.Pod{InPods: config.InPods{Inject: "false"}})); strings.Count(got, `":"false"`) != len(injectable) {
		t.Errorf("nothing: %s", got)
	}
}

// A pod that comes back is looked at: the Operator's webhook may be away, or answer where it should not.
func TestNotAsked(t *testing.T) {
	for name, row := range map[string]struct{ inject, env, says string }{
		"nobody asked":               {"", `{"name": "JAVA_TOOL_OPTIONS", "value": "-javaagent:/otel-auto-instrumentation-java/javaagent.jar"}`, ""},
		"injected":                   {"java", `{"name": "JAVA_TOOL_OPTIONS", "value": "-Xmx1g -javaagent:/otel-auto-instrumentation-java-shop/javaagent.jar"}`, ""},
		"the program's own options":  {"java", `{"name": "JAVA_TOOL_OPTIONS", "value": "-Xmx1g"}`, "did not inject java"},
		"nothing":                    {"python", ``, "container shop has no PYTHONPATH of it"},
		"another language":           {"nodejs", `{"name": "JAVA_TOOL_OPTIONS", "value": "/otel-auto-instrumentation-java"}`, "did not inject nodejs"},
		"the SDK's variables":        {"sdk", `{"name": "OTEL_RESOURCE_ATTRIBUTES", "value": "k8s.pod.name=shop"}`, ""},
		"attributes of the program":  {"sdk", `{"name": "OTEL_RESOURCE_ATTRIBUTES", "value": "team=shop"}`, "did not inject sdk"},
		"not to be injected":         {"false", `{"name": "NODE_OPTIONS", "value": "--max-old-space-size=512"}`, ""},
		"injected by the namespace":  {"false", `{"name": "NODE_OPTIONS", "value": "--require /otel-auto-instrumentation-nodejs/x.js"}`, "injected nodejs all the same"},
		"a container beside has one": {"java", ``, "did not inject java"},
	} {
		t.Run(name, func(t *testing.T) {
			var pod kubernetes.Pod
			spec := fmt.Sprintf(`{"spec": {"containers": [{"name": "proxy", "env": [{"name": "JAVA_TOOL_OPTIONS", "value": "/otel-auto-instrumentation-java"}]},
 {"name": "shop", "env": [%s]}]}}`, row.env)
			if err := json.Unmarshal([]byte(spec), &pod); err != nil {
				t.Fatal(err)
			}
			why := notAsked(pod, "shop", afar.Pod{InPods: config.InPods{Inject: row.inject, Instrumentation: "mine"}})
			if row.says == "" && why != "" || !strings.Contains(why, row.says) {
				t.Errorf("it says %q, and is to say %q", why, row.says)
			}
		})
	}
}
