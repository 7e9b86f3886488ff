package process

// A program in a container: the engine's client is the process that the keeper holds, and what is measured is the container that
// it has the engine start.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/container"
	"github.com/tracetax/tracetax/internal/jitter"
	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"github.com/tracetax/tracetax/internal/role"
)

// Container is the container of a command: its arguments, variables and working directory are those inside.
type Container struct {
	Engine container.Engine
	Image  string            // its ID
	Mounts []container.Mount // folders that it sees
	Folder string            // of the run, for a file of variables that is removed when it has started

	name  string
	since time.Time // before it was there
}

// client returns the command of the engine that starts c in its container.
func (l *Launcher) client(ctx context.Context, c Command) (Command, error) {
	in := *c.Container
	in.since = time.Now()
	in.name = strings.NewReplacer("/", ".", "@", ".").Replace(l.mark + "/" + c.Name)
	file := in.variables()
	more, err := container.WriteVariables(file, c.Env)
	if err != nil {
		return c, err
	}
	has, err := in.Engine.Controllers(ctx)
	if err != nil {
		return c, err
	}
	limited := func(controller string) bool { return has == nil || slices.Contains(has, controller) }
	spec := container.Spec{
		Engine: in.Engine, Image: in.Image, Name: in.name, Owner: strings.TrimPrefix(in.name, cgroup.Prefix),
		Args: c.Args, Dir: c.Dir, Mounts: in.Mounts,
	}
	out := Command{Name: c.Name, Role: c.Role, Container: &in}
	if limited("cpuset") {
		spec.CPUs = proctree.FormatCPUs(c.CPUs)
	} else {
		out.CPUs = c.CPUs // the container inherits the affinity of podman, which has no daemon
	}
	if limited("cpu") {
		spec.Quota = c.Quota
	} else {
		out.Quota = c.Quota
	}
	if limited("memory") {
		spec.Memory = c.Memory
	} else {
		out.Memory = c.Memory
	}
	out.Args = spec.Command(file, more)
	return out, nil
}

func (c *Container) variables() string { return filepath.Join(c.Folder, "variables-"+c.name) }

// contained is a container that runs.
type contained struct {
	of    *Container
	pid   int           // of its main process
	group *cgroup.Group // the engine's; zero: it made none
}

// asking is the mean time between two questions to the engine whether the container runs.
const asking = 40 * time.Millisecond

// enter waits until the container runs. asked is the command as it was before the engine's client took its place.
func (p *Process) enter(ctx context.Context, asked Command) error {
	in := p.command.Container
	defer os.Remove(in.variables()) // it is gone, or will be with its folder
	again := jitter.NewTicker(asking)
	defer again.Stop()
	for {
		state, err := in.Engine.State(ctx, in.name)
		if err == nil && state.PID > 0 && !preparing(state.PID) {
			return p.found(state, asked)
		}
		select {
		case <-p.exited:
			return p.died("starting its container")
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-again.C:
			again.Next()
		}
	}
}

// preparing reports whether a container's main process is still the one that makes the container (runc, crun), before it
// executes the program.
func preparing(pid int) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && (strings.HasPrefix(string(name), "runc:[") || strings.HasPrefix(string(name), "crun"))
}

// found takes the container in the place of the engine's client.
func (p *Process) found(state container.State, asked Command) error {
	in := p.command.Container
	group, err := cgroup.Of(state.PID)
	if err == nil && !ofContainer(group, state.ID) {
		group = &cgroup.Group{}
		below, err := proctree.Descendants(p.keeper.Process.Pid)
		if err != nil {
			return err
		}
		if !slices.Contains(below, state.PID) {
			return elsewhere(in, state.PID)
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		select {
		case <-p.exited: // it has ended at once
			return p.died("starting its container")
		case <-time.After(time.Second): // or its processes are not to be seen
		}
		return elsewhere(in, state.PID)
	}
	if err != nil {
		return err
	}
	p.inside = &contained{of: in, pid: state.PID, group: group}
	p.pid = state.PID
	p.started = time.Now().Add(-time.Since(state.Started.Round(0))) // onto this process's clock
	p.command.Args, p.command.Env, p.command.Dir = asked.Args, asked.Env, asked.Dir
	return nil
}

func elsewhere(in *Container, pid int) error {
	return fmt.Errorf("the main process of its container, %d by %s, is not among the processes of this machine: "+
		"the engine is on another one, or in a virtual machine; run tracetax where the containers run", pid, in.Engine.Name)
}

// ofContainer reports whether a group was made for a container: its path holds the container's ID.
func ofContainer(g *cgroup.Group, id string) bool {
	dir := accounts(g)
	return dir != "" && id != "" && strings.Contains(dir, id)
}

// accounts returns the directory in which the CPU time of a group is read.
func accounts(g *cgroup.Group) string {
	if dir := g.At["cpuacct"]; dir != "" {
		return dir
	}
	return g.At["unified"]
}

// pids lists the processes of the container: those of its group, or what descends from its main process.
func (c *contained) pids() ([]int, error) {
	if dir := accounts(c.group); dir != "" {
		return cgroup.PIDs([]string{dir})
	}
	below, err := proctree.Descendants(c.pid)
	if err != nil || !proctree.Running(c.pid) {
		return below, err
	}
	return proctree.Merge(below, []int{c.pid}), nil
}

// unheard reports whether the main process has no handler for a signal, and does not ignore it: as process 1 of its namespace it
// does not get such a one, which would end it anywhere else.
func (c *contained) unheard(s syscall.Signal) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	if err != nil {
		return false // the client's signal does what can be done
	}
	heard := false
	for line := range strings.Lines(string(text)) {
		name, mask, _ := strings.Cut(line, ":")
		if name == "SigCgt" || name == "SigIgn" {
			bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			heard = heard || err != nil || bits&(1<<(uint(s)-1)) != 0
		}
	}
	return !heard
}

// end ends a container whose main process does not handle SIGTERM: outside a container that would end it at once, and leave its
// children, which are asked to end here first.
func (c *contained) end(ctx context.Context) error {
	pids, err := c.pids()
	if err != nil {
		return err
	}
	asked := false
	for _, pid := range pids {
		asked = pid != c.pid && syscall.Kill(pid, syscall.SIGTERM) == nil || asked
	}
	if asked {
		return nil // a shell ends with what it waits for; what does not is killed after the grace
	}
	if err := c.of.Engine.Kill(ctx, c.of.name); err != nil && proctree.Running(c.pid) {
		return err
	}
	return nil
}

// removeContainer removes the container of a process whose keeper was killed.
func (p *Process) removeContainer() error {
	in := p.command.Container
	if in == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := in.Engine.State(ctx, in.name); err != nil {
		return nil // there is none
	}
	return in.Engine.Remove(ctx, in.name)
}

// The statuses of an engine's client that are none of the program's.
const (
	engineFailed = 125 // the engine itself
	signalled    = 128 // and more: a signal ended the program
)

// exit returns the end of a program that its engine's client reports.
func (c *Container) exit(of Exit) Exit {
	if of.Signal == 0 && of.Code > signalled && of.Code < signalled+65 {
		of.Signal, of.Code = syscall.Signal(of.Code-signalled), -1
	}
	if of.Signal == syscall.SIGKILL {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		of.OutOfMemory = c.Engine.RanOut(ctx, c.name, c.since)
	}
	return of
}

// Helpers is what an engine runs for a container: its client, and what watches over the container. Its use is shown apart from
// the program's.
type Helpers struct{ p *Process }

// Helpers returns the engine's processes for a container; nil if the process runs in none.
func (p *Process) Helpers() *Helpers {
	if p.inside == nil {
		return nil
	}
	return &Helpers{p}
}

// Name returns engine@NAME.
func (h *Helpers) Name() string { return "engine@" + h.p.Name() }

// Role returns the role of engines.
func (h *Helpers) Role() role.Role { return role.Engine }

// Groups returns no cgroup: some of the processes are in none of tracetax's.
func (h *Helpers) Groups() map[string]string { return nil }

// watchers are what engines leave with a container, as its parent.
var watchers = []string{"conmon", "containerd-shim", "containerd-shim-runc-v2"}

// Pids lists the engine's processes at the moment.
func (h *Helpers) Pids() ([]int, error) {
	select {
	case <-h.p.gone:
		return nil, nil
	default:
	}
	below, err := proctree.Descendants(h.p.keeper.Process.Pid)
	if err != nil {
		return nil, err
	}
	program, err := h.p.inside.pids()
	if err != nil {
		return nil, err
	}
	below = slices.DeleteFunc(below, func(pid int) bool { return slices.Contains(program, pid) })
	if parent := proctree.Parent(h.p.inside.pid); parent > 0 && slices.Contains(watchers, inspect.Name(parent)) {
		below = proctree.Merge(below, []int{parent})
	}
	return below, nil
}

// Reaped returns the usage of those that have ended.
func (h *Helpers) Reaped() (syscall.Rusage, error) { return h.p.reapedByKeeper() }

// LogFull returns 0: the program writes the log.
func (h *Helpers) LogFull() time.Duration { return 0 }
