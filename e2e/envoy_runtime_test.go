// An Envoy with the copy of its configuration: what its runtime says, and which requests are traced.

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tracetax/tracetax/internal/process"
)

// In the copy the tracer's settings hold, whatever routes and layers from elsewhere say, and the admin page still changes the runtime.
func TestEnvoyRuntime(t *testing.T) {
	t.Parallel()
	envoy, attach := envoys(t)
	for name, c := range map[string]struct {
		layers, sampling string
		traced           int
	}{
		"no layers":               {"", "100", 20},
		"a runtime without any":   {"layered_runtime: {}", "0", 0},
		"the admin's is the last": {"layered_runtime: {layers: [DISK, {name: admin, admin_layer: {}}]}", "100", 20},
		"the admin's is not":      {"layered_runtime: {layers: [{name: admin, admin_layer: {}}, DISK]}", "0", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ports, err := process.FreePorts(3)
			if err != nil {
				t.Fatal(err)
			}
			keep := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return path
			}
			keep("runtime/envoy/tracing/opentelemetry/min_flush_spans", "7")
			keep("runtime/envoy/tracing/random_sampling", "50")
			keep("runtime/envoy/tracing/global_enabled", "50")
			routes := keep("routes.yaml", `resources:
- "@type": type.googleapis.com/envoy.config.route.v3.RouteConfiguration
  name: routes
  virtual_hosts: [{name: all, domains: ["*"], routes: [{match: {prefix: /}, direct_response: {status: 200}, tracing: {random_sampling: {numerator: 50}, overall_sampling: {numerator: 50}}}]}]
`)
			text, err := os.ReadFile(filepath.Join("testdata", "envoy", "two.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			file := keep("mine.yaml", strings.NewReplacer("testdata/envoy/routes.yaml", routes, "10000", strconv.Itoa(ports[0]), "10001", strconv.Itoa(ports[1])).Replace(string(text))+
				strings.Replace(c.layers, "DISK", fmt.Sprintf("{name: disk, disk_layer: {symlink_root: %s/runtime, subdirectory: envoy}}", dir), 1))
			run, _ := attaching(t, attach, "opentelemetry", envoy, "--disable-hot-restart", "--concurrency", "1", "--log-level", "warning", "-c", file)
			run.Env = append(run.Env, "ENVOY_TRACING_COUNTERS=127.0.0.1:"+strconv.Itoa(ports[2]), "ENVOY_TRACING_SAMPLING="+c.sampling)
			said, err := os.Create(filepath.Join(dir, "said"))
			if err != nil {
				t.Fatal(err)
			}
			run.Stdout, run.Stderr = said, said
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- run.Wait() }()
			defer func() {
				_ = run.Process.Signal(syscall.SIGTERM) // one that has ended by itself is told of by its status
				if err := <-ended; err != nil || t.Failed() {
					said, _ := os.ReadFile(said.Name())
					t.Errorf("%v: Envoy said %s", err, said)
				}
			}()

			admin := "http://127.0.0.1:" + strconv.Itoa(ports[2])
			await(t, "Envoy is ready", func() bool {
				if len(ended) > 0 {
					t.Fatal("Envoy has ended")
				}
				status, _, err := asked("GET", admin+"/ready")
				return err == nil && status == http.StatusOK
			})
			for way, port := range map[string]int{"one": ports[0], "two": ports[1]} {
				for range 20 {
					if status, _, err := asked("GET", fmt.Sprintf("http://127.0.0.1:%d/", port)); err != nil || status != http.StatusOK {
						t.Fatal(status, err)
					}
				}
				counter := "http." + way + ".tracing.random_sampling"
				if _, text, err := asked("GET", admin+"/stats?filter=^"+counter); err != nil || text != fmt.Sprintf("%s: %d\n", counter, c.traced) {
					t.Errorf("%v: %s, want %d of 20", err, text, c.traced)
				}
			}
			if status, text, err := asked("POST", admin+"/runtime_modify?mine=3"); err != nil || status != http.StatusOK {
				t.Errorf("%v: the runtime cannot be modified: %d %s", err, status, text)
			}
			var all struct {
				Entries map[string]struct {
					Final string `json:"final_value"`
				}
			}
			_, page, err := asked("GET", admin+"/runtime?format=json")
			if err == nil {
				err = json.Unmarshal([]byte(page), &all)
			}
			for key, want := range map[string]string{"mine": "3", "tracing.opentelemetry.min_flush_spans": "5", "tracing.opentelemetry.flush_interval_ms": "5000"} {
				if got := all.Entries[key].Final; err != nil || got != want {
					t.Errorf("%v: %s is %q, want %s:\n%s", err, key, got, want, page)
				}
			}
		})
	}
}

// asked is the answer to a request.
func asked(method, url string) (status int, text string, err error) {
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}
