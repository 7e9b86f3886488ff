package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tested is what 'go test -json' writes over a package with one test, whose body is given.
func tested(t *testing.T, body string) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module small\n\ngo 1.26\n",
		"one/one_test.go": "package one\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar exit = os.Exit\n\nfunc TestOne(t *testing.T) {\n" + body + "\n}\n",
		"none/nothing.go": "package none\n",
		"two/two_test.go": "package two\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-json", "-timeout", "5s", "./...")
	c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=")
	events, err := c.Output()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return events
}

func TestFilter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body   string
		says   []string // all of these; nothing of what is hidden
		failed bool
		timed  []string
	}{
		"it passes": {body: `t.Log("hidden"); t.Run("part", func(t *testing.T) { t.Log("hidden"); t.Run("slow", func(t *testing.T) { t.Parallel() }) })`,
			says: []string{"ok  \tsmall/one\t"}, timed: []string{"TestOne", "TestOne/part/slow"}},
		"it fails":          {body: `t.Log("before"); t.Error("broken")`, says: []string{"before", "broken", "--- FAIL: TestOne", "FAIL\tsmall/one\t"}, failed: true, timed: []string{"TestOne"}},
		"a part fails":      {body: `t.Run("well", func(t *testing.T) { t.Log("hidden") }); t.Run("ill", func(t *testing.T) { t.Fatal("broken") })`, says: []string{"broken", "--- FAIL: TestOne/ill"}, failed: true},
		"it panics":         {body: `panic("out of order")`, says: []string{"panic: out of order", "one_test.go"}, failed: true},
		"it exits":          {body: `println("last words"); exit(3)`, says: []string{"last words", "FAIL\tsmall/one\t"}, failed: true},
		"it hangs":          {body: `select {}`, says: []string{"panic: test timed out", "TestOne"}, failed: true},
		"it does not build": {body: `nonsense`, says: []string{"undefined: nonsense", "[build failed]"}, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, times strings.Builder
			passed, err := filter(bytes.NewReader(tested(t, test.body)), &out, &times)
			if err != nil || passed == test.failed {
				t.Errorf("passed: %t, %v", passed, err)
			}
			for _, says := range append(test.says, "ok  \tsmall/two\t") {
				if !strings.Contains(out.String(), says) {
					t.Errorf("it does not say %q:\n%s", says, &out)
				}
			}
			if strings.Contains(out.String(), "hidden") || strings.Contains(out.String(), "small/none") || strings.Contains(out.String(), "===") {
				t.Errorf("it says too much:\n%s", &out)
			}
			var timed []string
			for line := range strings.Lines(times.String()) {
				if fields := strings.Fields(line); fields[1] == "small/one" {
					timed = append(timed, fields[2])
				}
			}
			if slices.Sort(timed); test.timed != nil && !slices.Equal(timed, test.timed) || !strings.Contains(times.String(), "0.00 small/two TestTwo\n") {
				t.Errorf("times: %q", &times)
			}
		})
	}
}

// Events that end too soon are of a test that failed, and what it said is printed.
func TestFilterOfAPart(t *testing.T) {
	t.Parallel()
	whole := tested(t, `println("last words")`)
	at := bytes.Index(whole, []byte(`"Action":"pass"`))
	var out, times strings.Builder
	passed, err := filter(bytes.NewReader(whole[:bytes.LastIndexByte(whole[:at], '\n')+1]), &out, &times)
	if err != nil || passed || !strings.Contains(out.String(), "never ended") {
		t.Errorf("passed: %t, %v:\n%s", passed, err, &out)
	}
}
