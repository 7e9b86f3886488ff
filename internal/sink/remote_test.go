package sink

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
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
	var status syscall.WaitStatus // until all of its threads have stopped: one may still answer before
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it did not stop: %v, error %v", status, err)
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

// What is no request ends the sink with an error.
func TestServeOfNonsense(t *testing.T) {
	cmd, in, out := process(t, Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0"}})
	said := bufio.NewScanner(out)
	for ask, want := range map[string]string{`{"id":7,"body":{"addresses":true}}`: "otlp-grpc", `{"id":7,"body":{}}`: "counts"} {
		fmt.Fprintln(in, ask)
		if !said.Scan() || !strings.Contains(said.Text(), want) || !strings.HasPrefix(said.Text(), `{"id":7,`) {
			t.Fatalf("asked %s, it says %q, %v; want %q", ask, said.Text(), said.Err(), want)
		}
	}
	fmt.Fprintln(in, "garbage")
	if said.Scan() {
		t.Errorf("of garbage it says %q", said.Text())
	}
	if err := cmd.Wait(); err == nil {
		t.Error("of garbage it ended without an error")
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

func TestFilesOfAFormatThatNothingReads(t *testing.T) {
	if _, err := CountFiles(t.Context(), "parchment", t.TempDir()); err == nil || !strings.Contains(err.Error(), "parchment") {
		t.Errorf("error %v", err)
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

// configVariable makes this test binary a sink process with that configuration.
const configVariable = "TRACETAX_TEST_SINK"

func TestMain(m *testing.M) {
	config := os.Getenv(configVariable)
	if config == "" {
		os.Exit(m.Run())
	}
	var cfg Config
	err := json.Unmarshal([]byte(config), &cfg)
	if err == nil {
		err = Serve(context.Background(), cfg, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process starts a sink process, not yet greeted.
func process(t testing.TB, cfg Config) (*exec.Cmd, io.WriteCloser, io.Reader) {
	t.Helper()
	config, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), configVariable+"="+string(config))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // an error means that it has ended
		_ = cmd.Wait()
	})
	return cmd, in, out
}

// remote starts a sink process and returns the conductor's end of it.
func remote(t testing.TB, cfg Config) (*exec.Cmd, *Remote) {
	t.Helper()
	cmd, in, out := process(t, cfg)
	r, err := NewRemote(in, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return cmd, r
}
