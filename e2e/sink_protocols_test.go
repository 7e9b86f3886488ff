// Agents that speak Elastic's intake and Datadog's API.

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/lab/agents/kieker"
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

// Kieker's agent, over TCP and through files: both of its probes.

// Kieker waits rather than drop: a record a call, and ByteBuddy's probe has one each of
// the class's initializer and constructor.
func TestKiekerOverTCP(t *testing.T) {
	more(t, "Kieker")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	const writer, ofClass = "kieker.monitoring.writer.tcp.SingleSocketTcpWriter", 2
	agent := fetchAgent(t, "kieker-bytebuddy.jar")
	s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.Kieker: "127.0.0.1:0"}})
	host, port := hostPort(t, s.Addresses()[protocol.Kieker])
	p := startCalls(t, []string{"KIEKER_SIGNATURES_INCLUDE=* calls.Recursion.*();"},
		"-javaagent:"+agent, "-Dkieker.monitoring.writer="+writer, "-D"+writer+".hostname="+host, "-D"+writer+".port="+port)
	p.call(t)
	p.end(t) // it holds back what does not fill its buffer
	c := spans(t, s, agentCalls*agentDepth+ofClass, agentCalls+ofClass)
	if c.Protocols["kieker"] != 1 || c.Kinds["internal"] != c.Spans || c.Services["KIEKER-SINGLETON"] != c.Spans {
		t.Errorf("counted %+v", c)
	}
}

// AspectJ's aspect takes the class with its constructor.
func TestKiekerFiles(t *testing.T) {
	more(t, "Kieker")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	const files, constructors = "kieker.monitoring.writer.filesystem.", 1
	agent := fetchAgent(t, "kieker-aspectj.jar")
	dir := t.TempDir()
	p := startCalls(t, nil, "-javaagent:"+agent, "-Dkieker.monitoring.skipDefaultAOPConfiguration=true",
		"-Dorg.aspectj.weaver.loadtime.configuration=file:"+testdata(t, "aop.xml"), "-Dkieker.monitoring.writer="+files+"FileWriter",
		"-D"+files+"FileWriter.logStreamHandler="+files+"BinaryLogStreamHandler", "-D"+files+"FileWriter.customStoragePath="+dir)
	p.call(t)
	settled(t, dir)
	p.end(t)
	c, err := kieker.CountFolder(t.Context(), dir)
	if err != nil || c.Spans != agentCalls*agentDepth+constructors || c.Roots != agentCalls+constructors {
		t.Errorf("counted %+v, %v", c, err)
	}
}

// settled waits until the files below dir have not grown for half a second: at its end
// Kieker gives up what its writer has not come to.
func settled(t *testing.T, dir string) {
	t.Helper()
	var size int64
	for last := time.Now(); time.Since(last) < 500*time.Millisecond; time.Sleep(20 * time.Millisecond) {
		var now int64
		err := filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				now += info.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if now != size {
			size, last = now, time.Now()
		}
	}
}

// Pinpoint's agent.

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

// Scouter's agent.

// Scouter: an XLog an outer call, and a step a call.
func TestScouter(t *testing.T) {
	more(t, "Scouter")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	agent := fetchAgent(t, "scouter-agent.jar")
	s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.Scouter: "127.0.0.1:0"}})
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
	p.end(t)
}

// SkyWalking's agent, with a plugin for the method that is traced.

// SkyWalking: a span a call, a segment an outer call. What is called before the agent is
// connected is lost, so it is waited for.
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
	s := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.SkyWalking: "127.0.0.1:0"}})
	p := startCalls(t, nil, "-javaagent:"+agent, "-Dskywalking.collector.backend_service="+s.Addresses()[protocol.SkyWalking], "-Dskywalking.logging.output=CONSOLE")
	awaitSink(t, s, "the agent", func(c record.Counts) bool { return c.Protocols["skywalking"] > 0 })
	p.callInTurn(t, come(t, s, agentDepth))
	c := spans(t, s, agentCalls*agentDepth, agentCalls)
	if c.Traces != agentCalls || c.Services["calls"] != c.Spans || c.Kinds["internal"] != c.Spans {
		t.Errorf("counted %+v", c)
	}
	p.end(t)
}
