package artifact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
)

// Some programs write their version in colours into a pipe too.
func TestVersionsAreBare(t *testing.T) {
	dir := t.TempDir()
	colourful := filepath.Join(dir, "colourful")
	if err := os.WriteFile(colourful, []byte("#!/bin/sh\nprintf '\\033[1mColourful 3.8.7\\033[m\\nHome: x\\n'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if got := Versions(t.Context(), []config.Need{{Command: "colourful"}})["colourful"]; got != "Colourful 3.8.7" {
		t.Errorf("%q", got)
	}
}

func TestVersions(t *testing.T) {
	got := Versions(t.Context(), []config.Need{{Command: "go"}, {Command: "no-such-command"}, {Reason: "cannot be had"}})
	if !strings.HasPrefix(got["go"], "go version go1.") || got["no-such-command"] != "not known" || len(got) != 2 {
		t.Errorf("%v", got)
	}
}
