// Scouter's agent.
package e2e

import (
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// Scouter: an XLog an outer call, and a step a call.
func TestScouter(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	agent := fetchAgent(t, "scouter-agent.jar")
	s := startSink(t, sink.Config{Scouter: "127.0.0.1:0"})
	host, port := hostPort(t, s.Addresses().Scouter)
	dir := t.TempDir()
	p := startCalls(t, nil, "-javaagent:"+agent, "-Dscouter.config="+filepath.Join(dir, "scouter.conf"), "-Dlog_dir="+dir, "-Dobj_name=calls",
		"-Dnet_collector_ip="+host, "-Dnet_collector_udp_port="+port, "-Dnet_collector_tcp_port="+port,
		"-Dhook_service_patterns=calls.Recursion.call", "-Dhook_method_patterns=calls.Recursion.call")
	awaitSink(t, s, "the agent", func(c record.Counts) bool { return c.Protocols["scouter"] > 0 })
	p.callPaced(t, come(t, s, 1+agentDepth))
	c := spans(t, s, agentCalls*(1+agentDepth), agentCalls)
	if c.Kinds["server"] != agentCalls || c.Kinds["internal"] != agentCalls*agentDepth {
		t.Errorf("counted %+v", c)
	}
	p.end(t)
}
