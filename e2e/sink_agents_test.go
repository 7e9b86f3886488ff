// Real Java agents that speak the sink's protocols: where they come from, the program that
// they trace, and how it is held against what the sink counts. The agents are in
// sink_protocols_test.go.

package e2e

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

const (
	agentCalls = 1000
	agentDepth = 10
	agentBatch = 20 // calls that are made at a time: their spans fit into what gRPC takes before it is not ready (32 KiB), and Pinpoint throws away what it does not take
)

// made is every call of the program, in as many traces as there are outer calls.
const made = agentCalls * agentDepth

// agents are where the agents come from, by the file that each is.
var agents = map[string]struct{ artifact, sum string }{
	"kieker-aspectj.jar":   {"net.kieker-monitoring:kieker:2.0.2:jar:aspectj", "618432b98c33357ade1d9d8eef45d88e4016b24510c74517b6dbdbc97f615dce"},
	"kieker-bytebuddy.jar": {"net.kieker-monitoring:kieker:2.0.2:jar:bytebuddy", "7217391b5a88ab3df807a666b0710bebc52415cc01c0fb3147e72c63f9162a53"},
	"skywalking-agent.jar": {"org.apache.skywalking:apm-agent:9.3.0", "468366d948558ede1c50b75956a7fc6d9d1d2a8eddbf4e8319acac09623393d4"},
	"pinpoint.tar.gz":      {"com.navercorp.pinpoint:pinpoint-agent:3.0.1:tar.gz", "d869d7841e83e607e07c2c54936ee0f5c42d39fec57195831549c41adf226a49"},
	"dd-java-agent.jar":    {"com.datadoghq:dd-java-agent:1.68.1", "86c97c1348277bb024f6185c4fd15a5567c50ab648f88277dffc429adb4bf927"},
	"elastic-agent.jar":    {"co.elastic.apm:elastic-apm-agent:1.55.1", "a67c4e7224e54ecdb10cbe77d1d15c7d57f4df71ff0d0fb7e6842d307dcf280f"},
	"otel-agent.jar":       {"io.opentelemetry.javaagent:opentelemetry-javaagent:2.33.1", "e43a270df53c6f423e0ab157be9c27ccc01d5dc3232e162fe54777573db2f149"},
	"scouter-agent.jar":    {"io.github.scouter-project:scouter-agent-java:2.0.0", "2ea5b3a9b77f2cd716a04a260c4b2fa829e631eaf7ff90562e060d4e5259ff02"},
}

// fetchAgent puts an agent into a new folder of its own: some write beside themselves.
func fetchAgent(t *testing.T, file string) string {
	t.Helper()
	need(t, "java", "javac", "jar", "mvn")
	agent := agents[file]
	shared := built(t, file, func(dir string) error {
		if err := runIn(dir, "mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy", "-Dartifact="+agent.artifact, "-DoutputDirectory="+dir); err != nil {
			return err
		}
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(found) != 1 {
			return fmt.Errorf("Maven put %v there, %v", found, err)
		}
		return os.Rename(found[0], filepath.Join(dir, file))
	})
	content, err := os.ReadFile(filepath.Join(shared, file))
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(content)); sum != agent.sum {
		t.Fatalf("%s has the checksum %s, want %s", agent.artifact, sum, agent.sum)
	}
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func execute(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func testdata(t *testing.T, elements ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"testdata", "agents"}, elements...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// startSink runs a sink in checking mode until the test ends.
func startSink(t *testing.T, c sink.Config) *sink.Server {
	t.Helper()
	c.Checking = true
	s, err := sink.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// callsProgram is the traced program on its way through its life.
type callsProgram struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	log strings.Builder
}

// startCalls starts the program, compiled for Java 8, and waits until it can be told to
// make its calls.
func startCalls(t *testing.T, env []string, options ...string) *callsProgram {
	t.Helper()
	sources := testdata(t)
	classes := built(t, "calls", func(dir string) error {
		return runIn(sources, "javac", "--release", "8", "-Xlint:-options", "-d", dir, "calls/Main.java", "calls/Recursion.java")
	})
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	args := append(options, "-cp", classes, "calls.Main", fmt.Sprint(agentBatch), fmt.Sprint(agentDepth))
	p := &callsProgram{Cmd: exec.CommandContext(ctx, "java", args...)}
	p.Dir, p.Env = t.TempDir(), append(os.Environ(), env...)
	p.Stderr = &p.log
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\nwrote:\n%s", strings.Join(p.Args, " "), tail(p.log.String()))
		}
	})
	p.says(t, "ready")
	return p
}

// says reads what the program writes up to a line.
func (p *callsProgram) says(t *testing.T, want string) {
	t.Helper()
	for p.out.Scan() {
		if p.out.Text() == want {
			return
		}
		p.log.WriteString(p.out.Text() + "\n")
	}
	t.Fatalf("the program ended before it said %q", want)
}

// call has the program make its calls as fast as they go.
func (p *callsProgram) call(t *testing.T) {
	t.Helper()
	p.callInTurn(t, func(uint64) {})
}

// callInTurn has the program make its calls, and calls done after each of the batches.
func (p *callsProgram) callInTurn(t *testing.T, done func(calls uint64)) {
	t.Helper()
	for calls := agentBatch; calls <= agentCalls; calls += agentBatch {
		if _, err := io.WriteString(p.in, "\n"); err != nil {
			t.Fatal(err)
		}
		p.says(t, fmt.Sprintf("made %d", agentBatch*agentDepth))
		done(uint64(calls))
	}
}

// come waits until so many spans have come for each call.
func come(t *testing.T, s *sink.Server, each uint64) func(calls uint64) {
	return func(calls uint64) {
		t.Helper()
		awaitSink(t, s, fmt.Sprintf("the spans of %d calls", calls), func(c record.Counts) bool { return c.Spans >= calls*each })
	}
}

// end lets the program end.
func (p *callsProgram) end(t *testing.T) {
	t.Helper()
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	for p.out.Scan() {
		p.log.WriteString(p.out.Text() + "\n")
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
}

// awaitSink waits until the sink's counts are as wanted, and returns them.
func awaitSink(t *testing.T, s *sink.Server, what string, wanted func(record.Counts) bool) record.Counts {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c := s.Snapshot().Counts
		if wanted(c) {
			return c
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s: %+v", what, c)
		}
	}
}

// spans waits for as many spans, and checks that all is well with them once the sink
// has been quiet.
func spans(t *testing.T, s *sink.Server, want, roots uint64) record.Counts {
	t.Helper()
	awaitSink(t, s, fmt.Sprintf("%d spans", want), func(c record.Counts) bool { return c.Spans >= want })
	awaitSink(t, s, "quiet", func(record.Counts) bool {
		now := s.Snapshot()
		return now.InFlight == 0 && now.Since > 500*time.Millisecond || now.Counts.Metrics > 0
	})
	c := s.Snapshot().Counts
	if c.Spans != want || c.Roots != roots || c.Orphans != 0 || c.Duplicate != 0 || c.Rejected != 0 || c.Malformed != 0 {
		t.Errorf("counted %+v; want %d spans, %d roots", c, want, roots)
	}
	return c
}

func hostPort(t *testing.T, address string) (host, port string) {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return host, port
}
