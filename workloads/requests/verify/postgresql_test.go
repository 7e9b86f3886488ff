package verify_test

// The real database, started as the service postgresql starts it.

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// startPostgreSQL returns the URL of a server that ends with the test.
func startPostgreSQL(t *testing.T) string {
	t.Helper()
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres"); len(found) == 0 {
		if _, err := exec.LookPath("postgres"); err != nil {
			const reason = "PostgreSQL is not installed (Debian: postgresql)"
			if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
				t.Fatal(reason)
			}
			t.Skip(reason)
		}
	}
	port := freePort(t)
	dir, err := os.MkdirTemp("", "tracetax-verify-") // t.TempDir is closed to the user that PostgreSQL runs as
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })

	service := "../../../services/postgresql"
	cmd := exec.Command("sh", service+"/start.sh", filepath.Join(dir, "db"), port)
	cmd.Env = append(os.Environ(), "SCHEMA="+service+"/world.sql")
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	var log []string
	ready := false
	for !ready && lines.Scan() {
		log = append(log, lines.Text())
		ready = strings.HasPrefix(lines.Text(), "postgresql: ready")
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // where it has ended, Wait says how
		for lines.Scan() {
			log = append(log, lines.Text())
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the database server: %v\n%s", err, strings.Join(log, "\n"))
		}
	})
	if !ready {
		t.Fatalf("the database server is not ready:\n%s", strings.Join(log, "\n"))
	}
	return "postgres://postgres@127.0.0.1:" + port + "/postgres?sslmode=disable"
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
