package process

// Starting a process through its keeper.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"github.com/tracetax/tracetax/internal/process/supervisor"
	"github.com/tracetax/tracetax/internal/quote"
)

// launch starts the keeper and waits until it reports that the program runs.
func (p *Process) launch(ctx context.Context, self []string, a supervisor.Assignment) error {
	if os.Getenv(keeperMarker) != "" {
		return fmt.Errorf("%s was started as a keeper and did something else: its 'agent keep' must call Keep", self[0])
	}
	pipes, err := p.openPipes()
	if err != nil {
		return err
	}
	p.keeper = exec.Command(self[0], slices.Concat(self[1:], []string{"agent", "keep"})...)
	p.keeper.Stdin, p.keeper.Stdout, p.keeper.Stderr = pipes.stdin, pipes.stdout, pipes.stderr
	p.keeper.ExtraFiles = append([]*os.File{pipes.orders, pipes.reports}, p.held...)
	a.Held = len(p.held)
	p.keeper.Env = append(withoutMarker(os.Environ()), "GOMAXPROCS=2", keeperMarker+"=1")
	p.keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is for tracetax, which then stops the keeper in order
	err = p.keeper.Start()
	pipes.close()
	if err != nil {
		p.keeper = nil
		return fmt.Errorf("starting its keeper %s: %w", self[0], err)
	}
	p.talk = jsonpipe.NewClient[supervisor.Order, supervisor.Report](p.orders)
	go p.listen()
	r, err := p.assign(ctx, a)
	var refused *jsonpipe.Error
	switch {
	case errors.As(err, &refused), err != nil && ctx.Err() != nil:
		return err
	case errors.Is(err, jsonpipe.ErrGone):
		<-p.gone
		return fmt.Errorf("its keeper ended at once: %s", quote.Lines(p.log.Tail(10), "; "))
	case err != nil:
		return fmt.Errorf("telling its keeper what to start: %w", err)
	}
	p.pid = r.PID
	// Moved onto this process's clock: differences do not follow steps of the wall clock.
	p.started = time.Now().Add(-time.Duration(supervisor.Monotonic() - r.At))
	return nil
}

func withoutMarker(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, marker+"=") })
}

// assign sends the keeper its first order, or ends it. The end of ctx ends only the wait for a keeper that does not read: the
// keeper takes orders as before.
func (p *Process) assign(ctx context.Context, a supervisor.Assignment) (supervisor.Report, error) {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = p.orders.SetWriteDeadline(time.Unix(1, 0)) // a pipe of this system always can
	})
	r, err := p.talk.Ask(ctx, supervisor.Order{Do: supervisor.DoStart, Start: &a})
	if !stop() {
		<-ended
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return r, errors.Join(err, p.orders.Close()) // after half an order the keeper would understand no other
	}
	return r, errors.Join(err, p.orders.SetWriteDeadline(time.Time{}))
}

// The files between tracetax and a keeper.

// theirs holds the keeper's ends; tracetax closes its copies once the keeper runs.
type theirs struct {
	stdin, stdout, stderr, orders, reports *os.File
	all                                    []*os.File
}

func (t *theirs) close() {
	for _, f := range t.all {
		f.Close() // nothing was written through these copies
	}
}

// openPipes makes all pipes; tracetax's ends go into p.
func (p *Process) openPipes() (*theirs, error) {
	t := &theirs{}
	err := p.openAll(t)
	if err != nil {
		t.close()
		return nil, fmt.Errorf("opening pipes: %w", err)
	}
	return t, nil
}

func (p *Process) openAll(t *theirs) error {
	in := func(mine, their **os.File) error { // they read
		r, w, err := os.Pipe()
		*mine, *their, t.all = w, r, append(t.all, r)
		return err
	}
	out := func(mine, their **os.File) error { // they write
		r, w, err := os.Pipe()
		*mine, *their, t.all = r, w, append(t.all, w)
		return err
	}
	var logs *os.File
	err := errors.Join(in(&p.orders, &t.orders), out(&p.reports, &t.reports), out(&logs, &t.stderr))
	if err != nil {
		return err
	}
	p.log.Follow(logs)
	if p.command.Piped {
		return errors.Join(in(&p.stdin, &t.stdin), out(&p.stdout, &t.stdout))
	}
	t.stdout = t.stderr
	t.stdin, err = os.Open(os.DevNull)
	t.all = append(t.all, t.stdin)
	return err
}

// Handling a keeper's reports, and its end.

// listen takes in reports until the keeper has ended, then makes sure that no process is left.
func (p *Process) listen() {
	orderly := false
	p.talk.Listen(p.reports, func(r supervisor.Report) {
		p.take(r)
		orderly = orderly || r.What == supervisor.IsGone
	})
	_ = p.keeper.Wait() // its end has been reported, or is handled here
	var err error
	if !orderly {
		err = p.killStrays()
	}
	p.mu.Lock()
	p.lastErr = err
	if p.own == 0 && p.keeper.ProcessState != nil {
		p.own = p.keeper.ProcessState.UserTime() + p.keeper.ProcessState.SystemTime()
	}
	p.mu.Unlock()
	p.end(Exit{Code: -1, Lost: true, At: time.Now()})
	p.log.Drain()
	close(p.gone)
}

func (p *Process) take(r supervisor.Report) {
	switch r.What {
	case supervisor.HasExited:
		exit := exitOf(r.Status, *r.Usage)
		for _, pid := range r.Left {
			name := cmp.Or(inspect.Name(pid), "processes")
			if !slices.Contains(exit.Left, name) {
				exit.Left = append(exit.Left, name)
			}
		}
		exit.At = time.Now() // before its log is read to the end, which may take a while
		exit.OutOfMemory = cgroup.OutOfMemory(p.group.At["memory"])
		if p.command.Container != nil {
			exit = p.command.Container.exit(exit)
		}
		p.log.Drain() // its last words are in the log before its end is known
		p.end(exit)
	case supervisor.IsGone:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reaped = *r.Usage
		if r.Own != nil {
			p.own = cpuTime(*r.Own)
		}
	}
}

func cpuTime(u syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// end publishes the exit, once.
func (p *Process) end(exit Exit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended, p.exit = true, exit
	close(p.exited)
}

// killStrays kills the processes left by a killed keeper. The kernel has killed the main process with its parent.
func (p *Process) killStrays() error {
	const patience = 5 * time.Second
	session := p.keeper.Process.Pid
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		grouped, err1 := cgroup.PIDs(p.group.Dirs)
		marked, err2 := proctree.Strays(marker+"="+p.mark, session)
		left := proctree.Merge(grouped, marked)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended a moment ago
		}
		if err := errors.Join(err1, err2); err != nil || len(left) == 0 {
			return errors.Join(err, p.removeContainer())
		}
		if time.Since(start) > patience {
			return fmt.Errorf("processes %v of %s could not be killed after its keeper was: see 'ps -o stat,wchan -p PID'", left, p.Name())
		}
	}
}

// Ending a process: asking first, killing later.

// patience limits the time for a killed process to be gone. Only an uninterruptible system call, or writing a core file, makes
// it last.
const patience = 10 * time.Second

// Stop asks the main process to end (SIGTERM), then its remaining processes, and kills the rest after grace or when ctx ends.
// It returns when none is left; killed reports whether it had to kill.
func (p *Process) Stop(ctx context.Context, grace time.Duration) (killed bool, err error) {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	if p.inside != nil && p.inside.unheard(syscall.SIGTERM) {
		if err := p.inside.end(ctx); err != nil {
			return true, errors.Join(err, p.Kill())
		}
	}
	for _, ask := range []struct {
		until <-chan struct{}
		order supervisor.Order
	}{
		{p.exited, supervisor.Order{Do: supervisor.DoSignal, Signal: syscall.SIGTERM}},
		{p.gone, supervisor.Order{Do: supervisor.DoOrphan, Signal: syscall.SIGTERM}},
	} {
		select {
		case <-ask.until:
			continue
		default:
		}
		_ = p.talk.Tell(ask.order) // a keeper that takes no orders is ending; that is awaited next
		select {
		case <-ask.until:
		case <-deadline.C:
			return true, p.Kill()
		case <-ctx.Done():
			return true, p.Kill()
		}
	}
	return false, p.leftError()
}

// Kill kills everything at once and returns when none is left. It kills a keeper that is too slow, and then the rest without
// it.
func (p *Process) Kill() error {
	if p.talk.Tell(supervisor.Order{Do: supervisor.DoKill}) != nil {
		_ = p.orders.Close() // a keeper that takes no orders is ending, or ends its program once the order pipe is closed
	}
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	select {
	case <-p.gone:
		return p.leftError()
	case <-timer.C:
	}
	left, err := p.Pids()
	err = errors.Join(err, p.keeper.Process.Kill())
	timer.Reset(p.patience)
	select {
	case <-p.gone:
		return p.leftError()
	case <-timer.C:
	}
	return errors.Join(err, fmt.Errorf("stopping %s: some of its processes %v are still there %v after SIGKILL: see 'ps -o stat,wchan -p PID'", p.Name(), left, 2*p.patience))
}

func (p *Process) leftError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lastErr
}

// release kills the process if it runs and closes all files. It may be called again.
func (p *Process) release() error {
	p.releasing.Do(func() {
		var err error
		if p.keeper != nil {
			err = p.Kill()
		}
		for _, f := range []interface{ Close() error }{p.orders, p.reports, p.stdin, p.stdout} {
			_ = f.Close() // pipes without a reader; nil ones return an error
		}
		p.released = errors.Join(err, p.log.Close())
	})
	return p.released
}
