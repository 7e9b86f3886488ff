// Agents that speak Zipkin, Elastic's intake and Datadog's API, and the real Zipkin
// server behind the sink, which then says itself what it has.
package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// made is every call of the program, in as many traces as there are outer calls.
const made = agentCalls * agentDepth

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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
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

// The agent sends to the sink, the sink passes on to Zipkin: the sink counts what was
// made, Zipkin accepts it, and has it.
func TestForwardToZipkin(t *testing.T) {
	backend := zipkinServer(t)
	s := startSink(t, sink.Config{Zipkin: "127.0.0.1:0", Forward: map[string]string{"zipkin": "http://" + backend}})
	p := startCalls(t, nil, append(otelOptions(t), "-Dotel.traces.exporter=zipkin", "-Dotel.exporter.zipkin.endpoint=http://"+s.Addresses().Zipkin+"/api/v2/spans")...)
	p.call(t)
	p.end(t)
	c := spans(t, s, made, agentCalls)
	if c.Forwarded != made || c.Refused != 0 || c.Protocols["zipkin/json"] != c.Requests || c.Services["calls"] != made {
		t.Errorf("counted %+v", c)
	}
	// The server stores what it has accepted in its own time.
	var traces, stored int
	for deadline := time.Now().Add(30 * time.Second); stored < made && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		traces, stored = zipkinHas(t, backend)
	}
	if traces != agentCalls || stored != made {
		t.Errorf("Zipkin has %d spans in %d traces, want %d in %d", stored, traces, made, agentCalls)
	}
}

// What Zipkin refuses is told to the sender, and counted.
func TestForwardRefusedByZipkin(t *testing.T) {
	backend := zipkinServer(t)
	s := startSink(t, sink.Config{Zipkin: "127.0.0.1:0", Forward: map[string]string{"zipkin": "http://" + backend}})
	body := `[{"traceId":"1","id":"1","name":"a","timestamp":"soon"}]` // the sink does not look at times
	response, err := http.Post("http://"+s.Addresses().Zipkin+"/api/v2/spans", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if c := s.Snapshot().Counts; response.StatusCode != http.StatusBadRequest || c.Spans != 1 || c.Refused != 1 || c.Forwarded != 0 {
		t.Errorf("status %d, counted %+v", response.StatusCode, c)
	}
}

// Elastic's agent: an outer call is a transaction, the calls in it are spans. Its request
// stays open; what it holds is counted.
func TestElasticJava(t *testing.T) {
	s := startSink(t, sink.Config{Elastic: "127.0.0.1:0"})
	p := startCalls(t, nil, "-javaagent:"+fetchAgent(t, "elastic-agent.jar"), "-Delastic.apm.service_name=calls", "-Delastic.apm.trace_methods=calls.Recursion#call",
		"-Delastic.apm.cloud_provider=NONE", "-Delastic.apm.metrics_interval=0s", "-Delastic.apm.max_queue_size=100000", "-Delastic.apm.trace_methods_duration_threshold=0ms",
		"-Delastic.apm.server_url=http://"+s.Addresses().Elastic)
	awaitSink(t, s, "the agent", func(c record.Counts) bool { return c.Protocols["elastic/other"] > 0 })
	p.call(t)
	p.end(t)
	c := spans(t, s, made, agentCalls)
	if c.Services["calls"] != made || c.Traces != agentCalls || c.Merged+c.Forgone != 0 || c.Protocols["elastic/intake"] == 0 {
		t.Errorf("counted %+v", c)
	}
}

// Datadog's agent chooses by what the sink says of itself, and keeps every trace.
func TestDatadogJava(t *testing.T) {
	for _, version := range []string{"v0.4", "v0.5"} {
		t.Run(version, func(t *testing.T) {
			s := startSink(t, sink.Config{Datadog: "127.0.0.1:0"})
			p := startCalls(t, nil, "-javaagent:"+fetchAgent(t, "dd-java-agent.jar"), "-Ddd.service=calls", "-Ddd.trace.methods=calls.Recursion[call]",
				"-Ddd.trace.rate.limit=1000000", "-Ddd.trace.sample.rate=1", "-Ddd.jmxfetch.enabled=false", "-Ddd.profiling.enabled=false", "-Ddd.instrumentation.telemetry.enabled=false",
				fmt.Sprintf("-Ddd.trace.agent.v0.5.enabled=%t", version == "v0.5"), "-Ddd.trace.agent.url=http://"+s.Addresses().Datadog)
			p.call(t)
			p.end(t)
			c := spans(t, s, made, agentCalls)
			if c.Services["calls"] != made || c.Traces != agentCalls || c.Protocols["datadog/"+version] == 0 || c.RootNames["Recursion.call"] != agentCalls {
				t.Errorf("counted %+v", c)
			}
		})
	}
}

// OpenTelemetry's agent over OTLP through a sink in between, over both transports.
func TestForwardOTLPJava(t *testing.T) {
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		t.Run(protocol, func(t *testing.T) {
			backend := startSink(t, sink.Config{OTLPGRPC: "127.0.0.1:0", OTLPHTTP: "127.0.0.1:0"})
			s := startSink(t, sink.Config{OTLPGRPC: "127.0.0.1:0", OTLPHTTP: "127.0.0.1:0", Forward: map[string]string{
				"otlp-grpc": "http://" + backend.Addresses().OTLPGRPC, "otlp-http": "http://" + backend.Addresses().OTLPHTTP,
			}})
			endpoint := s.Addresses().OTLPGRPC
			if protocol != "grpc" {
				endpoint = s.Addresses().OTLPHTTP
			}
			p := startCalls(t, nil, append(otelOptions(t), "-Dotel.traces.exporter=otlp", "-Dotel.exporter.otlp.protocol="+protocol, "-Dotel.exporter.otlp.endpoint=http://"+endpoint)...)
			p.call(t)
			p.end(t)
			c := spans(t, s, made, agentCalls)
			if b := backend.Snapshot().Counts; c.Forwarded != made || b.Spans != made || b.Bytes != c.Bytes {
				t.Errorf("counted %+v, the backend %+v", c, b)
			}
		})
	}
}
