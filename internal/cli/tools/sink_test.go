package tools_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/tools"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

const twoSpans = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop\u001b[31m"}}]},"scopeSpans":[{"spans":[
	{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","parentSpanId":"EEE19B7EC3C1B173","name":"call","kind":3},
	{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B175","name":"GET \"x\"","kind":2}]}]}]}`

// sinkSession runs the sink command, posts two spans to it, ends it as Ctrl-C
// does, and returns its stdout and stderr.
func sinkSession(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	progress, progressEnd := io.Pipe()
	var out bytes.Buffer
	command := tools.NewSink(console.Streams{In: strings.NewReader(""), Out: &out, Err: progressEnd})
	command.SetArgs(append([]string{"--otlp-grpc", "", "--otlp-http", "127.0.0.1:0"}, args...))
	ended := make(chan error, 1)
	go func() {
		err := command.ExecuteContext(ctx)
		_ = progressEnd.Close() // never fails
		ended <- err
	}()
	lines := bufio.NewReader(progress)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v; the command says %v", err, <-ended)
	}
	address := strings.TrimSpace(first[strings.LastIndex(first, " "):])
	rest := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(lines) // ends when the command does
		rest <- string(all)
	}()
	response, err := http.Post("http://"+address+"/v1/traces", "application/json", strings.NewReader(twoSpans))
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, error %v", response.StatusCode, err)
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return out.String(), first + <-rest
}

func TestSinkJSON(t *testing.T) {
	out, progress := sinkSession(t, "--json")
	var c record.Counts
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if c.Spans != 2 || c.Roots != 1 || c.Orphans != 1 || !c.Checking {
		t.Errorf("counts %+v", c)
	}
	if !strings.Contains(progress, "OTLP over HTTP on 127.0.0.1:") || strings.Contains(progress, "gRPC") {
		t.Errorf("stderr %q", progress)
	}
}

// The file has what came, a request a line, and is never one that is there.
func TestSinkKeeps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "traces.jsonl")
	out, progress := sinkSession(t, "--keep", file, "--zipkin", "127.0.0.1:0")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if line, more, _ := strings.Cut(string(text), "\n"); more != "" || !strings.Contains(line, `"spanId":"EEE19B7EC3C1B175"`) || strings.Contains(line, "\t") {
		t.Errorf("the file has %s, want the request in one line", text)
	}
	if !strings.Contains(progress, "What comes over Zipkin") {
		t.Errorf("stderr %q: nothing says that Zipkin's spans are not kept", progress)
	}
	if !strings.Contains(progress, "kept 2 spans in "+file+"\n") || !strings.Contains(out, "spans") {
		t.Errorf("stderr %q, stdout %q", progress, out)
	}
	if _, err := sink.Start(sink.Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}, Keep: file}); err == nil ||
		!strings.Contains(err.Error(), "it is there already") {
		t.Errorf("a second sink with the same file: %v", err)
	}
	fresh := file + ".2"
	if _, err := sink.Start(sink.Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "256.0.0.1:0"}, Keep: fresh}); err == nil {
		t.Error("a sink without an address starts")
	}
	if _, err := os.Stat(fresh); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a sink that did not start leaves its file: %v", err)
	}
}

func TestSinkSummary(t *testing.T) {
	out, _ := sinkSession(t, "--mode", "counting")
	for _, want := range []string{"spans                       2", `1  GET "x"`, `2  shop\u001b[31m`, "1  otlp/http+json"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") || strings.Contains(out, "orphans") {
		t.Errorf("summary\n%q", out)
	}
}

// Faults that are asked for are done, and said: half of two spans is one.
func TestSinkFaults(t *testing.T) {
	out, progress := sinkSession(t, "--lose", "50%", "--late", "1ms")
	for _, want := range []string{"spans                       1", "thrown away                 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if want := "throws away 50% of the spans, answers 1ms late"; !strings.Contains(progress, want) {
		t.Errorf("no %q in\n%s", want, progress)
	}
}

func TestSinkUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"sink", "--mode", "guess"}, console.Usage, `no sink mode "guess"`},
		{[]string{"sink", "extra"}, console.Usage, "extra"},
		{[]string{"sink", "--otlp-grpc", "", "--otlp-http", ""}, console.Usage, "no protocol"},
		{[]string{"sink", "--otlp-grpc", "127.0.0.1:99999"}, console.Failed, "99999"},
		{[]string{"sink", "--lose", "103%"}, console.Usage, "not a share such as 3%"},
		{[]string{"sink", "--lose", "0.00000000001%"}, console.Usage, "nine decimals"},
		{[]string{"sink", "--late", "1h"}, console.Usage, "choose 0 to 1m0s"},
		{[]string{"sink", "--late", "5"}, console.Usage, "missing unit"},
	} {
		var stderr bytes.Buffer
		if code := cli.Main(test.args, strings.NewReader(""), io.Discard, &stderr); code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%v: exit %d, want %d; stderr %q", test.args, code, test.code, stderr.String())
		}
	}
}

// agentSink is a sink as tracetax starts it of itself; it has ended by itself when the test does.
func agentSink(t *testing.T, args ...string) *sink.Remote {
	t.Helper()
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- cli.Main(append([]string{"agent", "sink"}, args...), in, out, &stderr)
		_ = out.Close() // of a pipe it is no error
	}()
	remote, err := sink.NewRemote(requests, answers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remote.Close(); err != nil {
			t.Error(err)
		}
		if got := <-code; got != console.Fine || stderr.Len() > 0 {
			t.Errorf("exit %d, stderr %q", got, stderr.String())
		}
	})
	return remote
}

func TestAgentSinkFaults(t *testing.T) {
	if where := agentSink(t, "--lose", "0.03", "--late", "500ms").Addresses(); where["otlp-grpc"] == "" {
		t.Errorf("it listens at %v", where)
	}
}

func TestAgentSink(t *testing.T) {
	for _, checking := range []bool{true, false} {
		got, err := agentSink(t, fmt.Sprintf("--checking=%t", checking)).Snapshot(t.Context())
		if err != nil || got.Counts.Checking != checking {
			t.Errorf("%+v, %v, want checking: %t", got, err, checking)
		}
	}
}
