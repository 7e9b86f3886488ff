package process

// One process as tracetax sees it, through its keeper.

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/keeper"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/process/table"
	"github.com/tracetax/tracetax/internal/role"
)

// Log is what a process wrote. Its methods may be called at any time from any
// goroutine.
type Log = output.Log

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
	orders        *os.File
	reports       *os.File
	stdin, stdout *os.File // nil unless piped

	pid     int
	started time.Time

	exited chan struct{} // closed when the main process has ended
	gone   chan struct{} // closed when nothing of it is left

	mu      sync.Mutex // guards what follows, and writing to orders
	exit    Exit
	ended   bool // exit is known
	reaped  syscall.Rusage
	own     time.Duration // CPU time of the keeper, known when gone
	lastErr error         // of cleaning up after a killed keeper
	asked   uint64
	answers map[uint64]chan syscall.Rusage

	releasing sync.Once
	released  error
}

func newProcess(c Command, mark string, log *Log, g *cgroup.Group, unmet []string) *Process {
	return &Process{
		command: c, mark: mark, log: log, group: g, unmet: unmet, patience: patience,
		exited: make(chan struct{}), gone: make(chan struct{}),
		answers: map[uint64]chan syscall.Rusage{},
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
	p.mu.Lock()
	p.asked++
	id := p.asked
	answer := make(chan syscall.Rusage, 1)
	p.answers[id] = answer
	err := p.order(keeper.Order{Do: keeper.DoReaped, ID: id})
	p.mu.Unlock()
	if err == nil {
		select {
		case usage := <-answer:
			return usage, nil
		case <-p.gone:
		}
	}
	<-p.gone // an order that can't be given means that the keeper is ending
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.answers, id)
	return p.reaped, nil
}

// order writes one order; p.mu is held.
func (p *Process) order(o keeper.Order) error {
	line, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("writing an order: %w", err)
	}
	_, err = p.orders.Write(append(line, '\n'))
	return err
}

func (p *Process) send(o keeper.Order) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.order(o)
}

// Died is the error that says how the process ended, with its last lines; only
// meaningful after Done.
func (p *Process) Died() *DiedError { return p.died("") }

func (p *Process) died(while string) *DiedError {
	return &DiedError{Process: p.Name(), While: while, Exit: p.Exit(), Log: p.log.Tail(quoted), Why: Telling(p.log.Tail(searched))}
}
