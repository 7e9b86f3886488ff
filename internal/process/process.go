// Package process owns the programs that a run starts: finding and starting
// them, waiting until they are ready, stopping them so that nothing is left
// behind, their place on the machine (cgroups, CPUs, limits), their free ports
// and their logs. It must not know what is measured, nor why they run.
//
// Every program is started by a keeper of its own: this binary executed again
// as "agent keep" (package keeper). The keeper is the parent of the program and the
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

	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/lines"
	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/inside"
	"github.com/tracetax/tracetax/internal/process/keeper"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/process/table"
	"github.com/tracetax/tracetax/internal/role"
	"golang.org/x/sys/unix"
)

// One process as tracetax sees it, through its keeper.

// Log is what a process wrote. Its methods may be called at any time from any
// goroutine.
type Log = output.Log

// Pattern is a regular expression for lines of a log.
type Pattern = output.Pattern

// Process is a started program with everything that descends from it.
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
	talk          *lines.Client[keeper.Order, keeper.Report]

	pid     int
	started time.Time

	exited chan struct{} // closed when the main process has ended
	gone   chan struct{} // closed when nothing of it is left

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

// PID is the number of the program's main process.
func (p *Process) PID() int { return p.pid }

// Name is the command's name.
func (p *Process) Name() string { return p.command.Name }

// Role is the command's role.
func (p *Process) Role() role.Role { return p.command.Role }

// Started is the moment of the fork that became the program.
func (p *Process) Started() time.Time { return p.started }

// Done is closed when the main process has ended; then Exit is set.
func (p *Process) Done() <-chan struct{} { return p.exited }

// Log is what the program wrote to stderr and, unless piped, to stdout.
func (p *Process) Log() *Log { return p.log }

// Stdin is the program's standard input where it is piped, otherwise nil.
func (p *Process) Stdin() io.WriteCloser {
	if p.stdin == nil {
		return nil
	}
	return p.stdin
}

// Stdout is the program's standard output where it is piped, otherwise nil.
func (p *Process) Stdout() io.Reader {
	if p.stdout == nil {
		return nil
	}
	return p.stdout
}

// LogFull is for how long until now the program could not write to its log, about: tracetax had not read what was there.
func (p *Process) LogFull() time.Duration { return p.log.Full() }

// Unmet lists in words what the command asked for and the machine can't do.
func (p *Process) Unmet() []string { return slices.Clone(p.unmet) }

// Exit is how the main process ended; only meaningful after Done.
func (p *Process) Exit() Exit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// Groups are the directories of the process's cgroup by controller: cpuacct,
// cpu, cpuset, memory for version 1; "unified", and those controllers that are
// enabled, for version 2. Without cgroups it is empty. They last until the
// launcher is closed.
func (p *Process) Groups() map[string]string { return maps.Clone(p.group.At) }

// Pids lists the processes that it consists of at the moment, zombies included.
func (p *Process) Pids() ([]int, error) {
	select {
	case <-p.gone:
		return nil, nil
	default:
	}
	return table.Descendants(p.keeper.Process.Pid)
}

// Reaped is what those of its processes used that have ended and were waited
// for by the keeper: the main process, and orphans. Children that were waited
// for by a process of its own are part of that one's figures.
func (p *Process) Reaped() (syscall.Rusage, error) {
	if r, err := p.talk.Ask(context.Background(), keeper.Order{Do: keeper.DoReaped}); err == nil {
		return *r.Usage, nil
	}
	<-p.gone // an order that can't be given means that the keeper is ending
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reaped, nil
}

// Died is the error that says how the process ended, with its last lines; only
// meaningful after Done.
func (p *Process) Died() *DiedError { return p.died("") }

func (p *Process) died(while string) *DiedError {
	return &DiedError{Process: p.Name(), While: while, Exit: p.Exit(), Log: p.log.Tail(quoted), Why: Telling(p.log.Tail(searched))}
}

// How a program ended.

// Exit is how the program's main process ended.
type Exit struct {
	Code        int            // exit status; −1 where a signal ended it
	Signal      syscall.Signal // 0 where it ended by itself
	Rusage      syscall.Rusage // its own and that of the children it waited for
	OutOfMemory bool           // the kernel killed in its cgroup for want of memory
	Lost        bool           // its keeper was killed, and its status is unknown
	Left        []string       // programs of its making that were still running at that moment, each once
	At          time.Time      // when tracetax heard of it
}

// String says it in words: "exit status 1", "killed by SIGKILL (out of memory)".
func (e Exit) String() string {
	var s string
	switch {
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
		s += " leaving " + excerpt.Lines(e.Left, ", ") + " in the background; if that is the program, have it stay in the foreground"
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

// What the programs are that a process consists of.

// Inside is what can be seen of one of the programs that a process consists of.
type Inside = inside.Program

// Inside looks at what a process consists of at the moment. variables are the names that each
// of its programs should have started with, and folder holds files that one may have open
// or mapped; "" is none. What has ended meanwhile, or may not be read, is left out.
func (p *Process) Inside(variables []string, folder string) ([]Inside, error) {
	pids, err := p.Pids()
	if err != nil {
		return nil, err
	}
	return inside.Look(pids, variables, folder), nil
}

// Sockets are the TCP sockets that a process has at the moment.
type Sockets = inside.Sockets

// Connection is one over TCP, by its ends.
type Connection = inside.Connection

// Tables are the kernel's tables of TCP sockets at one moment.
type Tables = inside.Tables

// Sockets looks for the TCP sockets of the programs that a process consists of. What has ended meanwhile, or may not be
// read, is left out.
func (p *Process) Sockets(in *Tables) (Sockets, error) {
	pids, err := p.Pids()
	if err != nil {
		return Sockets{}, err
	}
	return in.Of(pids), nil
}

// Runtime is the virtual machine that the program runs on, such as "java 17.0.15+6
// (Debian)"; "" if unknown: only Java is recognised.
func (p *Process) Runtime() string {
	pids, err := p.Pids()
	if err != nil {
		return ""
	}
	return inside.Runtime(pids)
}
