// Agents that speak Elastic's intake and Datadog's API.

package e2e

import (
	"fmt"
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// Elastic's agent: an outer call is a transaction, the calls in it are spans. Its request
// stays open; what it holds is counted.
func TestElasticJava(t *testing.T) {
	more(t, "Elastic")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.Elastic: "127.0.0.1:0"}})
	p := startCalls(t, nil, "-javaagent:"+fetchAgent(t, "elastic-agent.jar"), "-Delastic.apm.service_name=calls", "-Delastic.apm.trace_methods=calls.Recursion#call",
		"-Delastic.apm.cloud_provider=NONE", "-Delastic.apm.metrics_interval=0s", "-Delastic.apm.max_queue_size=100000", "-Delastic.apm.trace_methods_duration_threshold=0ms",
		"-Delastic.apm.server_url=http://"+s.Addresses()[protocol.Elastic])
	awaitSink(t, s, "the agent", func(c record.Counts) bool { return c.Protocols["elastic/other"] > 0 })
	p.call(t)
	p.end(t)
	c := spans(t, s, made, agentCalls)
	if c.Services["calls"] != made || c.Traces != agentCalls || c.Merged+c.Suppressed != 0 || c.Protocols["elastic/intake"] == 0 {
		t.Errorf("counted %+v", c)
	}
}

// Datadog's agent chooses by what the sink says of itself, and keeps every trace.
func TestDatadogJava(t *testing.T) {
	more(t, "Datadog")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	for _, version := range []string{"v0.4", "v0.5"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.Datadog: "127.0.0.1:0"}})
			p := startCalls(t, nil, "-javaagent:"+fetchAgent(t, "dd-java-agent.jar"), "-Ddd.service=calls", "-Ddd.trace.methods=calls.Recursion[call]",
				"-Ddd.trace.rate.limit=1000000", "-Ddd.trace.sample.rate=1", "-Ddd.jmxfetch.enabled=false", "-Ddd.profiling.enabled=false", "-Ddd.instrumentation.telemetry.enabled=false",
				fmt.Sprintf("-Ddd.trace.agent.v0.5.enabled=%t", version == "v0.5"), "-Ddd.trace.agent.url=http://"+s.Addresses()[protocol.Datadog])
			p.call(t)
			p.end(t)
			c := spans(t, s, made, agentCalls)
			if c.Services["calls"] != made || c.Traces != agentCalls || c.Protocols["datadog/"+version] == 0 || c.RootNames["Recursion.call"] != agentCalls {
				t.Errorf("counted %+v", c)
			}
		})
	}
}
