package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process/proctree"
	"golang.org/x/sys/unix"
)

// jobOf is a job that runs one of the test programs.
func jobOf(program string, args ...string) Job {
	return Job{Name: program, Args: append([]string{os.Args[0]}, args...), Env: append(os.Environ(), "TEST_PROGRAM="+program)}
}

func TestJobOutput(t *testing.T) {
	const script = "echo one; echo two >&2; echo three"
	var out, err strings.Builder
	apart := Job{Name: "sh", Args: []string{"sh", "-c", script}, Stdout: &out, Stderr: &err}
	if e := apart.Run(t.Context()); e != nil || out.String() != "one\nthree\n" || err.String() != "two\n" {
		t.Errorf("apart: %q and %q, %v", out.String(), err.String(), e)
	}
	var both strings.Builder
	together := Job{Name: "sh", Args: []string{"sh", "-c", script}, Stderr: &both}
	if e := together.Run(t.Context()); e != nil || both.String() != "one\ntwo\nthree\n" {
		t.Errorf("together: %q, %v", both.String(), e)
	}
	if e := (Job{Name: "sh", Args: []string{"sh", "-c", script}}).Run(t.Context()); e != nil {
		t.Errorf("thrown away: %v", e)
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestJobSaysWhatFailed(t *testing.T) {
	var failed *JobError
	err := jobOf("say", "hello", "7").Run(t.Context())
	if !errors.As(err, &failed) || failed.Exit.Code != 7 {
		t.Errorf("status 7: %v", err)
	}
	err = Job{Name: "sh", Args: []string{"sh", "-c", "kill -TERM $$"}}.Run(t.Context())
	if !errors.As(err, &failed) || failed.Exit.Signal != syscall.SIGTERM {
		t.Errorf("by a signal: %v", err)
	}
	for name, j := range map[string]Job{
		"stdout": {Name: "echo", Args: []string{"echo", "x"}, Stdout: full{}},
		"stderr": {Name: "echo", Args: []string{"echo", "x"}, Stderr: full{}},
	} {
		if err := j.Run(t.Context()); err == nil || errors.As(err, &failed) {
			t.Errorf("output that cannot be written to %s: %v", name, err)
		}
	}
	if err := (Job{Name: "no", Args: []string{"no-such-command"}}).Run(t.Context()); err == nil {
		t.Error("no error where there is no command")
	}
}

// What a job leaves in the background ends with it; what it had to hold is free then.
func TestJobLeavesNothing(t *testing.T) {
	for _, stay := range []string{"leave", "stay"} {
		t.Run(stay, func(t *testing.T) {
			lock := filepath.Join(t.TempDir(), "lock")
			file, err := os.Create(lock)
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			said, to := io.Pipe()
			j := jobOf("family", stay)
			j.Env = append(j.Env, "JOB_MARK="+lock)
			j.Stdout, j.Held = to, []*os.File{file}
			ctx, cancel := context.WithCancelCause(t.Context())
			asked := errors.New("the user ended it")
			var pids []int
			looked := make(chan struct{})
			go func() {
				defer close(looked)
				lines := bufio.NewReader(said)
				_, _ = lines.ReadString('\n') // the family is complete, or Run says why not
				pids = marked(lock)
				if stay == "stay" {
					cancel(asked)
				}
				_, _ = io.Copy(io.Discard, lines) // until the test closes it
			}()
			err = j.Run(ctx)
			if stay == "stay" && !errors.Is(err, asked) || stay == "leave" && err != nil {
				t.Errorf("error %v", err)
			}
			_ = to.Close()
			<-looked
			if err := file.Close(); err != nil {
				t.Error(err)
			}
			if left := marked(lock); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			awaitEnd(t, pids...)
			again, err := os.Open(lock)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if err := syscall.Flock(int(again.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
				t.Errorf("the lock is not free: %v", err)
			}
		})
	}
}

// A job that is interrupted after its program was started, and before its keeper has said so, leaves nothing: again and
// again, since the moment is a short one.
func TestJobInterruptedAtItsStart(t *testing.T) {
	for range 20 {
		interruptAtStart(t)
	}
}

func interruptAtStart(t *testing.T) {
	dir := t.TempDir()
	begun := filepath.Join(dir, "begun")
	// The keeper's reports come through a shell that never passes one on.
	silent := fmt.Sprintf(`exec %q "$@" 4> >(read -r; exec sleep 3600)`, os.Args[0])
	j := Job{
		Name: "sh",
		Args: []string{"sh", "-c", "setsid env -i sleep 3600 & echo $! > half && mv half " + begun + "; wait"},
		Dir:  dir,
		Self: []string{"bash", "-c", silent, "keeper"},
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := errors.New("the user ended it")
	var orphan int
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		defer cancel(asked)
		orphan = awaitNumber(t, begun)
	}()
	if err := j.Run(ctx); !errors.Is(err, asked) {
		t.Errorf("error %v", err)
	}
	<-looked
	if orphan != 0 && proctree.Running(orphan) {
		_ = syscall.Kill(orphan, syscall.SIGKILL) // so the test leaves none
		t.Errorf("process %d outlives a job that was interrupted", orphan)
	}
}

// awaitNumber waits for a file, and returns the number in it.
func awaitNumber(t *testing.T, path string) int {
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(path)
		if n, bad := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && bad == nil {
			return n
		}
		if time.Now().After(end) {
			t.Errorf("waiting for %s: %v", path, err)
			return 0
		}
	}
}

// marked lists the processes with JOB_MARK in their environment.
func marked(mark string) []int {
	var found []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, _ := os.ReadFile(file) // it may have ended
		if slices.Contains(strings.Split(string(env), "\x00"), "JOB_MARK="+mark) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() && proctree.Running(pid) {
				found = append(found, pid)
			}
		}
	}
	return found
}

// A binary that does not know the command of a keeper does not start itself on and on.
func TestKeeperThatIsNone(t *testing.T) {
	t.Setenv(keeperMarker, "1")
	if err := jobOf("say", "0").Run(t.Context()); err == nil {
		t.Error("a keeper starts a keeper")
	}
	if err := os.Unsetenv(keeperMarker); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	j := Job{Name: "sh", Args: []string{"sh", "-c", "echo $" + keeperMarker}, Stdout: &out}
	if err := j.Run(t.Context()); err != nil || out.String() != "\n" {
		t.Errorf("the program is told %q, %v", out.String(), err)
	}
}

// worker is a tracetax of its own, to be killed in the middle of a job.
func worker([]string) error {
	j := jobOf("family", "stay")
	j.Stdout = os.Stdout
	return fmt.Errorf("the job ended: %w", j.Run(context.Background()))
}

func TestTracetaxKilledInAJob(t *testing.T) {
	mark := t.TempDir()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "TEST_PROGRAM=worker", "JOB_MARK="+mark)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Errorf("it said %q, %v", line, err)
	}
	pids := marked(mark)
	if len(pids) < 4 { // itself, the keeper, the job and one of its children, at least
		t.Errorf("marked are %v", pids)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	awaitEnd(t, pids...)
}

// What a machine cannot do: the only reason to leave a test out. It is read from the
// kernel, not asked of the code under test.

// withoutGroups says what this machine lacks for a way of accounting, "" where nothing.
func withoutGroups(accounting string) string {
	kind := map[string]string{AccountingV1: "cgroup", AccountingV2: "cgroup2"}[accounting]
	if kind == "" {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return err.Error()
	}
	found := false
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[2] != kind {
			continue
		}
		if accounting == AccountingV1 && !slices.Contains(strings.Split(fields[3], ","), "cpuacct") {
			continue
		}
		found = true
		for _, dir := range []string{fields[1], filepath.Join(fields[1], ownGroup(accounting))} {
			if unix.Access(dir, unix.W_OK) == nil {
				return ""
			}
		}
	}
	if found {
		return fmt.Sprintf("this user may not write to a %s of this machine", accounting)
	}
	return fmt.Sprintf("this machine has no %s", accounting)
}

// ownGroup is the group of this process, as the kernel calls it.
func ownGroup(accounting string) string {
	text, _ := os.ReadFile("/proc/self/cgroup") // without it, the root is looked at alone
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		v1 := slices.Contains(strings.Split(fields[1], ","), "cpuacct")
		if accounting == AccountingV1 && v1 || accounting == AccountingV2 && fields[0] == "0" {
			return fields[2]
		}
	}
	return ""
}

// withoutController says why a launcher cannot have a controller, "" where it can.
func withoutController(l *Launcher, controller string) string {
	switch l.Accounting() {
	case AccountingV1:
		mounts, err := os.ReadFile("/proc/self/mounts")
		if err != nil {
			return err.Error()
		}
		for line := range strings.Lines(string(mounts)) {
			fields := strings.Fields(line)
			if len(fields) >= 4 && fields[2] == "cgroup" && slices.Contains(strings.Split(fields[3], ","), controller) {
				return ""
			}
		}
		return "no cgroup v1 of this machine has the controller " + controller
	case AccountingV2:
		// What the kernel hands on to the launcher's group, that one can hand on in turn.
		text, err := os.ReadFile(filepath.Join(l.tree.Dirs()[0], "cgroup.controllers"))
		if err != nil {
			return err.Error()
		}
		if slices.Contains(strings.Fields(string(text)), controller) {
			return ""
		}
		return "the cgroup v2 that this process is in does not hand on the controller " + controller
	}
	return "without cgroups there is no controller " + controller
}
