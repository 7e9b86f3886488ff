package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestActionsExample runs the steps of the workflow in docs, as GitHub does, with a
// tracetax that ends with each status: a budget of the experiment's own must not
// keep the comparison from being made.
func TestActionsExample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "github-actions.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Env  map[string]string
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	step := func(name string) string {
		for _, s := range workflow.Jobs["compare"].Steps {
			if strings.HasPrefix(s.Name, name) {
				return s.Run
			}
		}
		t.Fatalf("there is no step %q", name)
		return ""
	}
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("bin/tracetax", "#!/bin/sh\nexit $STATUS\n")
	write("after/"+workflow.Env["EXPERIMENT"], "new")
	write("after/"+workflow.Env["FOLDER"]+"/users.csv", "id")
	write("before/"+workflow.Env["FOLDER"]+"/old.csv", "id")
	run := func(name, status string) bool {
		c := exec.Command("sh", "-e", "-c", step(name))
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "STATUS="+status, "RUNNER_TEMP="+dir,
			"EXPERIMENT="+workflow.Env["EXPERIMENT"], "FOLDER="+workflow.Env["FOLDER"], "BUDGET=cpu=5%", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
		return c.Run() == nil
	}
	for _, name := range []string{"Measure the base", "Measure the pull", "Compare"} {
		for status, want := range map[string]bool{"0": true, "1": false, "2": false, "3": name != "Compare", "4": true} {
			if got := run(name, status); got != want {
				t.Errorf("%s: with status %s it goes on: %t, want %t", name, status, got, want)
			}
		}
	}
	if !run("One experiment", "0") || !run("Build", "0") {
		t.Error("a step before the measurements fails")
	}
	if !isFile(filepath.Join(dir, "before", workflow.Env["FOLDER"], "users.csv")) || isFile(filepath.Join(dir, "before", workflow.Env["FOLDER"], "old.csv")) {
		t.Error("the data files of the experiment are not those of the pull request on both sides")
	}
}
