package artifact

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config/program"
)

var goBuild = [][]string{{"go", "build", "-o", "{build}/program", "."}}

func goProgram(main string) fstest.MapFS {
	return fstest.MapFS{
		"go.mod.embed": {Data: []byte("module program\n\ngo 1.24\n")},
		"main.go":      {Data: []byte(main)},
	}
}

func TestBuildOfAGoProgram(t *testing.T) {
	files := goProgram("package main\n\nfunc main() { println(\"hello\") }\n")
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
	files := goProgram("package main\n\nfunc main() { nothing() }\n")
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
	got := Missing([]program.Need{
		{Command: "sh"},
		{Command: "no-such-command", Install: "apt-get install it"},
		{Reason: "it needs a kernel of 2040"},
		{Command: "no-such-command", Also: filepath.Join(t.TempDir(), "*")},
		{Command: "no-such-command", Also: filepath.Join(filepath.Dir(self(t)), "*")},
		{Command: "sh", Try: "-c true", Else: "become root"},
		{Command: "expr", Try: "1 / 0", Else: "become root"},
		{Command: "no-such-command", Try: "-c true", Else: "become root"},
	})
	want := []string{"no-such-command is not installed, or not on the PATH: apt-get install it", "it needs a kernel of 2040",
		"no-such-command is not installed, or not on the PATH", "expr cannot do its work here (expr: division by zero): become root", "no-such-command is not installed, or not on the PATH"}
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

// A checkout has its commit, and is dirty once a file that git knows has changed; new files, such as results, do not count.
func TestCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		missing(t, "needs git")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	dir := t.TempDir()
	if got := CheckoutOf(t.Context(), dir); got != nil {
		t.Errorf("of no checkout: %+v", got)
	}
	file := filepath.Join(dir, "shop.py")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=tracetax", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "--quiet")
	if got := CheckoutOf(t.Context(), dir); got != nil {
		t.Errorf("without a commit: %+v", got)
	}
	write(file, "print(1)\n")
	git("add", ".")
	git("commit", "--quiet", "-m", "A shop")
	write(filepath.Join(dir, "findings.json"), "{}")
	clean := CheckoutOf(t.Context(), dir)
	if clean == nil || clean.Dirty || len(clean.Commit) < 40 {
		t.Fatalf("a clean one: %+v", clean)
	}
	write(file, "print(2)\n")
	if got := CheckoutOf(t.Context(), filepath.Join(dir, ".")); got == nil || !got.Dirty || got.Commit != clean.Commit {
		t.Errorf("a changed one: %+v, before %+v", got, clean)
	}
}

// Colours that a program writes whatever it is told do not reach a file or a log.
func TestProgressIsPlain(t *testing.T) {
	log := open(t).newLog("build", "x")
	const script = `printf '\033[0m'; printf '\033[1mfetching\033[m agent\n'`
	c := command{at: site{log: log}, args: []string{"sh", "-c", script}}
	err := errors.Join(c.run(t.Context()), log.Close())
	text, readErr := os.ReadFile(log.path)
	if want := "$ sh -c " + colour.ReplaceAllString(script, "") + "\nfetching agent\n"; err != nil || readErr != nil || string(text) != want {
		t.Errorf("%q, %v, %v; want %q", text, err, readErr, want)
	}
}

// The error of a command that failed has its last lines, and names the log that has them all.
func TestCommandErrorNamesItsLog(t *testing.T) {
	log := open(t).newLog("build", "x")
	c := command{at: site{log: log}, args: []string{"sh", "-c", "for i in $(seq 100); do echo line $i; done; exit 3"}}
	err := errors.Join(c.run(t.Context()), log.Close())
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	if strings.Contains(text, "line 80\n") || !strings.Contains(text, "\nline 81\n") || !strings.HasSuffix(text, "\nline 100\nall that it said: "+log.path) {
		t.Error(text)
	}
	if all, err := os.ReadFile(log.path); err != nil || !strings.Contains(string(all), "\nline 1\n") || !strings.HasSuffix(string(all), "\nline 100\n") {
		t.Errorf("%q, %v", all, err)
	}
}

// What a failing command writes reaches neither a terminal nor a log as control characters,
// and not without end.
func TestCommandErrorIsPlain(t *testing.T) {
	const script = `head -c 100000 /dev/zero | tr '\0' x >&2; printf 'a.c:1\r\n\033[2J\007\033]0;title\007end\n' >&2; exit 3`
	c := command{args: []string{"sh", "-c", script}}
	_, asked := c.output(t.Context())
	for _, err := range []error{c.run(t.Context()), asked} {
		if err == nil {
			t.Fatal("no error")
		}
		text := err.Error()
		if len(text) > outputLimit+1000 || !strings.HasSuffix(text, `end`) ||
			strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }) {
			t.Errorf("an error of %d bytes that ends with %q", len(text), text[max(0, len(text)-100):])
		}
	}
}

// Some programs write their version in colours into a pipe too.
func TestVersionsAreBare(t *testing.T) {
	dir := t.TempDir()
	colourful := filepath.Join(dir, "colourful")
	if err := os.WriteFile(colourful, []byte("#!/bin/sh\nprintf '\\033[1mColourful 3.8.7\\033[m\\nHome: x\\n'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if got := Versions(t.Context(), []program.Need{{Command: "colourful"}})["colourful"]; got != "Colourful 3.8.7" {
		t.Errorf("%q", got)
	}
}

func TestVersions(t *testing.T) {
	got := Versions(t.Context(), []program.Need{{Command: "go"}, {Command: "no-such-command"}, {Reason: "cannot be had"}})
	if !strings.HasPrefix(got["go"], "go version go1.") || got["no-such-command"] != "not known" || len(got) != 2 {
		t.Errorf("%v", got)
	}
}
