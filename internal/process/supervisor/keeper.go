// Package supervisor owns the small process between tracetax and a program, and the words between the two: it forks the
// program, reaps all that descends from it, and leaves nothing behind. It must not know what the program is for, nor how
// tracetax keeps account of it.
package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/proctree"
)

// keeper is the state of one keeper process.
type keeper struct {
	task Assignment
	pid  int // of the program's main process

	talk *jsonpipe.Server[Order, Report]

	mu     sync.Mutex // held while reaping, so Usage and the process table agree
	exited bool
	killed bool // a signal ended the main process
	usage  syscall.Rusage

	gone chan struct{} // closed when no descendant is left
	kill sync.Once
}

// Keep runs a keeper, for the hidden command "agent keep", with the pipes of tracetax on its files 3 and 4. It starts the
// program of the first order and returns when all its descendants have ended. When ctx ends or the pipe closes, it kills the
// program and all its descendants.
func Keep(ctx context.Context) error {
	orders, reports, err := keeperPipes()
	if err != nil {
		return err
	}
	// The kernel's parent-death signal follows the thread that forked, so this thread must last as long as the keeper.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)

	k := &keeper{talk: jsonpipe.NewServer[Order, Report](orders, reports), gone: make(chan struct{})}
	first, err := k.talk.Next()
	if err != nil {
		return fmt.Errorf("keeper: reading what to start: %w", err)
	}
	if first.Body.Start == nil {
		return fmt.Errorf("keeper: the first order is %q, and nothing was started", first.Body.Do)
	}
	k.task = *first.Body.Start
	for fd := range k.task.Held {
		syscall.CloseOnExec(heldFile + fd)
	}
	at, err := k.start()
	_ = k.talk.Answer(first, Report{PID: k.pid, At: at}, err) // the end of the order pipe shows that tracetax is gone
	if err != nil {
		return fmt.Errorf("keeper of %s: %w", k.task.Name, err)
	}
	abandoned := make(chan struct{})
	go k.reap()
	go func() { k.obey(); close(abandoned) }()

	select {
	case <-k.gone:
	case <-ctx.Done():
	case <-abandoned:
	}
	k.killAll()
	if k.killed && len(k.task.End) > 0 {
		k.endElsewhere()
	}
	k.report(Report{What: IsGone, Usage: &k.usage, Own: ownUsage()})
	select {
	case <-abandoned:
		cgroup.Remove(k.task.Remove) // no other process is left to do it
	default:
	}
	return nil
}

func keeperPipes() (orders, reports *os.File, err error) {
	for _, fd := range []int{orderFile, reportFile} {
		var stat syscall.Stat_t
		if err := syscall.Fstat(fd, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFIFO {
			return nil, nil, errors.New("agent keep is started by tracetax itself, not by hand")
		}
		syscall.CloseOnExec(fd) // the program must not hold them open
	}
	return os.NewFile(orderFile, "orders"), os.NewFile(reportFile, "reports"), nil
}

// start forks the program, and returns the time; the keeper itself leaves the program's cgroup.
func (k *keeper) start() (at int64, err error) {
	if err := adoptOrphans(); err != nil {
		return 0, err
	}
	at = Monotonic()
	if k.pid, err = k.fork(); err != nil {
		return 0, err
	}
	return at, releaseStreams()
}

// fork starts the program as a child of the calling thread.
func (k *keeper) fork() (int, error) {
	attr, back, err := k.enter()
	if err != nil {
		return 0, err
	}
	pid, err := syscall.ForkExec(k.task.Path, k.task.Args, &syscall.ProcAttr{
		Dir:   k.task.Dir,
		Env:   k.task.Env,
		Files: []uintptr{0, 1, 2},
		Sys:   attr,
	})
	if backErr := back(); backErr != nil && err == nil {
		return 0, errors.Join(backErr, syscall.Kill(pid, syscall.SIGKILL))
	}
	if err != nil {
		return 0, explainExec(k.task.Path, err)
	}
	return pid, nil
}

func explainExec(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("executing %s: it is not a program for this machine, nor a script with a '#!' line: %w", path, err)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("executing %s: the interpreter it names in its '#!' line or its loader is missing: %w", path, err)
	}
	return fmt.Errorf("executing %s: %w", path, err)
}

// releaseStreams closes the keeper's copies of the program's stdin and stdout: tracetax sees the end when the program closes
// them.
func releaseStreams() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("opening the null device: %w", err)
	}
	defer null.Close()
	for _, fd := range []int{0, 1} {
		if err := duplicate(int(null.Fd()), fd); err != nil {
			return fmt.Errorf("letting go of the program's streams: %w", err)
		}
	}
	return nil
}

// report sends a report. Failure is no error here: the end of the order pipe, which is acted upon, shows it too.
func (k *keeper) report(r Report) { _ = k.talk.Tell(r) }

// obey carries out orders until the pipe ends.
func (k *keeper) obey() {
	for {
		l, err := k.talk.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintf(os.Stderr, "tracetax keeper of %s: reading orders: %v\n", k.task.Name, err)
			}
			return
		}
		switch o := l.Body; o.Do {
		case DoSignal:
			k.signalMain(o.Signal)
		case DoOrphan:
			k.signalOrphans(o.Signal)
		case DoKill:
			go k.killAll()
		case DoReaped:
			k.mu.Lock()
			usage := k.usage
			k.mu.Unlock()
			_ = k.talk.Answer(l, Report{Usage: &usage}, nil)
		}
	}
}

// endPatience bounds the command that ends what runs elsewhere.
const endPatience = 20 * time.Second

// endElsewhere ends what the program had another program start. Its failure is no error: mostly there is nothing left.
func (k *keeper) endElsewhere() {
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	c := exec.CommandContext(ctx, k.task.End[0], k.task.End[1:]...)
	c.Env = k.task.Env
	_ = c.Run()
}

// Adding up the kernel's figures of ended processes.

// add adds b to a; of the resident sizes it keeps the larger one.
func add(a *syscall.Rusage, b syscall.Rusage) {
	a.Utime = syscall.NsecToTimeval(a.Utime.Nano() + b.Utime.Nano())
	a.Stime = syscall.NsecToTimeval(a.Stime.Nano() + b.Stime.Nano())
	a.Maxrss = max(a.Maxrss, b.Maxrss)
	a.Minflt += b.Minflt
	a.Majflt += b.Majflt
	a.Inblock += b.Inblock
	a.Oublock += b.Oublock
	a.Nvcsw += b.Nvcsw
	a.Nivcsw += b.Nivcsw
}

// The messages between tracetax and a keeper, over package lines on two pipes, one each way. The end of the order pipe shows
// that tracetax is gone.

// The keeper's files besides the program's stdin, stdout and stderr.
const (
	orderFile  = 3
	reportFile = 4
	heldFile   = 5 // the first of those that it only holds open
)

// Assignment describes the program to start, and its place.
type Assignment struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	Args   []string `json:"args"`
	Env    []string `json:"env"`
	Dir    string   `json:"dir"`
	CPUs   []int    `json:"cpus,omitempty"`   // to be set as affinity
	Join   []string `json:"join,omitempty"`   // cgroup v1: task files that the forking thread enters …
	Leave  []string `json:"leave,omitempty"`  // … and those by which it gets back
	Group  string   `json:"group,omitempty"`  // cgroup v2: directory to fork into
	Groups []string `json:"groups,omitempty"` // all its cgroup directories
	Held   int      `json:"held,omitempty"`   // how many files it holds open and the program does not get
	Remove []string `json:"remove,omitempty"` // directories to remove where tracetax can't any more
	End    []string `json:"end,omitempty"`    // a command that ends what the program had another one start, if the program was killed
}

// The orders of tracetax.
const (
	DoStart  = "start"  // starts the program in Start; the first order, answered with PID and At
	DoSignal = "signal" // the main process, with Signal
	DoOrphan = "orphan" // Signal to everything but the main process
	DoKill   = "kill"   // everything
	DoReaped = "reaped" // answered with the Usage of all processes waited for until now
)

// Order is one order of tracetax.
type Order struct {
	Do     string         `json:"do"`
	Start  *Assignment    `json:"start,omitempty"`
	Signal syscall.Signal `json:"signal,omitempty"`
}

// The reports that a keeper sends without being asked.
const (
	HasExited = "exited" // the main process: Status, Usage, Left
	IsGone    = "gone"   // no descendant is left: Usage of all of them, Own of the keeper
)

// Report is an answer or a report of the keeper.
type Report struct {
	What   string             `json:"what,omitempty"` // "" in an answer
	PID    int                `json:"pid,omitempty"`
	At     int64              `json:"at,omitempty"` // ns of the monotonic clock, just before the fork
	Status syscall.WaitStatus `json:"status,omitempty"`
	Left   []int              `json:"left,omitempty"`
	Usage  *syscall.Rusage    `json:"usage,omitempty"`
	Own    *syscall.Rusage    `json:"own,omitempty"`
}

// The end of a keeper's processes.

// signalMain signals the main process unless it has been waited for: its PID could belong to another process by then.
func (k *keeper) signalMain(s syscall.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.exited {
		return
	}
	_ = syscall.Kill(k.pid, s) // it may have ended a moment ago
}

func (k *keeper) signalOrphans(s syscall.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	pids, _ := k.members()
	for _, pid := range pids {
		if pid != k.pid || k.exited {
			_ = syscall.Kill(pid, s)
		}
	}
}

// killAll kills all descendants of the program, in rounds until none is left: a later round catches what forks while it is
// being killed.
func (k *keeper) killAll() {
	k.kill.Do(func() {
		round := time.NewTicker(10 * time.Millisecond)
		defer round.Stop()
		for !k.killOnce() {
			select {
			case <-k.gone:
			case <-round.C:
			}
		}
	})
	<-k.gone
}

// killOnce kills once and reports whether nothing was left to kill.
func (k *keeper) killOnce() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.task.Group != "" {
		_ = cgroup.Kill(k.task.Group) // the rest is killed one by one
	}
	pids, err := k.members()
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	select {
	case <-k.gone:
		return err != nil || len(pids) == 0
	default:
		return false
	}
}

// members lists the program's processes: its descendants, and those in its cgroups.
func (k *keeper) members() ([]int, error) {
	pids, err := proctree.Descendants(os.Getpid())
	grouped, groupErr := cgroup.PIDs(k.task.Groups)
	return proctree.Merge(pids, grouped), errors.Join(err, groupErr)
}

// Waiting for all descendants of the program.

// reap waits for every child and every adopted orphan, and adds up their usage. Without children nothing is left: an orphan of
// any depth would have become a child.
func (k *keeper) reap() {
	defer close(k.gone)
	for {
		awaitChild()
		pid, status, usage, err := k.reapOne()
		switch {
		case errors.Is(err, syscall.ECHILD):
			return
		case err != nil || pid == 0:
			continue
		case pid == k.pid:
			left, _ := k.members() // for the message only
			left = slices.DeleteFunc(left, func(pid int) bool { return !proctree.Running(pid) })
			k.report(Report{What: HasExited, Status: status, Usage: &usage, Left: left})
		}
	}
}

func (k *keeper) reapOne() (int, syscall.WaitStatus, syscall.Rusage, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var status syscall.WaitStatus
	var usage syscall.Rusage
	pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, &usage)
	if err != nil || pid == 0 {
		return pid, status, usage, err
	}
	add(&k.usage, usage)
	if pid == k.pid {
		k.exited, k.killed = true, status.Signaled()
	}
	return pid, status, usage, nil
}

func ownUsage() *syscall.Rusage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return nil
	}
	return &u
}
