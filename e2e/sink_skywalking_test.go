// SkyWalking's agent, with a plugin for the method that is traced.

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// SkyWalking: a span a call, a segment an outer call. What is called before the agent is
// connected is lost, so that it is waited for. The sink passes everything on to another, which
// counts the same and passes it on to the real server, which has it then.
func TestSkyWalking(t *testing.T) {
	more(t, "SkyWalking")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	agent := fetchAgent(t, "skywalking-agent.jar")
	home := filepath.Dir(agent)
	classes := filepath.Join(t.TempDir(), "classes")
	execute(t, testdata(t, "skywalking"), "javac", "--release", "8", "-Xlint:-options", "-cp", agent, "-d", classes, "plugin/Instrumentation.java", "plugin/Interceptor.java")
	for name, text := range map[string]string{
		filepath.Join(classes, "skywalking-plugin.def"):  "calls=plugin.Instrumentation\n",
		filepath.Join(home, "config", "agent.config"):    "agent.service_name=calls\n",
		filepath.Join(home, "plugins", "placeholder.md"): "",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, home, "jar", "--create", "--file", filepath.Join(home, "plugins", "calls.jar"), "-C", classes, ".")
	server := oapServer(t)
	backend := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.SkyWalking: "127.0.0.1:0"}, Forward: map[string]string{"skywalking": "http://" + server.grpc}})
	s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.SkyWalking: "127.0.0.1:0"}, Forward: map[string]string{"skywalking": "http://" + backend.Addresses()[protocol.SkyWalking]}})
	p := startCalls(t, nil, "-javaagent:"+agent, "-Dskywalking.collector.backend_service="+s.Addresses()[protocol.SkyWalking], "-Dskywalking.logging.output=CONSOLE")
	awaitSink(t, s, "the agent", func(c record.Counts) bool { return c.Protocols["skywalking"] > 0 })
	p.callInTurn(t, come(t, s, agentDepth))
	c := spans(t, s, agentCalls*agentDepth, agentCalls)
	if c.Traces != agentCalls || c.Services["calls"] != c.Spans || c.Kinds["internal"] != c.Spans {
		t.Errorf("counted %+v", c)
	}
	awaitSink(t, s, "what the backend accepted", func(now record.Counts) bool { return now.Forwarded == c.Spans })
	if behind := backend.Snapshot().Counts; behind.Spans != c.Spans || behind.Forwarded != c.Spans || behind.Traces != c.Traces || behind.Services["calls"] != c.Spans {
		t.Errorf("the backend counted %+v", behind)
	}
	p.end(t)
	// The server stores what it has accepted in its own time.
	var segments map[string]string
	for deadline := time.Now().Add(30 * time.Second); len(segments) < agentCalls && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		var err error
		if segments, err = server.segments(t); err != nil {
			t.Fatal(err)
		}
	}
	if stored := server.spans(t, segments); len(segments) != agentCalls || stored != made {
		t.Errorf("SkyWalking has %d spans in %d segments, want %d in %d", stored, len(segments), made, agentCalls)
	}
}
