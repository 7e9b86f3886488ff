package process

// The test binary is also the keeper and every program that the tests start.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process/proctree"
	"github.com/tracetax/tracetax/internal/process/supervisor"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent" && os.Args[2] == "keep" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		if err := supervisor.Keep(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if program, ok := programs[os.Getenv("TEST_PROGRAM")]; ok {
		if err := program(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// The race detector waits a second at the end of every process.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// programs are what the tests start.
var programs = map[string]func(args []string) error{
	"sleep":     func([]string) error { select {} },
	"deaf":      deaf,
	"family":    family,
	"container": holdContainer,
	"say":       say,
	"serve":     serve,
	"listen":    listen,
	"where":     where,
	"whose":     whose,
	"hold":      hold,
	"reserve":   takePort,
	"launcher":  launcher,
	"worker":    worker,
	"spin":      spin,
	"chatter":   chatter,
	"echo":      func([]string) error { _, err := io.Copy(os.Stdout, os.Stdin); return err },
}

// deaf does not listen to SIGTERM.
func deaf([]string) error {
	signal.Ignore(syscall.SIGTERM)
	fmt.Println("deaf now")
	select {}
}

// family makes children and grandchildren: one that left the session and hides
// its origin, one whose parent is gone. It ends when told to, or stays with "stay".
func family(args []string) error {
	if len(args) > 1 { // a child on its way to be an orphan
		return again("sleep", os.Environ(), true)
	}
	for _, env := range [][]string{os.Environ(), {"TEST_PROGRAM=sleep"}} {
		if err := again("sleep", env, true); err != nil {
			return err
		}
	}
	middle := exec.Command(os.Args[0], "be", "orphan")
	if err := middle.Run(); err != nil {
		return err
	}
	fmt.Println("family complete")
	if args[0] == "stay" {
		select {}
	}
	return nil
}

// again starts the test binary as a daemon.
func again(program string, env []string, session bool) error {
	c := exec.Command(os.Args[0])
	c.Env = append(env, "TEST_PROGRAM="+program)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	return c.Start()
}

// say writes its arguments as lines, then waits for the end; a number ends it
// with that status.
func say(args []string) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	for _, arg := range args {
		if status, err := strconv.Atoi(arg); err == nil {
			os.Exit(status)
		}
		fmt.Println(arg)
	}
	<-stop
	fmt.Println("bye")
	return nil
}

// serve answers on a port: two times 503, then 200.
func serve(args []string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:"+args[0])
	if err != nil {
		return err
	}
	asked := 0
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		if asked <= 2 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
}

// listen takes connections at addresses and never answers.
func listen(addresses []string) error {
	for _, address := range addresses {
		if _, err := net.Listen("tcp", address); err != nil {
			return err
		}
	}
	fmt.Println("listening")
	select {}
}

// where says on which CPUs and in which cgroups it runs.
func where([]string) error {
	cpus, _ := allowedCPUs()
	groups, err := os.ReadFile("/proc/self/cgroup")
	fmt.Printf("cpus %s\n%send\n", proctree.FormatCPUs(cpus), groups)
	return err
}

// hold takes memory until it is stopped.
func hold(args []string) error {
	bytes, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	held := make([]byte, bytes)
	for i := 0; i < len(held); i += 4096 {
		held[i] = 1
	}
	fmt.Println("holding", len(held))
	select {}
}

// chatter writes so many numbered lines, then waits.
func chatter(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for i := range n {
		fmt.Fprintln(out, "line", i)
	}
	fmt.Fprintln(out, "last words")
	if err := out.Flush(); err != nil {
		return err
	}
	select {}
}

// spin uses all the CPU it gets.
func spin([]string) error {
	for n := 0; ; n++ {
		if n < 0 { // never: it is there so that the loop is a loop to everyone
			return nil
		}
	}
}

// launcher is a tracetax of its own, to be killed: it starts a family and says
// the numbers of the keeper, the main process and all, and its cgroups.
func launcher(args []string) error {
	l, err := NewLauncher(Options{Name: "inner", LogDir: args[1], Accounting: args[0]})
	if err != nil {
		return err
	}
	p, err := l.Start(context.Background(), Command{
		Name: "family", Args: []string{os.Args[0], "stay"}, Env: append(os.Environ(), "TEST_PROGRAM=family"),
	})
	if err != nil {
		return err
	}
	check, err := ParseCheck("log:family complete")
	if err != nil {
		return err
	}
	if _, err := p.Ready(context.Background(), check); err != nil {
		return err
	}
	pids, err := p.Pids()
	if err != nil {
		return err
	}
	fmt.Println(p.keeper.Process.Pid, p.PID(), strings.Trim(fmt.Sprint(pids), "[]"))
	if l.tree != nil {
		fmt.Println(strings.Join(l.tree.Dirs(), " "))
	}
	fmt.Println("end")
	select {}
}

// each runs a test in every way of accounting that this machine has.
func each(t *testing.T, test func(t *testing.T, accounting string)) {
	for _, accounting := range []string{AccountingV1, AccountingV2, AccountingClock} {
		t.Run(strings.ReplaceAll(accounting, " ", "-"), func(t *testing.T) {
			if lacking := withoutGroups(accounting); lacking != "" {
				t.Skip(lacking)
			}
			test(t, accounting)
		})
	}
}

// open makes a launcher that is closed after the test, with a look at whether
// anything was left of its cgroups.
func open(t *testing.T, accounting string) *Launcher {
	t.Helper()
	l, err := NewLauncher(Options{Name: "test", LogDir: t.TempDir(), Accounting: accounting})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if l.tree == nil {
			return
		}
		for _, dir := range l.tree.Dirs() {
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the cgroup %s is left", dir)
			}
		}
	})
	return l
}

// start starts one of the test programs.
func start(t *testing.T, l *Launcher, c Command, program string, args ...string) *Process {
	t.Helper()
	c.Args = append([]string{os.Args[0]}, args...)
	c.Env = append(os.Environ(), "TEST_PROGRAM="+program)
	if c.Name == "" {
		c.Name = program
	}
	p, err := l.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ready waits for a check, for up to a long minute on a busy machine.
func ready(t *testing.T, p *Process, text string) Answers {
	t.Helper()
	check, err := ParseCheck(text)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	probes, err := p.Ready(ctx, check)
	if err != nil {
		t.Fatal(err)
	}
	return probes
}

// awaitEnd waits until none of the processes is running.
func awaitEnd(t *testing.T, pids ...int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for _, pid := range pids {
		for proctree.Running(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is still running", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// Workers are processes that one process has started; a program by itself has none.
func TestWorkersOfAServer(t *testing.T) {
	l := open(t, AccountingAuto)
	server, alone := start(t, l, Command{}, "family", "stay"), start(t, l, Command{}, "say", "here")
	ready(t, server, "log:family complete")
	ready(t, alone, "log:here")
	for p, want := range map[*Process]int{server: 2, alone: 0} {
		if n, err := p.Workers(); err != nil || n != want {
			t.Errorf("%s has %d workers, want %d; error %v", p.Name(), n, want, err)
		}
	}
}

// A disk that is full: /dev/full refuses every write.
func TestFullDiskIsSurvived(t *testing.T) {
	launcher := open(t, AccountingAuto)
	if err := os.Symlink("/dev/full", filepath.Join(launcher.options.LogDir, "chatter.log")); err != nil {
		t.Fatal(err)
	}
	p := start(t, launcher, Command{}, "chatter", "20000")
	ready(t, p, "log:last words")
	if err := p.Log().Err(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(p.Log().Tail(1), ""); got != "last words" {
		t.Errorf("tail %q", got)
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
}

func TestChatterIsWhole(t *testing.T) {
	const lines = 300_000 // more than a pipe holds
	p := start(t, open(t, AccountingAuto), Command{}, "chatter", fmt.Sprint(lines))
	ready(t, p, "log:last words")
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := p.Log().Lines(t.Context(), func(line string) error {
		if line != fmt.Sprintf("line %d", n) && line != "last words" {
			return fmt.Errorf("line %d is %q", n, line)
		}
		n++
		return nil
	})
	if err != nil || n != lines+1 {
		t.Errorf("%d lines, error %v", n, err)
	}
}
