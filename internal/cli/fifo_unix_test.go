//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/cli/console"
)

// A named pipe in the place of a file is refused: to open one would wait for a
// writer, and no signal would end that.
func TestNamedPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	result := filepath.Join(dir, "result")
	if err := os.Mkdir(result, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, pipe + ".yaml", filepath.Join(result, "findings.json")} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"load", "http://127.0.0.1:1/{data.id}", "--data-file", pipe},
		{"load", "http://127.0.0.1:1/", "--body", "@" + pipe},
		{"load", "grpc://127.0.0.1:1/a.B/C", "--data", "@" + pipe},
		{"load", "grpc://127.0.0.1:1/a.B/C", "--protoset", pipe},
		{"load", "https://127.0.0.1:1/", "--cacert", pipe},
		{"compare", pipe, pipe},
		{"compare", result, result},
		{"report", result},
		{"validate", pipe + ".yaml"},
	} {
		done := make(chan string, 1)
		go func() {
			var out, errOut strings.Builder
			if status := Main(args, strings.NewReader(""), &out, &errOut); status == console.Fine {
				t.Errorf("%q: status %d", args, status)
			}
			done <- errOut.String()
		}()
		select {
		case got := <-done:
			if !strings.Contains(got, "regular file") {
				t.Errorf("%q: %s", args, got)
			}
		case <-time.After(30 * time.Second): // only where it hangs
			t.Fatalf("%q hangs", args)
		}
	}
}
