// Package keeper owns the small process between tracetax and a program, and the words between the two: it forks the
// program, reaps all that descends from it, and leaves nothing behind. It must not know what the program is for, nor how
// tracetax keeps account of it.
package keeper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"github.com/tracetax/tracetax/internal/lines"
	"github.com/tracetax/tracetax/internal/process/cgroup"
)

// keeper is the state of one keeper process.
type keeper struct {
	task Assignment
	pid  int // of the program's main process

	talk *lines.Server[Order, Report]

	mu     sync.Mutex // held while reaping, so that Usage and the process table agree
	exited bool
	usage  syscall.Rusage

	gone chan struct{} // closed when no descendant is left
	kill sync.Once
}

// Keep is the whole life of a keeper. It is run by the hidden command
// "agent keep" with the pipes of tracetax on its files 3 and 4, starts the
// program it is told to, and returns when nothing of it is left. When ctx ends
// or the pipe closes, it kills the program and everything that descends from it.
func Keep(ctx context.Context) error {
	orders, reports, err := keeperPipes()
	if err != nil {
		return err
	}
	// The kernel's parent-death signal follows the thread that forked, so this
	// thread has to last as long as the keeper.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)

	k := &keeper{talk: lines.NewServer[Order, Report](orders, reports), gone: make(chan struct{})}
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
	_ = k.talk.Answer(first, Report{PID: k.pid, At: at}, err) // the end of the order pipe tells that nobody listens
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
	k.report(Report{What: IsGone, Usage: &k.usage, Own: ownUsage()})
	select {
	case <-abandoned:
		cgroup.Remove(k.task.Remove) // nobody else is left to do it
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

// start forks the program, and says when; nothing of the keeper stays in the
// program's cgroup.
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

// releaseStreams lets go of the program's stdin and stdout, so that their ends
// are seen when the program closes them.
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

// report tells what happened. That nobody listens is no error here: the end of the
// order pipe tells it too, and is acted upon.
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

// Adding up what the kernel says of ended processes.

// add sums what sums up; the largest resident size is the larger one.
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
