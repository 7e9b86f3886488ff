// An Envoy that crashes.

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tracetax/tracetax/internal/record"
)

// An Envoy that crashes under load is what its run failed of, with its last lines; the run is made again.
func TestEnvoyCrashes(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", write(t, `
workload: proxy/envoy
operations: [now]
variants:
  none:
  otel: {tracer: otel-envoy, settings: {delay: 100ms}}
load: {rate: 200/s, warmup: 200ms, duration: 3s, idle: 50ms}
design: {blocks: 1}
`), "--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "Envoy crashes while the load runs", func() bool { return c.crashEnvoy(t, 100) })
	c.ended(t, c.Wait(), 0)

	var failed []record.Failure
	good := 0
	for _, r := range records(t, out) {
		switch {
		case r.Kind != record.Measured: // a check of the answers
		case r.Variant != "otel":
			if r.Failed() && r.Failure.Stage != record.StageBlock { // it ends with the other
				t.Errorf("%s failed as well: %+v", r.Variant, r.Failure)
			}
		case r.Failed():
			failed = append(failed, *r.Failure)
		default:
			good++
		}
	}
	if good != 1 || len(failed) != 1 {
		t.Fatalf("%d good runs and those that failed: %+v; want one of each", good, failed)
	}
	f := failed[0]
	last := slices.ContainsFunc(f.Log, func(line string) bool { return strings.Contains(line, "Caught Aborted") })
	if f.Process != "app" || f.Stage != "window" || !strings.Contains(f.Message, "SIGABRT") || !last {
		t.Errorf("the failure does not name Envoy, its end in the window, and its last lines: %+v", f)
	}
}

// crashEnvoy sends SIGABRT, as Envoy sends itself where an assertion fails, to the traced Envoy of the run that is under way, once
// it has had so many requests.
func (c *command) crashEnvoy(t *testing.T, requests int) bool {
	t.Helper()
	for _, process := range c.left() {
		number, command, _ := strings.Cut(strings.TrimSpace(process), " ")
		words := strings.Fields(command)
		pid, err := strconv.Atoi(number)
		if err != nil || len(words) == 0 || !strings.HasSuffix(words[0], "/envoy/_bin/envoy") || !strings.HasSuffix(words[len(words)-1], "/app.traced.yaml") {
			continue
		}
		text, err := os.ReadFile(words[len(words)-1])
		if err != nil {
			return false // it has just ended
		}
		var copied struct {
			Admin struct {
				Address struct {
					Socket struct {
						Port int `yaml:"port_value"`
					} `yaml:"socket_address"`
				}
			}
		}
		if err := yaml.Unmarshal(text, &copied); err != nil {
			t.Fatal(err)
		}
		const counter = "http.proxy.downstream_rq_total"
		_, answer, err := asked("GET", "http://127.0.0.1:"+strconv.Itoa(copied.Admin.Address.Socket.Port)+"/stats?filter=^"+counter)
		if err != nil {
			return false // it is not ready yet
		}
		had, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(answer, counter+":")))
		if err == nil && had >= requests {
			return syscall.Kill(pid, syscall.SIGABRT) == nil
		}
	}
	return false
}
