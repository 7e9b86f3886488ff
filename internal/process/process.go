// Package process owns the programs that a run starts: finding and starting
// them, waiting until they are ready, stopping them so that nothing is left
// behind, their place on the machine (cgroups, CPUs, limits), their free ports
// and their logs. It must not know what is measured, nor why they run.
//
// Every program is started by a keeper of its own: this binary executed again
// as "agent keep" (package supervisor). The keeper is the parent of the program and the
// reaper of everything the program forks off. It ends the whole subtree when
// the pipe from tracetax closes, however tracetax came to its end; and when the
// keeper itself is killed, the kernel kills the program and tracetax the rest.
package process

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"github.com/tracetax/tracetax/internal/process/supervisor"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/role"
	"golang.org/x/sys/unix"
)

// One process, through its keeper.

// Log is the output of a process. Its methods may be called at any time from any goroutine.
type Log = output.Log

// Pattern is a regular expression for lines of a log.
type Pattern = output.Pattern

// Process is a started program with all its descendants.
type Process struct {
	command Command
	mark    string
	log     *Log
	group   *cgroup.Group
	unmet   []string
	held    []*os.File // by the keeper too

	patience time.Duration // see the constant

	keeper        *exec.Cmd
	orders        *os.File // to the keeper, which talk writes to
	reports       *os.File
	stdin, stdout *os.File // nil unless piped
	talk          *jsonpipe.Client[supervisor.Order, supervisor.Report]

	pid     int
	started time.Time
	inside  *contained // nil: it runs in no container

	exited chan struct{} // closed when the main process has ended
	gone   chan struct{} // closed when no descendant is left

	mu      sync.Mutex // guards what follows
	exit    Exit
	ended   bool // exit is known
	reaped  syscall.Rusage
	own     time.Duration // CPU time of the keeper, known when gone
	lastErr error         // of cleaning up after a killed keeper

	releasing sync.Once
	released  error
}

func newProcess(c Command, mark string, log *Log, g *cgroup.Group, unmet []string) *Process {
	return &Process{
		command: c, mark: mark, log: log, group: g, unmet: unmet, patience: patience,
		exited: make(chan struct{}), gone: make(chan struct{}),
	}
}

// PID returns the PID of the program's main process.
func (p *Process) PID() int { return p.pid }

// Name is the command's name.
func (p *Process) Name() string { return p.command.Name }

// Role is the command's role.
func (p *Process) Role() role.Role { return p.command.Role }

// Started returns the moment of the fork that became the program.
func (p *Process) Started() time.Time { return p.started }

// Done returns a channel that is closed when the main process has ended; then Exit is set.
func (p *Process) Done() <-chan struct{} { return p.exited }

// Log returns the program's stderr and, unless piped, its stdout.
func (p *Process) Log() *Log { return p.log }

// Stdin returns the program's standard input if it is piped, otherwise nil.
func (p *Process) Stdin() io.WriteCloser {
	if p.stdin == nil {
		return nil
	}
	return p.stdin
}

// Stdout returns the program's standard output if it is piped, otherwise nil.
func (p *Process) Stdout() io.Reader {
	if p.stdout == nil {
		return nil
	}
	return p.stdout
}

// LogFull returns roughly how long the program has been blocked on a full log pipe.
func (p *Process) LogFull() time.Duration { return p.log.Full() }

// Unmet lists in words the demands of the command that the machine cannot meet.
func (p *Process) Unmet() []string { return slices.Clone(p.unmet) }

// Exit returns the end of the main process; only meaningful after Done.
func (p *Process) Exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// Groups returns the directories of the process's cgroup by controller: cpuacct, cpu, cpuset, memory for version 1; "unified"
// and the enabled controllers for version 2. Without cgroups it is empty. They last until the launcher is closed.
func (p *Process) Groups() map[string]string {
	if p.inside != nil {
		return maps.Clone(p.inside.group.At)
	}
	return maps.Clone(p.group.At)
}

// Pids lists its processes at the moment, zombies included.
func (p *Process) Pids() ([]int, error) {
	select {
	case <-p.gone:
		return nil, nil
	default:
	}
	if p.inside != nil {
		return p.inside.pids()
	}
	return proctree.Descendants(p.keeper.Process.Pid)
}

// Workers returns how many of its processes one of them has started, at most: the workers of a server. A single one is none.
func (p *Process) Workers() (int, error) {
	pids, err := p.Pids()
	if n := proctree.Siblings(pids); n > 1 {
		return n, err
	}
	return 0, err
}

// Reaped returns the usage of the ended processes that the keeper waited for: the main process, and orphans. The usage of a
// child that one of them waited for is part of that one's figures.
func (p *Process) Reaped() (syscall.Rusage, error) {
	if p.inside != nil {
		return syscall.Rusage{}, nil // the main process of the container waits for all others
	}
	return p.reapedByKeeper()
}

func (p *Process) reapedByKeeper() (syscall.Rusage, error) {
	if r, err := p.talk.Ask(context.Background(), supervisor.Order{Do: supervisor.DoReaped}); err == nil {
		return *r.Usage, nil
	}
	<-p.gone // a keeper that takes no orders is ending
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reaped, nil
}

// Died returns an error with the end of the process and its last lines; only meaningful after Done.
func (p *Process) Died() *DiedError { return p.died("") }

func (p *Process) died(while string) *DiedError { return Died(p.Name(), while, p.Exit(), p.log) }

// Died returns the error of a process that ended too early, with what its log tells.
func Died(process, while string, exit Exit, log *Log) *DiedError {
	return &DiedError{Process: process, While: while, Exit: exit, Log: log.Tail(quoted), Why: Telling(log.Tail(searched))}
}

// The end of a program.

// Exit describes the end of the program's main process.
type Exit struct {
	Code        int            // exit status; −1 if a signal ended it
	Signal      syscall.Signal // 0 if it ended by itself
	Rusage      syscall.Rusage // its own and that of the children it waited for
	OutOfMemory bool           // the kernel killed in its cgroup for want of memory
	Lost        bool           // its keeper was killed, and its status is unknown
	Left        []string       // programs it left running at that moment, each once
	Why         string         // what ended it from outside, in words, where that is known: its pod was deleted; ""
	At          time.Time      // when tracetax learned of it
}

// String describes it: "exit status 1", "killed by SIGKILL (out of memory)".
func (e Exit) String() string {
	var s string
	switch {
	case e.Why != "":
		s = e.Why
	case e.Lost:
		return "killed together with its keeper"
	case e.Signal != 0:
		s = "killed by " + signalName(e.Signal)
	default:
		s = fmt.Sprintf("exit status %d", e.Code)
	}
	if e.OutOfMemory {
		s += " (out of memory: its memory limit was reached)"
	}
	if len(e.Left) > 0 && e.Signal == 0 && e.Code == 0 { // it may be the program, or a helper of one that failed
		s += " leaving " + quote.Lines(e.Left, ", ") + " in the background; if that is the program, have it stay in the foreground"
	}
	return s
}

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

func exitOf(status syscall.WaitStatus, usage syscall.Rusage) Exit {
	e := Exit{Code: -1, Rusage: usage}
	if status.Signaled() {
		e.Signal = status.Signal()
		return e
	}
	e.Code = status.ExitStatus()
	return e
}

// The programs of a process.

// Inside is the visible state of one program of a process.
type Inside = inspect.Program

// Inside describes the programs of a process now. variables: names that should be in the environment of each; folder: its files
// may be open or mapped, "" is none. Processes that have ended or may not be read are left out.
func (p *Process) Inside(variables []string, folder string) ([]Inside, error) {
	pids, err := p.Pids()
	if err != nil {
		return nil, err
	}
	return inspect.Look(pids, variables, folder), nil
}

// Sockets holds the TCP sockets of a process at the moment.
type Sockets = inspect.Sockets

// Connection is one over TCP, by its ends.
type Connection = inspect.Connection

// Tables holds the kernel's tables of TCP sockets at one moment.
type Tables = inspect.Tables

// Sockets returns the TCP sockets of a process's programs. Processes that have ended or may not be read are left out.
func (p *Process) Sockets(in *Tables) (Sockets, error) {
	pids, err := p.Pids()
	if err != nil {
		return Sockets{}, err
	}
	return in.Of(pids), nil
}

// Runtime returns the virtual machine of the program, such as "java 17.0.15+6 (Debian)"; "" if unknown: only Java is
// recognised.
func (p *Process) Runtime() string {
	pids, err := p.Pids()
	if err != nil {
		return ""
	}
	return inspect.Runtime(pids)
}
