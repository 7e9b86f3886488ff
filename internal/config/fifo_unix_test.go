//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A named pipe in the place of a file of request data is refused: to open one would
// wait for a writer.
func TestDataIsNoNamedPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := filesExperiment(t, dir, `{request: "GET /{data.user}", data: pipe.csv}`)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), `data: "pipe.csv" is not a file`) {
			t.Errorf("%v", err)
		}
	case <-time.After(30 * time.Second): // only where it hangs
		t.Fatal("opening a named pipe hangs")
	}
}
