// The host of a run's processes, from the run's side, and this machine as such a host. The sink and the load generator are
// always on this machine.

package run

import (
	"context"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
)

// Target hosts the processes of a workload.
type Target interface {
	// Start starts a process; ctx limits the start only.
	Start(context.Context, process.Command) (Process, error)
	// Meter reads the use of processes, those of the harness among them, until ctx ends.
	Meter(context.Context, []Process) (Meter, error)
	// Reach returns the address at which a program on this machine must listen for the target's processes to reach it, instead of
	// one that only this machine reaches.
	Reach(address string) string
	// Accounting returns how the CPU time of its processes is told apart: see record.Harness.
	Accounting() string
	// Close ends the remaining processes, and waits until none is left.
	Close() error
}

// Process is a process of a run, with all its descendants.
type Process interface {
	Name() string
	Role() role.Role
	Address() string // the host at which this machine reaches it
	Unmet() []string // demands that its host cannot meet, in words
	Started() time.Time
	Ready(context.Context, process.Check) (process.Answers, error)
	Stop(context.Context, time.Duration) (killed bool, err error)
	Done() <-chan struct{}
	Died() *process.DiedError // its end, once Done is closed
	Log() *process.Log
}

// Meter reads processes, in the order given.
type Meter interface {
	Mark() (readings.Mark, error)
	Glance(is func(role.Role) bool) (readings.Mark, error)     // CPU time only, of some roles
	Threads(is func(role.Role) bool) (readings.Threads, error) // single threads; empty without readings
	// Log returns the processes and the samples of their memory until now. Sample takes one more.
	Log() readings.Log
	Sample() error
	// Want reports whether a thread would run at the moment.
	Want(is func(role.Role) bool) (bool, error)
}

// visible is a process that can be inspected from outside.
type visible interface {
	Runtime() string // its virtual machine; "" if unknown
	Inside(variables []string, folder string) ([]process.Inside, error)
	Sockets(in *process.Tables) (process.Sockets, error)
	Pids() ([]int, error)
	Workers() (int, error)
	Answers(in *process.Tables, address string, run, apps []int) (seen bool, err error)
}

// loopback is the host at which all programs of this machine reach each other.
const loopback = "127.0.0.1"

// here is this machine as a target.
type here struct{ *process.Launcher }

var _ Target = here{}

// Start implements Target.
func (h here) Start(ctx context.Context, c process.Command) (Process, error) {
	p, err := h.Launcher.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return local{p}, nil
}

// Meter implements Target.
func (h here) Meter(ctx context.Context, all []Process) (Meter, error) { return MeterOf(ctx, all) }

// MeterOf returns a started meter of processes that are each a usage.Target, on this machine or elsewhere.
func MeterOf(ctx context.Context, all []Process) (Meter, error) {
	var targets, helpers []usage.Target
	for _, p := range all {
		target, readable := p.(usage.Target)
		if !readable {
			return nil, fmt.Errorf("reading what %s uses: nothing reads it", p.Name())
		}
		targets = append(targets, target)
		if with, is := p.(accompanied); is {
			helpers = append(helpers, with.Beside()...)
		}
	}
	targets = append(targets, helpers...) // behind those that were asked for, in their order
	m := usage.NewMeter(targets)
	return m, m.Start(ctx)
}

// accompanied is a process beside which others run that nobody planned, and which are read, too.
type accompanied interface{ Beside() []usage.Target }

// Reach implements Target.
func (h here) Reach(address string) string { return address }

// local is a process of this machine.
type local struct{ *process.Process }

var (
	_ visible      = local{}
	_ usage.Target = local{}
)

// Beside returns what a container's engine runs for it.
func (p local) Beside() []usage.Target {
	if h := p.Helpers(); h != nil {
		return []usage.Target{h}
	}
	return nil
}

// Address implements Process.
func (p local) Address() string { return loopback }
