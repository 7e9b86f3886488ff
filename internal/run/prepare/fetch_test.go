package prepare

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process/supervisor"
)

// TestMain makes the test binary serve as the keeper of what is built.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "agent" && os.Args[2] == "keep" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		if err := supervisor.Keep(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A tracer that pins no packages has its own folder in {tracer}; where there is none, the word is no path at the root.
func TestFetchOwnTracer(t *testing.T) {
	plan := &config.Plan{Variant: "mine", Processes: []program.Process{{Name: "app", Run: []string{"{tracer}/attach", "app"}}}}
	open := func() (*artifact.Store, error) { return artifact.Open(t.TempDir()) }
	files := fstest.MapFS{"tracer.yaml": {Data: []byte("x")}, "attach": {Data: []byte("\x7fELF"), Mode: 0o755}}
	folders, err := fetch(t.Context(), open, &program.Workload{}, &program.Tracer{Name: "own", Files: files}, plan, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(folders.Tracer, "attach")); err != nil || info.Mode()&0o111 == 0 || folders.Tracer == "" {
		t.Errorf("{tracer} is %q: %v, %v; want a folder with attach, which can be run", folders.Tracer, info, err)
	}
	if err := folders.nothing(plan); err != nil {
		t.Error(err)
	}
	none, err := fetch(t.Context(), open, &program.Workload{}, &program.Tracer{Name: program.NoTracer}, plan, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := none.nothing(plan); err == nil {
		t.Errorf("{tracer} is %q, and nobody complains", none.Tracer)
	}
}

// A tracer that is built has what its build made in {tracer}, and its build sees the tracer's own files.
func TestFetchBuiltTracer(t *testing.T) {
	plan := &config.Plan{Variant: "mine"}
	open := func() (*artifact.Store, error) { return artifact.Open(t.TempDir()) }
	own := &program.Tracer{
		Name: "own", Files: fstest.MapFS{"tracer.yaml": {Data: []byte("x")}, "Agent.java": {Data: []byte("class Agent {}")}},
		Build: program.Build{Run: [][]string{{"cp", "Agent.java", "{build}/agent.jar"}}},
	}
	folders, err := fetch(t.Context(), open, &program.Workload{}, own, plan, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(folders.Tracer, "agent.jar")); err != nil || string(text) != "class Agent {}" {
		t.Errorf("{tracer} is %q, and its agent %q: %v", folders.Tracer, text, err)
	}
	own.Build.Run = [][]string{{"sh", "-c", "echo no such class; exit 3"}}
	if _, err := fetch(t.Context(), open, &program.Workload{}, own, plan, io.Discard); err == nil || !strings.Contains(err.Error(), "no such class") {
		t.Errorf("error %v, want that of the tracer's build", err)
	}
}

// Without its program a process that is not traced would run the one that is.
func TestFetchPlainBuildFails(t *testing.T) {
	plan := &config.Plan{
		Build: program.Build{Run: [][]string{{"true"}}},
		Plain: program.Build{Run: [][]string{{"sh", "-c", "echo no plain program; exit 3"}}},
	}
	w := &program.Workload{Files: fstest.MapFS{"main.txt": {Data: []byte("x")}}}
	_, err := fetch(t.Context(), func() (*artifact.Store, error) { return artifact.Open(t.TempDir()) }, w, &program.Tracer{}, plan, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no plain program") {
		t.Errorf("error %v, want that of the build of processes that are not traced", err)
	}
}
