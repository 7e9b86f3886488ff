package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/process/supervisor"
)

// open returns a store in a folder of the test.
func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpenTakesTheFolderFromTheEnvironment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	t.Setenv(Variable, dir)
	s, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	if s.Dir() != dir {
		t.Errorf("the store is in %s, want %s", s.Dir(), dir)
	}
}

func TestOpenSaysHowToMoveACacheThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "cache")); err == nil || !strings.Contains(err.Error(), Variable) {
		t.Errorf("error %v does not name %s", err, Variable)
	}
}

// TestConcurrentBuildsMakeOneResult has many stores on one folder, as many
// tracetax processes have, want the same thing at once.
func TestConcurrentBuildsMakeOneResult(t *testing.T) {
	dir, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	q := BuildRequest{Files: fstest.MapFS{"a": {}}, Commands: [][]string{
		{"sh", "-c", "echo made >> " + log + "; echo 1 > {build}/one; echo 2 > {build}/two"}}}
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			s, err := Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			out, err := s.Build(t.Context(), q, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := os.Stat(filepath.Join(out, "two")); err != nil {
				t.Error("the folder is not complete: ", err)
			}
		})
	}
	wait.Wait()
	if made := read(t, log); made != "made\n" {
		t.Errorf("the build ran %d times, want once", strings.Count(made, "\n"))
	}
}

// TestInterruptedBuildLeavesNothing ends a build in its middle: neither a folder
// that looks complete, nor a process, nor a lock remains.
func TestInterruptedBuildLeavesNothing(t *testing.T) {
	s := open(t)
	pids := filepath.Join(t.TempDir(), "pid")
	if err := syscall.Mkfifo(pids, 0o600); err != nil {
		t.Fatal(err)
	}
	q := BuildRequest{Files: fstest.MapFS{"a": {}}, Commands: [][]string{
		{"sh", "-c", "echo half > {build}/half; sleep 100 & echo $! > " + pids + "; wait"}}}
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := errors.New("the user ended it")
	ended := make(chan error, 1)
	go func() {
		_, err := s.Build(ctx, q, nil)
		ended <- err
	}()
	child, err := strconv.Atoi(strings.TrimSpace(read(t, pids))) // waits until the build is at work
	if err != nil {
		t.Fatal(err)
	}
	cancel(asked)
	if err := <-ended; !errors.Is(err, asked) {
		t.Errorf("error %v, want the cause of the interruption", err)
	}
	if alive(t, child) {
		t.Errorf("process %d of the build is still there", child)
	}
	if left := folders(t, s, "build"); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}

	q.Commands = [][]string{{"sh", "-c", "echo whole > {build}/half"}}
	if _, err := s.Build(t.Context(), q, nil); err != nil {
		t.Errorf("a build after the interrupted one: %v", err)
	}
}

// alive reports whether a process is there and not merely waiting to be reaped by
// whoever inherited it. The kill has been sent; the end is awaited.
func alive(t *testing.T, pid int) bool {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return false
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return false
		}
	}
	return true
}

func TestLeftoversOfAKilledProcessAreNeverUsed(t *testing.T) {
	s := open(t)
	q := BuildRequest{Files: fstest.MapFS{"a": {}}, Commands: [][]string{{"sh", "-c", "echo ok > {build}/result"}}}
	k, err := q.key(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(s.Dir(), "build", k.text()+".part-1234")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := s.Build(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "result")); got != "ok\n" {
		t.Errorf("result %q", got)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("the unfinished folder is still there")
	}
}

// TestWaitingForTheLockEndsWithTheContext holds the lock as another process does.
func TestWaitingForTheLockEndsWithTheContext(t *testing.T) {
	s := open(t)
	name := filepath.Join(s.Dir(), "lock")
	held, err := lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lock(ctx, name); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := lock(t.Context(), name)
	if err != nil {
		t.Fatal("the lock is not free again: ", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// folders lists the folders, complete or not, on a shelf of the store.
func folders(t *testing.T, s *Store, kind string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Dir(), kind))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestMain makes the test binary serve as the keeper of what it builds, and as a
// tracetax of its own.
func TestMain(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	programs := map[string]func(context.Context) error{"keep": supervisor.Keep, "build": buildAlone, "relative": relative}
	if len(os.Args) > 2 && os.Args[1] == "agent" && programs[os.Args[2]] != nil {
		if err := programs[os.Args[2]](ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	stop()
	os.Exit(m.Run())
}

// missing leaves a test out where a program is not here; where TRACETAX_REQUIRE_PROGRAMS=1 says that all of them are, it
// fails instead.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

func TestSource(t *testing.T) {
	store, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"app.py": {Data: []byte("print()")}, "go.mod.embed": {Data: []byte("module x")}}
	dir, err := store.Source(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || string(text) != "module x" {
		t.Errorf("go.mod: %q, %v", text, err)
	}
	again, err := store.Source(context.Background(), files)
	if err != nil || again != dir {
		t.Errorf("again: %s, %v; want %s", again, err, dir)
	}
	files["app.py"] = &fstest.MapFile{Data: []byte("print(1)")}
	if other, err := store.Source(context.Background(), files); err != nil || other == dir {
		t.Errorf("with other content: %s, %v; want another folder", other, err)
	}
}

// A package counts that a program has in another version than its tracer's folder; however its name is spelled.
func TestShadowed(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		missing(t, "there is no python3")
	}
	own, tracer := t.TempDir(), t.TempDir()
	for _, one := range []struct{ folder, name, version string }{
		{own, "Shop_Rpc", "1.66.2"}, {own, "shop-same", "2"}, {own, "shop-own", "3"},
		{tracer, "shop.rpc", "1.82.1"}, {tracer, "shop_same", "2"}, {tracer, "shop_added", "1"},
	} {
		info := filepath.Join(one.folder, one.name+"-"+one.version+".dist-info")
		if err := os.Mkdir(info, 0o755); err != nil {
			t.Fatal(err)
		}
		text := "Metadata-Version: 2.1\nName: " + one.name + "\nVersion: " + one.version + "\n"
		if err := os.WriteFile(filepath.Join(info, "METADATA"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Shadowed(t.Context(), python, []string{"PYTHONPATH=" + own}, t.TempDir(), tracer)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Shadow{{"shop-rpc", "1.66.2", "1.82.1"}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := Shadowed(t.Context(), filepath.Join(own, "none"), nil, own, tracer); err == nil {
		t.Error("an interpreter that is not there says what it finds")
	}
}

// Who looks learns what the cache has, and makes nothing.
func TestLook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	looking, err := Look(dir)
	if err != nil {
		t.Fatal(err)
	}
	q := BuildRequest{Files: fstest.MapFS{"a": {Data: []byte("1")}}, Commands: [][]string{{"cp", "a", "{build}/a"}}}
	if _, err := looking.Build(t.Context(), q, nil); !errors.Is(err, ErrLacking) {
		t.Errorf("of an empty cache: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking made the cache: %v", err)
	}
	store, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	built, err := store.Build(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := looking.Build(t.Context(), q, nil); err != nil || got != built {
		t.Errorf("%q, %v, want %q", got, err, built)
	}
}
