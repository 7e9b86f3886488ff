// Scouter's agent.

package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// Scouter: an XLog an outer call, and a step a call. The sink passes everything on to the real
// server, which has it then.
func TestScouter(t *testing.T) {
	more(t, "Scouter")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	agent := fetchAgent(t, "scouter-agent.jar")
	server := scouterServer(t)
	s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.Scouter: "127.0.0.1:0"}, Forward: map[string]string{"scouter": server.address}})
	host, port := hostPort(t, s.Addresses()[protocol.Scouter])
	dir := t.TempDir()
	p := startCalls(t, nil, "-javaagent:"+agent, "-Dscouter.config="+filepath.Join(dir, "scouter.conf"), "-Dlog_dir="+dir, "-Dobj_name=calls",
		"-Dnet_collector_ip="+host, "-Dnet_collector_udp_port="+port, "-Dnet_collector_tcp_port="+port,
		"-Dhook_service_patterns=calls.Recursion.call", "-Dhook_method_patterns=calls.Recursion.call")
	awaitSink(t, s, "the agent", func(c record.Counts) bool { return c.Protocols["scouter"] > 0 })
	p.callInTurn(t, come(t, s, 1+agentDepth))
	c := spans(t, s, agentCalls*(1+agentDepth), agentCalls)
	if c.Kinds["server"] != agentCalls || c.Kinds["internal"] != agentCalls*agentDepth {
		t.Errorf("counted %+v", c)
	}
	if c.Forwarded != c.Spans || c.Refused != 0 {
		t.Errorf("forwarded %d, refused %d of %d spans", c.Forwarded, c.Refused, c.Spans)
	}
	p.end(t)
	// The server stores what it has got in its own time; while it does, it may end a connection
	// on which it is asked, on a busy machine for half a minute and more.
	var xlogs, calls int
	var err error
	for deadline := time.Now().Add(3 * time.Minute); (err != nil || xlogs < agentCalls || calls < made) && time.Now().Before(deadline); {
		xlogs, calls, err = server.has(t)
	}
	if err != nil || xlogs != agentCalls || calls != made {
		t.Errorf("Scouter has %d XLogs and %d calls (%v), want %d and %d", xlogs, calls, err, agentCalls, made)
	}
}
