package artifact

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config"
)

var goBuild = [][]string{{"go", "build", "-o", "{build}/program", "."}}

func program(main string) fstest.MapFS {
	return fstest.MapFS{
		"go.mod.embed": {Data: []byte("module program\n\ngo 1.24\n")},
		"main.go":      {Data: []byte(main)},
	}
}

func TestBuildOfAGoProgram(t *testing.T) {
	files := program("package main\n\nfunc main() { println(\"hello\") }\n")
	dir, err := open(t).Build(t.Context(), BuildRequest{Files: files, Commands: goBuild, Env: map[string]string{"GOWORK": "off"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(dir, "program")).CombinedOutput()
	if err != nil || string(out) != "hello\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
}

func TestFailingBuildShowsTheCompilersWords(t *testing.T) {
	s := open(t)
	files := program("package main\n\nfunc main() { nothing() }\n")
	var progress bytes.Buffer
	_, err := s.Build(t.Context(), BuildRequest{Files: files, Commands: goBuild}, &progress)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"building the program: go build", "main.go:3:15: undefined: nothing"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if want := "building the program with go\n"; progress.String() != want {
		t.Errorf("progress %q, want %q", progress.String(), want)
	}
	_, path, named := strings.Cut(err.Error(), "all that it said: ")
	if log, err := os.ReadFile(path); !named || err != nil || !strings.Contains(string(log), "undefined: nothing") {
		t.Errorf("log %q of %q, %v", log, path, err)
	}
	if left := folders(t, s, "build"); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestBuildWithAToolThatIsNotThere(t *testing.T) {
	_, err := open(t).Build(t.Context(), BuildRequest{Files: fstest.MapFS{}, Commands: [][]string{{"no-such-compiler"}}}, nil)
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "no-such-compiler") {
		t.Errorf("error %v", err)
	}
}

// TestWhatMakesABuildAnew counts the builds by what they append to a file.
func TestWhatMakesABuildAnew(t *testing.T) {
	base := func(log string) BuildRequest {
		return BuildRequest{
			Files:    fstest.MapFS{"src/a.c": {Data: []byte("1")}, "workload.yaml": {Data: []byte("x")}},
			Env:      map[string]string{"LOG": log},
			Commands: [][]string{{"sh", "-c", "echo built >> $LOG; cp src/* {build}"}},
		}
	}
	for _, test := range []struct {
		name   string
		change func(*BuildRequest)
		builds int
	}{
		{"nothing", func(*BuildRequest) {}, 1},
		{"the description of the workload", func(q *BuildRequest) { q.Files.(fstest.MapFS)["workload.yaml"].Data = []byte("y") }, 1},
		{"a source", func(q *BuildRequest) { q.Files.(fstest.MapFS)["src/a.c"].Data = []byte("2") }, 2},
		{"one more source", func(q *BuildRequest) { q.Files.(fstest.MapFS)["src/b.c"] = &fstest.MapFile{} }, 2},
		{"a command", func(q *BuildRequest) { q.Commands = append(q.Commands, []string{"true"}) }, 2},
		{"where one argument ends", func(q *BuildRequest) { q.Commands[0] = append(q.Commands[0], "a b") }, 2},
		{"a variable", func(q *BuildRequest) { q.Env["MORE"] = "1" }, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, log := open(t), filepath.Join(t.TempDir(), "log")
			if _, err := s.Build(t.Context(), base(log), nil); err != nil {
				t.Fatal(err)
			}
			q := base(log)
			test.change(&q)
			if _, err := s.Build(t.Context(), q, nil); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(read(t, log), "built"); n != test.builds {
				t.Errorf("%d builds, want %d", n, test.builds)
			}
		})
	}
}

// self is the file of this test.
func self(t *testing.T) string {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestIdentify: a build in Java is made again under another JDK, whichever tool runs it.
func TestIdentify(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho Apache Maven 3\necho Java version: $JDK\necho OS name: linux, version: $KERNEL\n"
	if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	says := func(env map[string]string) string {
		said, err := identify(t.Context(), "mvn", env)
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	one := says(map[string]string{"JDK": "17", "KERNEL": "6"})
	if !strings.Contains(one, "Java version: 17") {
		t.Errorf("says %q", one)
	}
	if one != says(map[string]string{"JDK": "17", "KERNEL": "7"}) {
		t.Error("another kernel makes another build")
	}
	if one == says(map[string]string{"JDK": "21", "KERNEL": "6"}) {
		t.Error("another JDK makes the same build")
	}
}

func TestMissing(t *testing.T) {
	got := Missing([]config.Need{
		{Command: "sh"},
		{Command: "no-such-command", Install: "apt-get install it"},
		{Reason: "it needs a kernel of 2040"},
		{Command: "no-such-command", Also: filepath.Join(t.TempDir(), "*")},
		{Command: "no-such-command", Also: filepath.Join(filepath.Dir(self(t)), "*")},
	})
	want := []string{"no-such-command is not installed, or not on the PATH: apt-get install it", "it needs a kernel of 2040",
		"no-such-command is not installed, or not on the PATH"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	tail := &tail{limit: 4}
	for _, b := range []string{"ab", "cd", "ef"} {
		if n, err := tail.Write([]byte(b)); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
	}
	if tail.String() != "…cdef" {
		t.Errorf("kept %q", tail)
	}
}
