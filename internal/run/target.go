// Where the processes of a run live, from the run's side, and this machine as that
// place. The sink and the load generator are always on this machine.

package run

import (
	"context"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
)

// Target is where the processes of a workload live.
type Target interface {
	// Start starts a process; ctx limits the start only.
	Start(context.Context, process.Command) (Process, error)
	// Meter reads what processes use, those of the harness among them, until ctx ends.
	Meter(context.Context, []Process) (Meter, error)
	// Reach is where something on this machine is to listen, so the target's processes
	// reach it, rather than at an address that is reached from this machine alone.
	Reach(address string) string
	// Close ends what still runs, and waits until nothing is left of it.
	Close() error
}

// Process is a process of a run, with everything that descends from it.
type Process interface {
	Name() string
	Role() role.Role
	Address() string // the host at which this machine reaches it
	Unmet() []string // what was asked for it and cannot be had there, in words
	Started() time.Time
	Ready(context.Context, process.Check) (process.Answers, error)
	Stop(context.Context, time.Duration) (killed bool, err error)
	Done() <-chan struct{}
	Died() *process.DiedError // how it ended, once Done is closed
	Log() *process.Log
}

// Meter reads what processes use, in the order in which they were given.
type Meter interface {
	Mark() (usage.Mark, error)
	Glance(is func(role.Role) bool) (usage.Mark, error) // of the CPU alone, of some roles
	Between(a, b usage.Mark) []record.Usage
	// Memory is what they held over a stretch of time. Sample ends one: it takes a last sample.
	Memory(over ...usage.Stretch) []usage.Memory
	Sample() error
	// Threads reads single threads, and Hottest is the busiest of them between two readings;
	// both know nothing where nothing can be read.
	Threads(is func(role.Role) bool) (usage.Threads, error)
	Hottest(a, b usage.Threads) (process string, share float64)
	// Want is whether a thread would run at the moment.
	Want(is func(role.Role) bool) (bool, error)
}

// visible is a process that can be looked into from outside.
type visible interface {
	Runtime() string // what it runs on; "" where that cannot be seen
	Inside(variables []string, folder string) ([]process.Inside, error)
	Sockets(in *process.Tables) (process.Sockets, error)
	Pids() ([]int, error)
	Answers(in *process.Tables, address string, run, apps []int) (seen bool, err error)
}

// loopback is the host at which everything on this machine reaches everything else.
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
func (h here) Meter(ctx context.Context, all []Process) (Meter, error) {
	var targets []usage.Target
	for _, p := range all {
		target, readable := p.(usage.Target)
		if !readable {
			return nil, fmt.Errorf("reading what %s uses: it is no process of this machine", p.Name())
		}
		targets = append(targets, target)
	}
	m := usage.NewMeter(targets)
	return m, m.Start(ctx)
}

// Reach implements Target.
func (h here) Reach(address string) string { return address }

// local is a process of this machine.
type local struct{ *process.Process }

var (
	_ visible      = local{}
	_ usage.Target = local{}
)

// Address implements Process.
func (p local) Address() string { return loopback }
