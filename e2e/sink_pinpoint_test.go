// Pinpoint's agent.

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// Pinpoint: a span for what the process did for an outer call, and an event a call. At
// full speed it drops a part of them.
func TestPinpoint(t *testing.T) {
	more(t, "Pinpoint")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	archive := fetchAgent(t, "pinpoint.tar.gz")
	home := filepath.Dir(archive)
	execute(t, home, "tar", "xzf", archive)
	s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.Pinpoint: "127.0.0.1:0"}})
	host, port := hostPort(t, s.Addresses()[protocol.Pinpoint])
	options := []string{
		"-javaagent:" + filepath.Join(home, "pinpoint-agent-3.0.1", "pinpoint-bootstrap.jar"),
		"-Dpinpoint.agentId=a1", "-Dpinpoint.applicationName=calls", "-Dpinpoint.profiler.profiles.active=release",
		"-Dprofiler.entrypoint=calls.Recursion.call", "-Dprofiler.include=calls.Recursion", "-Dprofiler.sampling.counting.sampling-rate=1",
		"-Dprofiler.transport.grpc.collector.ip=" + host,
	}
	for _, service := range []string{"agent", "metadata", "stat", "span"} {
		options = append(options, "-Dprofiler.transport.grpc."+service+".collector.ip="+host, "-Dprofiler.transport.grpc."+service+".collector.port="+port)
	}
	p := startCalls(t, nil, options...)
	awaitSink(t, s, "the agent", func(c record.Counts) bool { return c.Protocols["pinpoint"] > 0 })
	p.callInTurn(t, come(t, s, 1+agentDepth))
	c := spans(t, s, agentCalls*(1+agentDepth), agentCalls)
	if c.Services["calls"] != c.Spans || c.Kinds["server"] != agentCalls || c.Kinds["internal"] != agentCalls*agentDepth {
		t.Errorf("counted %+v", c)
	}
	p.end(t)
}
