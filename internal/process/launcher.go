package process

// The launcher: starts processes, holds them together, and ends them all.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"github.com/tracetax/tracetax/internal/process/supervisor"
)

// The ways to tell processes apart for charging, chosen in Options. Auto takes cgroups if permitted, and clocks otherwise; the
// others fail if unavailable.
const (
	AccountingAuto  = cgroup.Auto
	AccountingGroup = cgroup.Any
	AccountingV1    = cgroup.V1
	AccountingV2    = cgroup.V2
	AccountingClock = cgroup.Clock
)

// Options configure a launcher.
type Options struct {
	Name       string   // unique among launchers of this tracetax: part of the cgroups' names
	LogDir     string   // where NAME.log of each process goes; made if missing
	LogLimit   int64    // bytes kept of each log; 0 is 64 MiB
	Self       []string // command of this tracetax; "agent keep" is added. nil is its own executable
	Accounting string   // one of the constants above; "" is AccountingAuto
}

// Launcher starts processes. Its methods may be called from several goroutines.
type Launcher struct {
	options Options
	mark    string      // unique on this machine while it lasts
	tree    cgroup.Tree // nil: clocks

	mu     sync.Mutex
	closed bool
	all    map[string]*Process // nil while one is being started
}

// NewLauncher makes the folder for logs and the cgroups.
func NewLauncher(o Options) (*Launcher, error) {
	if !goodName.MatchString(o.Name) {
		return nil, fmt.Errorf("launcher name %q: use letters, digits, '.', '_', '@' and '-'", o.Name)
	}
	if o.Accounting == "" {
		o.Accounting = AccountingAuto
	}
	known := []string{AccountingAuto, AccountingGroup, AccountingV1, AccountingV2, AccountingClock}
	if !slices.Contains(known, o.Accounting) {
		return nil, fmt.Errorf("accounting %q is none of %q", o.Accounting, known)
	}
	if o.LogLimit == 0 {
		o.LogLimit = 64 << 20
	}
	self, err := selfOr(o.Self)
	if err != nil {
		return nil, err
	}
	o.Self = self
	if err := os.MkdirAll(o.LogDir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for logs: %w", err)
	}
	l := &Launcher{options: o, mark: fmt.Sprintf("%s%d-%s", cgroup.Prefix, os.Getpid(), o.Name), all: map[string]*Process{}}
	t, err := cgroup.New(o.Accounting, l.mark)
	if err != nil {
		return nil, err
	}
	l.tree = t
	return l, nil
}

// Runs reports whether a process runs.
func Runs(pid int) bool { return proctree.Running(pid) }

// Detect returns the Accounting of a launcher made now with AccountingAuto: by this machine and the user's rights.
func Detect() string {
	l := &Launcher{mark: fmt.Sprintf("%s%d-detect", cgroup.Prefix, os.Getpid())}
	t, err := cgroup.New(AccountingAuto, l.mark)
	if err != nil || t == nil {
		return AccountingClock
	}
	l.tree = t
	defer cgroup.Remove(t.Dirs())
	return l.Accounting()
}

// Self returns the command of this tracetax, for its own agents.
func (l *Launcher) Self() []string { return slices.Clone(l.options.Self) }

// Logs returns the folder of the processes' logs.
func (l *Launcher) Logs() string { return l.options.LogDir }

// Accounting returns the way processes are told apart: "cgroup v1", "cgroup v2" or "clock".
func (l *Launcher) Accounting() string {
	if l.tree == nil {
		return AccountingClock
	}
	return l.tree.Version()
}

// Placement returns the way processes are bound to CPUs: "cpuset", "affinity" or "none".
func (l *Launcher) Placement() string {
	if l.tree != nil && l.tree.Has("cpuset") {
		return "cpuset"
	}
	return placementWithout
}

// KeeperCPU returns the CPU time of the keepers until now: part of tracetax's own cost.
func (l *Launcher) KeeperCPU() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var sum time.Duration
	for _, p := range l.all {
		if p != nil {
			sum += p.keeperCPU()
		}
	}
	return sum
}

// Start starts a process and returns when it executes its program. ctx limits the start only: the process lasts until Stop,
// Kill or Close. A failed start leaves nothing behind.
func (l *Launcher) Start(ctx context.Context, c Command) (*Process, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	asked := c
	if c.Container != nil {
		var err error
		if c, err = l.client(ctx, c); err != nil {
			return nil, fmt.Errorf("starting %s: %w", c.Name, err)
		}
	}
	env := c.environment(l.mark + "/" + c.Name)
	path, err := lookUp(c.Args[0], c.Dir, env)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Name, err)
	}
	if err := l.reserve(c.Name); err != nil {
		return nil, err
	}
	p, err := l.start(ctx, c, path, env)
	if err == nil && c.Container != nil {
		err = p.enter(ctx, asked)
	}
	if err != nil && p != nil { // its container has not started
		err = errors.Join(err, p.release(), cgroup.Remove(p.group.Dirs))
	}
	if err != nil {
		l.forget(c.Name)
		return nil, fmt.Errorf("starting %s: %w", c.Name, err)
	}
	l.mu.Lock()
	l.all[c.Name] = p
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return nil, errors.Join(fmt.Errorf("starting %s: the launcher was closed meanwhile", c.Name), p.release(), l.removeGroups())
	}
	return p, nil
}

func (l *Launcher) reserve(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("starting %s: the launcher is closed", name)
	}
	if _, taken := l.all[name]; taken {
		return fmt.Errorf("starting %s: there is a process of that name already", name)
	}
	l.all[name] = nil
	return nil
}

func (l *Launcher) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, name)
}

func (l *Launcher) start(ctx context.Context, c Command, path string, env []string) (*Process, error) {
	log, err := output.Create(filepath.Join(l.options.LogDir, c.Name+".log"), l.options.LogLimit)
	if err != nil {
		return nil, err
	}
	a := supervisor.Assignment{Name: c.Name, Path: path, Args: c.Args, Env: env, Dir: c.Dir}
	if c.Container != nil {
		a.End = c.Container.Engine.Removal(c.Container.name)
	}
	g, err := l.place(c, &a)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	p := newProcess(c, l.mark+"/"+c.Name, log, g, l.unmet(c))
	if err := p.launch(ctx, l.options.Self, a); err != nil {
		return nil, errors.Join(err, p.release(), cgroup.Remove(g.Dirs))
	}
	return p, nil
}

// Close kills the remaining processes, waits until none is left, and removes the cgroups. It may be called again.
func (l *Launcher) Close() error {
	l.mu.Lock()
	l.closed = true
	all := slices.Collect(maps.Values(l.all))
	l.mu.Unlock()
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	for i, p := range all {
		if p != nil {
			wait.Go(func() { errs[i] = p.release() })
		}
	}
	wait.Wait()
	for _, p := range all {
		if p != nil {
			errs = append(errs, cgroup.Remove(p.group.Dirs))
		}
	}
	return errors.Join(errors.Join(errs...), l.removeGroups())
}

func (l *Launcher) removeGroups() error {
	if l.tree == nil {
		return nil
	}
	return cgroup.Remove(l.tree.Dirs())
}
