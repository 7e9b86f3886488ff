// OpenTelemetry's agent, and backends behind the sink: the real Zipkin server, which then
// says itself what it has, and another sink.

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// otelOptions have OpenTelemetry's agent trace the calls, with room for all of them.
func otelOptions(t *testing.T) []string {
	return []string{
		"-javaagent:" + fetchAgent(t, "otel-agent.jar"), "-Dotel.service.name=calls",
		"-Dotel.instrumentation.methods.include=calls.Recursion[call]", "-Dotel.metrics.exporter=none", "-Dotel.logs.exporter=none",
		"-Dotel.bsp.max.queue.size=100000",
	}
}

// zipkinServer starts the real server and returns where it listens.
func zipkinServer(t *testing.T) string {
	t.Helper()
	jar := fetchAgent(t, "zipkin-server.jar")
	address := freeAddresses(t, 1)[0]
	_, port := hostPort(t, address)
	c := exec.CommandContext(t.Context(), "java", "-Xmx512m", "-jar", jar)
	c.Env = append(os.Environ(), "QUERY_PORT="+port, "SELF_TRACING_ENABLED=false", "MEM_MAX_SPANS=100000")
	var log strings.Builder
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
		if t.Failed() {
			t.Logf("Zipkin wrote:\n%s", tail(log.String()))
		}
	})
	for deadline := time.Now().Add(90 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		response, err := http.Get("http://" + address + "/health")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return address
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("Zipkin does not answer: %v", err)
		}
	}
}

// zipkinHas asks the server how many traces and spans of the program it has.
func zipkinHas(t *testing.T, address string) (traces, spans int) {
	t.Helper()
	response, err := http.Get(fmt.Sprintf("http://%s/api/v2/traces?serviceName=calls&lookback=3600000&limit=%d", address, 10*agentCalls))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatalf("%.200s: %v", body, err)
	}
	for _, trace := range all {
		spans += len(trace)
	}
	return len(all), spans
}

// One agent with two exporters, Zipkin's and OTLP's, each to a sink that passes on: to the
// real server, and to another sink. The sinks count what was made, the backends accept it
// and have it. What Zipkin refuses is told to the sender, and counted.
func TestForward(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	server := zipkinServer(t)
	zipkin := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.Zipkin: "127.0.0.1:0"}, Forward: map[string]string{"zipkin": "http://" + server}})
	backend := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}})
	otlp := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}, Forward: map[string]string{"otlp-http": "http://" + backend.Addresses()[protocol.OTLPHTTP]}})

	p := startCalls(t, nil, append(otelOptions(t), "-Dotel.traces.exporter=zipkin,otlp", "-Dotel.exporter.zipkin.endpoint=http://"+zipkin.Addresses()[protocol.Zipkin]+"/api/v2/spans",
		"-Dotel.exporter.otlp.protocol=http/protobuf", "-Dotel.exporter.otlp.endpoint=http://"+otlp.Addresses()[protocol.OTLPHTTP])...)
	p.call(t)
	p.end(t)

	c := spans(t, zipkin, made, agentCalls)
	if c.Forwarded != made || c.Refused != 0 || c.Protocols["zipkin/json"] != c.Requests || c.Services["calls"] != made {
		t.Errorf("counted %+v", c)
	}
	// The server stores what it has accepted in its own time.
	var traces, stored int
	for deadline := time.Now().Add(30 * time.Second); stored < made && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		traces, stored = zipkinHas(t, server)
	}
	if traces != agentCalls || stored != made {
		t.Errorf("Zipkin has %d spans in %d traces, want %d in %d", stored, traces, made, agentCalls)
	}

	c = spans(t, otlp, made, agentCalls)
	if b := backend.Snapshot().Counts; c.Forwarded != made || b.Spans != made || b.Bytes != c.Bytes {
		t.Errorf("counted %+v, the backend %+v", c, b)
	}

	refused(t, zipkin)
}

// refused sends what the sink takes for a span, since it does not look at times, and
// Zipkin does not.
func refused(t *testing.T, s *sink.Server) {
	t.Helper()
	body := `[{"traceId":"1","id":"1","name":"a","timestamp":"soon"}]`
	before := s.Snapshot().Counts
	response, err := http.Post("http://"+s.Addresses()[protocol.Zipkin]+"/api/v2/spans", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if c := s.Snapshot().Counts.Minus(before); response.StatusCode != http.StatusBadRequest || c.Spans != 1 || c.Refused != 1 || c.Forwarded != 0 {
		t.Errorf("status %d, counted %+v", response.StatusCode, c)
	}
}
