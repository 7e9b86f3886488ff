// A tracetax that is killed while it builds, at any moment.

package artifact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// markVariable is in the environment of all processes of one test, and what it says
// among the arguments of those that hide theirs.
const markVariable = "BUILD_MARK"

// slowBuild is a build that does not end before the file at $GO is there. It starts a
// compiler, which starts others: one in a session of its own, one whose parent is gone.
// All of them write, until they are killed, into the result, the sources and the folder
// for temporary files.
func slowBuild(self, mark, begin string) BuildRequest {
	return BuildRequest{
		Files:    fstest.MapFS{"main.c": {Data: []byte("int main;")}},
		Commands: [][]string{{self, "agent", "relative", mark, "main", "{build}", begin}},
	}
}

// buildAlone is a tracetax that sweeps and builds: agent build STORE MARK BEGIN.
func buildAlone(ctx context.Context) error {
	s, err := Open(os.Args[3])
	if err != nil {
		return err
	}
	if err := s.Sweep(); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := s.Build(ctx, slowBuild(self, os.Args[4], os.Args[5]), nil)
	if err == nil {
		fmt.Println(dir)
	}
	return err
}

// relative is a process of the slow build: agent relative MARK WHICH FOLDER BEGIN.
func relative(context.Context) error {
	mark, which, into, begin := os.Args[3], os.Args[4], os.Args[5], os.Args[6]
	child := func(which string, session bool, wait bool) error {
		c := exec.Command(os.Args[0], "agent", "relative", mark, which, into, begin)
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
		if session {
			c.Env = []string{"TMPDIR=" + os.TempDir()} // it hides where it comes from
		}
		if wait {
			return c.Run()
		}
		return c.Start()
	}
	switch which {
	case "main":
		if _, err := os.Stat(begin); err == nil { // the test is over: be quick
			return os.WriteFile(filepath.Join(into, "result"), []byte("whole"), 0o644)
		}
		if err := errors.Join(child("compiler", false, false), child("parent", false, true)); err != nil {
			return err
		}
	case "compiler":
		if err := child("daemon", true, false); err != nil {
			return err
		}
	case "parent":
		return child("orphan", true, false)
	}
	for n := 0; ; n++ {
		for _, dir := range []string{into, os.TempDir(), "."} {
			// A folder that is gone before its writer would be the fault that is looked for;
			// what it says nobody reads, the leftovers do.
			_ = os.WriteFile(filepath.Join(dir, fmt.Sprint(which, n%50)), []byte("half"), 0o644)
		}
		time.Sleep(time.Millisecond)
	}
}

// marked lists the living processes of a test.
func marked(mark string) []int {
	var found []int
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range folders {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // it may have ended
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if bytes.Contains(env, []byte(markVariable+"="+mark+"\x00")) || bytes.Contains(args, []byte(mark+"\x00")) {
			if stat, err := os.ReadFile(filepath.Join(dir, "stat")); err == nil && !strings.Contains(string(stat), ") Z ") {
				found = append(found, pid)
			}
		}
	}
	return found
}

// awaitNone waits until no process of the test lives.
func awaitNone(t *testing.T, mark string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		left := marked(mark)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL) // so the test leaves none
			}
			t.Fatalf("processes %v outlive the tracetax that was killed", left)
		}
	}
}

// awaitEnd waits until no process of the test lives, and none holds a lock: one that is ending has no memory any more, so
// that nothing tells it apart, while its files are still open.
func (p *place) awaitEnd(t *testing.T) {
	t.Helper()
	awaitNone(t, p.mark)
	locks, err := filepath.Glob(filepath.Join(p.temporary, "*.lock"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range locks {
		file, err := os.Open(path)
		if err != nil {
			continue // it is swept already
		}
		for end := time.Now().Add(time.Minute); syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s is still locked, though no process of the test lives", path)
			}
		}
		if err := file.Close(); err != nil { // and with it the lock
			t.Error(err)
		}
	}
}

// place is where the tracetaxes of one test build.
type place struct {
	store, temporary, mark, begin string
	written                       bytes.Buffer
}

func newPlace(t *testing.T) *place {
	dir := t.TempDir()
	p := &place{store: filepath.Join(dir, "store"), temporary: filepath.Join(dir, "tmp"), begin: filepath.Join(dir, "begin")}
	p.mark = fmt.Sprintf("mark-%d-%d", os.Getpid(), rand.Uint64())
	if err := os.Mkdir(p.temporary, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// start starts a tracetax that builds.
func (p *place) start(t *testing.T) *exec.Cmd {
	t.Helper()
	c := exec.Command(self(t), "agent", "build", p.store, p.mark, p.begin)
	c.Env = append(os.Environ(), "TMPDIR="+p.temporary, markVariable+"="+p.mark, "GORACE=atexit_sleep_ms=0")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stderr = &p.written
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // in most tests it has ended long since
		_ = c.Wait()
	})
	return c
}

// kinship is how many processes a slow build comes to: tracetax, its keeper, the main
// process, the compiler, the daemon and the orphan.
const kinship = 6

// awaitKin waits until there are so many processes of the test.
func (p *place) awaitKin(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); len(marked(p.mark)) < want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there are only the processes %v of %d", marked(p.mark), want)
		}
	}
}

// halfMade lists what is neither a result nor a lock.
func (p *place) halfMade(t *testing.T) []string {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(p.store, "*", "*"+partName+"*"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(p.temporary)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		parts = append(parts, entry.Name())
	}
	return parts
}

// finish starts a tracetax that sweeps and succeeds.
func (p *place) finish(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(p.begin, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p.written.Reset()
	if err := p.start(t).Wait(); err != nil {
		t.Fatalf("the next tracetax: %v\n%s", err, p.written.String())
	}
	results, err := filepath.Glob(filepath.Join(p.store, "build", "*", "*"))
	if err != nil || len(results) != 1 || read(t, results[0]) != "whole" {
		t.Errorf("the results are %v, %v", results, err)
	}
}

// swept checks that nothing half made is there.
func (p *place) swept(t *testing.T) {
	t.Helper()
	if left := p.halfMade(t); len(left) > 0 {
		t.Errorf("half made, and not swept: %v", left)
	}
}

// kills is how many tracetaxes are killed at random moments.
const kills = 12

func TestKilledBuilds(t *testing.T) {
	p := newPlace(t)
	var late, between int
	for i := range kills {
		c := p.start(t)
		// A moment is a number of processes, and a little more.
		p.awaitKin(t, 1+i%kinship)
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		if err := c.Process.Kill(); err != nil {
			t.Fatalf("it has ended before it was killed: %v\n%s", err, p.written.String())
		}
		_ = c.Wait() // it was killed
		p.awaitEnd(t)
		if left := p.halfMade(t); len(left) > 0 {
			late++
		} else {
			between++
		}
	}
	t.Logf("%d left something half made, %d did not", late, between)
	if late == 0 {
		t.Error("no kill came in the middle of a build")
	}
	// The last one's processes may still be ending when the next one comes.
	c := p.start(t)
	p.awaitKin(t, kinship)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.finish(t)
	p.awaitEnd(t)
	p.finish(t) // sweeps what was still held the time before
	p.swept(t)
}

// TestSweepWaitsForTheDying stops the keeper of a tracetax that is killed: as long as
// processes of the build may write, nothing of theirs is swept.
func TestSweepWaitsForTheDying(t *testing.T) {
	p := newPlace(t)
	t.Setenv("TMPDIR", p.temporary)
	s, err := Open(p.store)
	if err != nil {
		t.Fatal(err)
	}
	c := p.start(t)
	p.awaitKin(t, kinship)
	keeper := 0
	for _, pid := range marked(p.mark) {
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.HasSuffix(args, []byte("agent\x00keep\x00")) {
			keeper = pid
		}
	}
	if keeper == 0 {
		t.Fatal("the build has no keeper")
	}
	if err := syscall.Kill(keeper, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	before := p.halfMade(t)
	if err := c.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = c.Wait() // it was killed
	err = s.Sweep()
	if after := p.halfMade(t); err != nil || len(before) < 3 || len(after) != len(before) {
		t.Errorf("of %v there is %v, %v", before, after, err)
	}
	if err := syscall.Kill(keeper, syscall.SIGCONT); err != nil {
		t.Error(err)
	}
	p.awaitEnd(t)
	if err := s.Sweep(); err != nil {
		t.Error(err)
	}
	p.swept(t)
}

// TestInterruptedBuilds sends what Ctrl-C in a terminal sends: SIGINT to the whole
// group of tracetax. It cleans up by itself.
func TestInterruptedBuilds(t *testing.T) {
	p := newPlace(t)
	for i := range kinship - 2 {
		c := p.start(t)
		p.awaitKin(t, kinship-i)
		if err := syscall.Kill(-c.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		var ended *exec.ExitError
		if err := c.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 1 {
			t.Errorf("the interrupted tracetax: %v", err)
		}
		if left := marked(p.mark); len(left) > 0 {
			t.Errorf("processes %v outlive the tracetax that was interrupted", left)
		}
		p.awaitEnd(t)
		p.swept(t)
	}
	p.finish(t)
	p.swept(t)
}

// TestSweepSparesTheLiving has tracetaxes start and sweep while others are at work.
func TestSweepSparesTheLiving(t *testing.T) {
	p := newPlace(t)
	t.Setenv("TMPDIR", p.temporary)
	s, err := Open(p.store)
	if err != nil {
		t.Fatal(err)
	}
	var swept atomic.Int64
	done := make(chan struct{})
	over := make(chan error, 1)
	go func() {
		var errs error
		for {
			select {
			case <-done:
				over <- errs
				return
			default:
				errs = errors.Join(errs, s.Sweep())
				swept.Add(1)
			}
		}
	}()
	for n := range 8 {
		q := BuildRequest{Files: fstest.MapFS{"a": {}}, Commands: [][]string{
			{"sh", "-e", "-c", fmt.Sprintf("test -f a; echo %d > {build}/one; echo x > $TMPDIR/x; sleep 0.01; test -f a; test -f $TMPDIR/x; cp {build}/one {build}/two", n)}}}
		before := swept.Load()
		if _, err := s.Build(t.Context(), q, nil); err != nil {
			t.Errorf("a build beside a sweep: %v", err)
		}
		if swept.Load() == before {
			t.Logf("build %d saw no sweep", n)
		}
	}
	close(done)
	if err := <-over; err != nil {
		t.Errorf("sweeping: %v", err)
	}
	p.swept(t)
}

// What nobody wants any more is swept too, and so is what the Go command protects.
func TestSweep(t *testing.T) {
	p := newPlace(t)
	t.Setenv("TMPDIR", p.temporary)
	s, err := Open(p.store)
	if err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(p.store, "build", "forgotten"+partName+"1", "mod", "sub")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	left, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(deep, 0o555), os.Chmod(filepath.Dir(deep), 0o555), os.WriteFile(left.path("x"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(p.temporary, scratchName+"of-somebody") // without a lock
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left.path("x")); err != nil {
		t.Errorf("the folder of one who lives: %v", err)
	}
	if err := left.lock.Close(); err != nil { // now it is as if its maker had died
		t.Fatal(err)
	}
	if err := s.Sweep(); err != nil {
		t.Fatal(err)
	}
	if left := p.halfMade(t); len(left) != 1 || left[0] != filepath.Base(foreign) {
		t.Errorf("there is %v, want %s alone", left, foreign)
	}
}
