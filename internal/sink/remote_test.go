package sink

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
)

func TestRemote(t *testing.T) {
	cmd, r := remote(t, Config{Listen: both(), Checking: true})
	for _, p := range everyProtocol {
		export(t, exporter(t, p.exporter(r.Addresses())), makeTraces(t, 3))
	}
	s, err := r.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Counts; c.Spans != 48 || c.Requests != 4 || c.Services["shop"] != 48 || !c.Checking || s.Since <= 0 || s.InFlight != 0 {
		t.Errorf("snapshot %+v", s)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
	if _, err := r.Snapshot(t.Context()); err == nil {
		t.Error("a closed sink gave a snapshot")
	}
}

func TestRemoteCannotStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, in, out := process(t, Config{Listen: protocol.Addresses{protocol.OTLPGRPC: taken.Addr().String()}})
	if _, err := NewRemote(in, out); err == nil || !strings.Contains(err.Error(), taken.Addr().String()) || !strings.Contains(err.Error(), "in use") {
		t.Errorf("error %v", err)
	}
}

func TestRemoteDies(t *testing.T) {
	cmd, r := remote(t, Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Snapshot(t.Context()); err == nil {
			t.Error("a dead sink gave a snapshot")
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// A sink that does not answer in time must not mix up the answers afterwards.
func TestRemoteAnswersLate(t *testing.T) {
	cmd, r := remote(t, Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}})
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.Snapshot(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	export(t, exporter(t, everyProtocol[2].exporter(r.Addresses())), makeTraces(t, 1))
	if s, err := r.Snapshot(t.Context()); err != nil || s.Counts.Spans != 4 {
		t.Errorf("spans %d, error %v", s.Counts.Spans, err)
	}
}

func TestServeLines(t *testing.T) {
	cmd, in, out := process(t, Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}})
	lines := bufio.NewScanner(out)
	say := func(line string) (a map[string]any) {
		t.Helper()
		if line != "" {
			fmt.Fprintln(in, line)
		}
		if !lines.Scan() {
			t.Fatalf("no answer to %q: %v", line, lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	hello := say("")
	if listens, ok := hello["addresses"].(map[string]any); !ok || len(listens) != 1 || listens["otlp-grpc"] == nil {
		t.Errorf("hello %v", hello)
	}
	if a := say(`{"do":"snapshot"}`); a["counts"] == nil || a["error"] != nil {
		t.Errorf("snapshot: %v", a)
	}
	if a := say(`{"id":7,"do":"dance"}`); a["error"] == nil || a["id"] != 7.0 {
		t.Errorf("unknown word: %v", a)
	}
	if a := say(`garbage`); a["error"] == nil {
		t.Errorf("garbage: %v", a)
	}
	if a := say(`{"do":"close"}`); a["counts"] == nil || a["error"] != nil {
		t.Errorf("close: %v", a)
	}
	if lines.Scan() {
		t.Errorf("more lines after close: %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []Config{
		{},
		{Listen: both(), MaxSpans: -1},
		{Listen: both(), MaxBody: 1 << 40},
		{Listen: both(), MaxRequests: -1},
		{Listen: both(), RequestTimeout: -1},
		{Listen: both(), Lose: -0.1},
		{Listen: both(), Lose: 3},
		{Listen: both(), Lose: 1.0 / 3},
		{Listen: both(), Late: -1},
		{Listen: both(), Late: time.Minute + time.Second},
		{Listen: protocol.Addresses{protocol.Kieker: "127.0.0.1:0"}, Late: time.Second},
		{Listen: protocol.Addresses{protocol.OTLPGRPC: "not an address"}},
		{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0", protocol.OTLPHTTP: "127.0.0.1:70000"}},
	} {
		s, err := Start(c)
		if err == nil {
			t.Errorf("%+v: started", c)
			_ = s.Close()
		}
	}
}

// A sink that is closed before it has begun to serve must end without an error.
func TestCloseAtOnce(t *testing.T) {
	for range 50 {
		s, err := Start(Config{Listen: both()})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
