package artifact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
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
