package run

import (
	"context"
	"fmt"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/usage"
)

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
	_ mover        = local{}
	_ visible      = local{}
	_ usage.Target = local{}
)

// Address implements Process.
func (p local) Address() string { return loopback }
