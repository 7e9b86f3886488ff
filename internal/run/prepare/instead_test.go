package prepare

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config/program"
)

// TestInstead: where what a build needs is not there, a program of the PATH stands in for what it makes; where that is not there
// either, both ways of getting it are told.
func TestInstead(t *testing.T) {
	path := t.TempDir()
	ln, err := exec.LookPath("ln")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(ln, filepath.Join(path, "ln")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path)
	s := &program.Service{
		Name: "relay", Needs: []program.Need{{Command: "compiler", Instead: "relay-made", Install: "install a compiler, or a relay"}},
		Build:   program.Build{Run: [][]string{{"compiler", "-o", "{build}/relay"}}},
		Process: program.Process{Run: []string{"{build}/relay"}},
		Files:   fstest.MapFS{"service.yaml": {Data: []byte("x")}, "relay.c": {Data: []byte("x")}},
	}
	if missing := artifact.Missing(s.Needs); len(missing) != 1 || !strings.Contains(missing[0], "compiler is not installed") || !strings.Contains(missing[0], "or a relay") {
		t.Errorf("with neither: %q", missing)
	}
	made := filepath.Join(path, "relay-made")
	if err := os.WriteFile(made, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if missing := artifact.Missing(s.Needs); len(missing) != 0 {
		t.Errorf("with a relay: %q", missing)
	}
	store, err := artifact.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := BuildService(t.Context(), store, s, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "relay")); err != nil || to != made {
		t.Errorf("what is run is %q, %v, want a link to %s", to, err, made)
	}
	if err := os.WriteFile(filepath.Join(path, "compiler"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := artifact.Instead(s.Needs); got != "" {
		t.Errorf("with a compiler %s stands in", got)
	}
}
