// The real Scouter server behind the sink. Its protocol answers nothing to an agent; it is
// asked as its clients ask it what it has stored.

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// scouter is a running server.
type scouter struct {
	address string // for datagrams and for connections
	stored  []string
}

// scouterServer fetches the server, starts it and waits until it answers. Whoever asks it
// keeps its connection no longer than that takes.
func scouterServer(t *testing.T) scouter {
	t.Helper()
	jars := filepath.Join(serverJars(t, "scouter"), "*")
	classes, home := t.TempDir(), t.TempDir()
	execute(t, testdata(t, "scouter"), "javac", "-cp", jars, "-d", classes, "Stored.java")
	s := scouter{address: freeAddresses(t, 1)[0]}
	host, port := hostPort(t, s.address)
	s.stored = []string{"-Xint", "-cp", classes + ":" + jars, "Stored", host, port}
	config := filepath.Join(home, "scouter.conf")
	text := fmt.Sprintf("net_udp_listen_ip=%[1]s\nnet_tcp_listen_ip=%[1]s\nnet_udp_listen_port=%[2]s\nnet_tcp_listen_port=%[2]s\nreq_search_xlog_max_count=%[3]d\nmgr_purge_enabled=false\n", host, port, 10*agentCalls)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Dscouter.config="+config, "-cp", jars, "scouter.server.Main")
	c.Dir = home // where it makes its folders
	ended := startServer(t, "Scouter's server", c)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		_, _, err := s.has(t)
		if err == nil {
			return s
		}
		select {
		case ended := <-ended:
			t.Fatalf("Scouter's server ended: %v", ended)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("Scouter's server does not answer: %v", err)
		}
	}
}

// has asks the server how many XLogs it has, and how many calls of methods in their profiles.
func (s scouter) has(t *testing.T) (xlogs, calls int, err error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "java", s.stored...).Output()
	if ended := new(exec.ExitError); errors.As(err, &ended) {
		return 0, 0, fmt.Errorf("%w: %s", err, ended.Stderr)
	}
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscan(string(out), &xlogs, &calls); err != nil {
		return 0, 0, fmt.Errorf("reading %q: %w", out, err)
	}
	return xlogs, calls, nil
}
