package prepare

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/process/keeper"
	"github.com/tracetax/tracetax/internal/spec"
)

// TestMain makes the test binary serve as the keeper of what is built.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "agent" && os.Args[2] == "keep" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		if err := keeper.Keep(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// Without its program a process that is not traced would run the one that is.
func TestFetchPlainBuildFails(t *testing.T) {
	plan := &spec.Plan{
		Build: spec.Build{Run: [][]string{{"true"}}},
		Plain: spec.Build{Run: [][]string{{"sh", "-c", "echo no plain program; exit 3"}}},
	}
	w := &spec.Workload{Files: fstest.MapFS{"main.txt": {Data: []byte("x")}}}
	_, err := fetch(t.Context(), func() (*artifact.Store, error) { return artifact.Open(t.TempDir()) }, w, &spec.Tracer{}, plan, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no plain program") {
		t.Errorf("error %v, want that of the build of processes that are not traced", err)
	}
}
