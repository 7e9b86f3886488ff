package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// listening is a process that listens at a port, as a program of a name; the first words are those before it.
func listening(t *testing.T, l *Launcher, name string, port int, before ...string) *Process {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.Link(os.Args[0], path); err != nil { // which is its name to the kernel, as a symbolic link is not
		t.Fatal(err)
	}
	args := slices.Concat(before, []string{path})
	if port > 0 {
		args = append(args, fmt.Sprintf("127.0.0.1:%d", port))
	}
	p, err := l.Start(t.Context(), Command{Name: name + strconv.Itoa(port), Args: args, Env: append(os.Environ(), "TEST_PROGRAM=listen")})
	if err != nil {
		t.Fatal(err)
	}
	ready(t, p, "log:listening")
	return p
}

// What answers in the place of a program is told from it: its CPU would be read, and that is another program's.
func TestWhoAnswers(t *testing.T) {
	ports, err := FreePorts(3)
	if err != nil {
		t.Fatal(err)
	}
	asked, other := ports[0], ports[1]
	elsewhere, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", ports[2])) // this test is no process of the run
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	shell := []string{"sh", "-c", `"$0" "$@" & wait`} // as behind launchers
	for name, c := range map[string]struct {
		start func(*Launcher) []*Process // the first is the one that is asked
		at    int
		want  Stranger
	}{
		"the program": {func(l *Launcher) []*Process { return []*Process{listening(t, l, "web", asked)} }, asked, ""},
		"a child":     {func(l *Launcher) []*Process { return []*Process{listening(t, l, "web", asked, shell...)} }, asked, ""},
		"another one of the run": {func(l *Launcher) []*Process {
			return []*Process{listening(t, l, "web", 0), listening(t, l, "web", asked)}
		}, asked, ""},
		"none of the run": {func(l *Launcher) []*Process { return []*Process{listening(t, l, "web", other)} }, ports[2], OtherProgram},
		"nobody":          {func(l *Launcher) []*Process { return []*Process{listening(t, l, "web", other)} }, asked, NoProgram},
		"a forwarder":     {func(l *Launcher) []*Process { return []*Process{listening(t, l, "socat", asked, shell...)} }, asked, Forwarder},
		"a forwarder to one of the run": {
			func(l *Launcher) []*Process {
				return []*Process{listening(t, l, "socat", asked), listening(t, l, "web", other)}
			}, asked, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			processes := c.start(open(t, AccountingAuto))
			var all []int
			for _, p := range processes {
				pids, err := p.Pids()
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, pids...)
			}
			address := net.JoinHostPort("localhost", strconv.Itoa(c.at))
			seen, err := processes[0].Answers(new(Tables), address, all, all)
			var stranger *StrangerError
			if !seen || errors.As(err, &stranger) != (c.want != "") || err != nil && stranger == nil {
				t.Fatalf("seen %t, %v; want %q", seen, err, c.want)
			}
			if stranger == nil {
				return
			}
			if stranger.Stranger != c.want || stranger.Process != processes[0].Name() || stranger.Address != address {
				t.Errorf("%+v, want %s", stranger, c.want)
			}
			if stranger.Stranger == OtherProgram && (stranger.PID != os.Getpid() || stranger.Program != filepath.Base(os.Args[0])) {
				t.Errorf("%s (pid %d), want this test", stranger.Program, stranger.PID)
			}
		})
	}
}

// A program in a network namespace of its own is one of the run: what asks for it at a port of this one is passed on by the kernel.
func TestAnswersFromItsOwnNetwork(t *testing.T) {
	if err := exec.Command("unshare", "-rn", "true").Run(); err != nil {
		t.Skipf("no network namespace can be made here: %v", err)
	}
	ports, err := FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	p := listening(t, open(t, AccountingAuto), "web", ports[0], "unshare", "-rn")
	pids, err := p.Pids()
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := p.Answers(new(Tables), fmt.Sprintf("127.0.0.1:%d", ports[1]), pids, pids); !seen || err != nil {
		t.Errorf("seen %t, error %v", seen, err)
	}
}

// whose asks, as a user who may not look into a process, whether it listens at a port.
func whose(args []string) error {
	pid, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	p := newProcess(Command{Name: "web"}, "", nil, nil, nil)
	seen, err := p.Answers(new(Tables), args[0], []int{pid}, []int{pid})
	fmt.Println(seen, err)
	return nil
}

// A process that may not be looked into is neither taken for the one that answers, nor for another one.
func TestWhoAnswersIsHidden(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root starts a program as another user")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, c := range map[string]struct {
		user uint32
		want string
	}{"it may not be looked into": {65534, "false <nil>"}, "it may": {0, "true <nil>"}} {
		command := exec.Command("/proc/self/exe", listener.Addr().String(), strconv.Itoa(os.Getpid()))
		command.Env = append(os.Environ(), "TEST_PROGRAM=whose")
		command.Dir = "/"
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: c.user, Gid: c.user}}
		out, err := command.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: %s, error %v; want %s", name, got, err, c.want)
		}
	}
}

// The message says what to do, by what was asked to start the program.
func TestStrangerError(t *testing.T) {
	for command, want := range map[string]string{
		"docker run --rm -p 1:80 web": "use image:", "sh -c exec docker compose up": "use image:", "podman run web": "use image:",
		"kubectl port-forward svc/web 1:80": "use image:", "systemd-run --pty web": "systemd-run --scope",
		"ssh host -L 1:localhost:80 web": "on the machine", "./client.py web": "in the foreground",
	} {
		e := &StrangerError{Process: "web", Args: strings.SplitN(command, " ", 3), Address: "127.0.0.1:1", Stranger: OtherProgram, Program: "nginx", PID: 12}
		for _, part := range []string{"process web", "127.0.0.1:1", "nginx (pid 12)", command, want} {
			if !strings.Contains(e.Error(), part) {
				t.Errorf("%q is not in %q", part, e)
			}
		}
	}
}

// A program that ends and leaves another one behind is not taken for that: what is left is named, and what the log tells.
func TestWhatIsLeft(t *testing.T) {
	const broker = `sleep 60 & until [ "$(readlink /proc/$!/exe)" != "$(readlink /proc/$$/exe)" ]; do :; done
		echo cannot create x: Permission denied; echo dump is written; exit 0`
	p, err := open(t, AccountingAuto).Start(t.Context(), Command{Name: "broker", Args: []string{"sh", "-c", broker}})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	died := p.Died()
	if !slices.Equal(died.Exit.Left, []string{"sleep"}) || died.Why != "cannot create x: Permission denied" {
		t.Errorf("left %q, why %q", died.Exit.Left, died.Why)
	}
	if _, err := p.Stop(t.Context(), 0); err != nil {
		t.Error(err)
	}
}
