//go:build linux

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

	"github.com/tracetax/tracetax/internal/excerpt"
)

func TestStopIsGraceful(t *testing.T) {
	each(t, func(t *testing.T, accounting string) {
		before := time.Now()
		p := start(t, open(t, accounting), Command{}, "say", "hello")
		if p.Started().Before(before) || p.Started().After(time.Now()) {
			t.Errorf("started at %v, not between %v and now", p.Started(), before)
		}
		ready(t, p, "log:^hello$")
		killed, err := p.Stop(t.Context(), time.Minute)
		if err != nil || killed {
			t.Fatalf("killed %v, error %v", killed, err)
		}
		<-p.Done()
		if e := p.Exit(); e.Code != 0 || e.Signal != 0 || e.Lost {
			t.Errorf("exit %v", e)
		}
		if got := p.Log().Tail(2); !slices.Equal(got, []string{"hello", "bye"}) {
			t.Errorf("log %q", got)
		}
		if used, err := p.Reaped(); err != nil || cpuTime(used) == 0 {
			t.Errorf("used %v, error %v", cpuTime(used), err)
		}
	})
}

func TestStopKillsTheDeaf(t *testing.T) {
	p := start(t, open(t, AccountingAuto), Command{}, "deaf")
	ready(t, p, "log:deaf now")
	killed, err := p.Stop(t.Context(), 50*time.Millisecond)
	if err != nil || !killed {
		t.Fatalf("killed %v, error %v", killed, err)
	}
	if p.Exit().Signal != syscall.SIGKILL {
		t.Errorf("exit %v", p.Exit())
	}
	awaitEnd(t, p.PID())
}

func TestStopEndsWithItsContext(t *testing.T) {
	p := start(t, open(t, AccountingAuto), Command{}, "deaf")
	ready(t, p, "log:deaf now")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if killed, err := p.Stop(ctx, time.Hour); err != nil || !killed {
		t.Fatalf("killed %v, error %v", killed, err)
	}
}

// familyOf starts a family and returns it with the numbers of all its processes.
func familyOf(t *testing.T, l *Launcher, stay string) (*Process, []int) {
	t.Helper()
	p := start(t, l, Command{Name: "family"}, "family", stay)
	ready(t, p, "log:family complete")
	if stay != "stay" {
		<-p.Done()
	}
	pids, err := p.Pids()
	if err != nil {
		t.Fatal(err)
	}
	want := 3
	if stay == "stay" {
		want = 4
	}
	if len(pids) != want {
		t.Fatalf("the family is %v, want %d processes", pids, want)
	}
	return p, pids
}

func TestNothingIsLeft(t *testing.T) {
	ends := map[string]func(*Launcher, *Process) error{
		"stop":  func(_ *Launcher, p *Process) error { _, err := p.Stop(context.Background(), time.Minute); return err },
		"kill":  func(_ *Launcher, p *Process) error { return p.Kill() },
		"close": func(l *Launcher, _ *Process) error { return l.Close() },
		"keeper terminated": func(_ *Launcher, p *Process) error {
			err := p.keeper.Process.Signal(syscall.SIGTERM)
			<-p.gone
			return err
		},
	}
	each(t, func(t *testing.T, accounting string) {
		for name, end := range ends {
			for _, stay := range []string{"stay", "leave"} {
				t.Run(name+" "+stay, func(t *testing.T) {
					l := open(t, accounting)
					p, pids := familyOf(t, l, stay)
					if err := end(l, p); err != nil {
						t.Fatal(err)
					}
					awaitEnd(t, pids...)
				})
			}
		}
	})
}

func TestExitTellsOfWhatIsLeft(t *testing.T) {
	p, _ := familyOf(t, open(t, AccountingAuto), "leave")
	if e := p.Exit(); e.Left != 3 || !strings.Contains(e.String(), "foreground") {
		t.Errorf("exit %v with %d left", e, e.Left)
	}
}

func TestKeeperKilled(t *testing.T) {
	each(t, func(t *testing.T, accounting string) {
		p, pids := familyOf(t, open(t, accounting), "stay")
		if err := p.keeper.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-p.gone
		if !p.Exit().Lost {
			t.Errorf("exit %v", p.Exit())
		}
		if accounting == AccountingClock {
			// Without cgroups, one who left the session and cleared its
			// environment can't be told from a stranger any more.
			pids = slices.DeleteFunc(pids, func(pid int) bool { return hides(t, pid) })
		}
		awaitEnd(t, pids...)
	})
}

// hides reports whether a process of the family cleared its environment, and ends it.
func hides(t *testing.T, pid int) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || len(env) == 0 || strings.Contains(string(env), marker) {
		return false
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	return true
}

// inner is a tracetax of its own, in a process that can be killed.
type inner struct {
	*exec.Cmd
	keeper, main int
	all          []int    // keeper and family
	dirs         []string // of its cgroups
}

func startInner(t *testing.T, accounting string) inner {
	t.Helper()
	in := inner{Cmd: exec.Command(os.Args[0], accounting, t.TempDir())}
	in.Env = append(os.Environ(), "TEST_PROGRAM=launcher")
	in.Stderr = os.Stderr
	out, err := in.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Process.Kill() // it may be dead already, which was the test
		_ = in.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "end" {
		for _, field := range strings.Fields(lines.Text()) {
			if pid, err := strconv.Atoi(field); err == nil {
				in.all = append(in.all, pid)
			} else {
				in.dirs = append(in.dirs, field)
			}
		}
	}
	if len(in.all) != 6 {
		t.Fatalf("keeper, main process and family are %v", in.all)
	}
	in.keeper, in.main = in.all[0], in.all[1]
	return in
}

func TestTracetaxKilled(t *testing.T) {
	each(t, func(t *testing.T, accounting string) {
		in := startInner(t, accounting)
		if err := in.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		awaitEnd(t, in.all...)
		for _, dir := range in.dirs {
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the cgroup %s is left", dir)
			}
		}
	})
}

// With tracetax unable to act, the kernel still ends the program with its keeper.
func TestKeeperKilledWhileTracetaxHangs(t *testing.T) {
	in := startInner(t, AccountingClock)
	if err := in.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(in.keeper, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, in.main)
	for _, pid := range in.all[2:] {
		if pid != in.main {
			_ = syscall.Kill(pid, syscall.SIGKILL) // nobody else is left to do it
		}
	}
}

// A keeper that does nothing any more, because somebody stopped it.
func TestKillWithoutTheKeeper(t *testing.T) {
	each(t, func(t *testing.T, accounting string) {
		p := start(t, open(t, accounting), Command{}, "deaf")
		ready(t, p, "log:deaf now")
		if err := p.keeper.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		p.patience = time.Second
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		awaitEnd(t, p.PID(), p.keeper.Process.Pid)
	})
}

func TestPiped(t *testing.T) {
	p := start(t, open(t, AccountingAuto), Command{Piped: true}, "echo")
	if _, err := io.WriteString(p.Stdin(), "one line\n"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(p.Stdout()).ReadString('\n')
	if err != nil || line != "one line\n" {
		t.Fatalf("read %q, error %v", line, err)
	}
	if err := p.Stdin().Close(); err != nil {
		t.Fatal(err)
	}
	<-p.Done() // nobody else holds its stdin open
	if rest, err := io.ReadAll(p.Stdout()); err != nil || len(rest) > 0 {
		t.Errorf("then read %q, error %v", rest, err)
	}
}

func TestEnvironment(t *testing.T) {
	got := lastOfEach([]string{"A=1", "B=2", "bad", "A=3", "=x", "C=nul\x00"})
	if want := []string{"A=3", "B=2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStartFails(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]struct {
		command Command
		want    string
	}{
		"unknown command":   {Command{Args: []string{"no-such-program"}, Env: []string{"PATH=/bin:/usr/bin"}}, `"no-such-program" was not found in PATH (/bin:/usr/bin)`},
		"missing file":      {Command{Args: []string{"./nothing"}, Dir: dir}, "there is no file " + dir + "/nothing"},
		"folder":            {Command{Args: []string{dir}}, "is a folder"},
		"not executable":    {Command{Args: []string{write("plain", "x", 0o644)}}, "chmod +x"},
		"no interpreter":    {Command{Args: []string{write("script", "#!/no/such/interpreter\n", 0o755)}}, "interpreter"},
		"not a program":     {Command{Args: []string{write("text", "hello", 0o755)}}, "not a program for this machine"},
		"missing directory": {Command{Args: []string{"true"}, Dir: dir + "/gone"}, "working directory"},
		"no command":        {Command{}, "no command"},
		"bad name":          {Command{Name: "../x", Args: []string{"true"}}, "process name"},
		"missing CPU":       {Command{Args: []string{"true"}, CPUs: []int{999}}, "999"},
	}
	each(t, func(t *testing.T, accounting string) {
		l := open(t, accounting)
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				if test.command.Name == "" {
					test.command.Name = "p"
				}
				p, err := l.Start(t.Context(), test.command)
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("process %v, error %v, want %q", p, err, test.want)
				}
			})
		}
	})
}

func TestNamesAreUnique(t *testing.T) {
	l := open(t, AccountingAuto)
	start(t, l, Command{Name: "a"}, "sleep")
	if _, err := l.Start(t.Context(), Command{Name: "a", Args: []string{os.Args[0]}}); err == nil {
		t.Error("a second process of the same name was started")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Start(t.Context(), Command{Name: "b", Args: []string{os.Args[0]}}); err == nil {
		t.Error("a process was started after Close")
	}
}

func TestStartIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := open(t, AccountingAuto)
	_, err := l.Start(ctx, Command{Name: "a", Args: []string{os.Args[0]}, Env: []string{"TEST_PROGRAM=sleep"}})
	if err == nil {
		t.Error("it was started")
	}
}

func TestKeeperIsCheap(t *testing.T) {
	l := open(t, AccountingAuto)
	p := start(t, l, Command{}, "sleep")
	alive := l.KeeperCPU()
	if alive <= 0 || alive > 5*time.Second {
		t.Errorf("the keeper used %v", alive)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if dead := l.KeeperCPU(); dead < alive {
		t.Errorf("the keeper used %v, then %v in all", alive, dead)
	}
}

func TestKeepByHand(t *testing.T) {
	out, err := exec.Command(os.Args[0], "agent", "keep").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not by hand") {
		t.Errorf("said %q, error %v", out, err)
	}
}

// The last line of a log is cut and escaped where an error tells it.
func TestDiedTellsAnExcerpt(t *testing.T) {
	err := &DiedError{Process: "app", Log: []string{strings.Repeat("\x1b[2J", 1<<15), ""}}
	if text := err.Error(); len(text) > 2*excerpt.Most || strings.ContainsRune(text, '\x1b') {
		t.Errorf("an error of %d bytes: %.300q", len(text), text)
	}
}
