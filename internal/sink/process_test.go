package sink

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

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
