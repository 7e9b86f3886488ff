package run

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/process"
)

// SetLastPatience sets for how long the sink may take after the end of the processes.
func SetLastPatience(d time.Duration) (restore func()) {
	before := lastPatience
	lastPatience = d
	return func() { lastPatience = before }
}

// SetCalmPatience sets for how long a program is waited for that still starts, one that seems to work for good, and one that
// is not calm after its load.
func SetCalmPatience(start, work, drain time.Duration) (restore func()) {
	wasStart, wasWork, wasDrain := startPatience, forLong, drainPatience
	startPatience, forLong, drainPatience = start, work, drain
	return func() { startPatience, forLong, drainPatience = wasStart, wasWork, wasDrain }
}

// SetGrace sets how long a process may take to end when it is asked to, and one that did not in an earlier run.
func SetGrace(asked, again time.Duration) (restore func()) {
	before, beforeAgain := grace, deaf
	grace, deaf = asked, again
	return func() { grace, deaf = before, beforeAgain }
}

// LiveAt has the workload's processes be reached at another host, and reach the sink there.
func (c *Conductor) LiveAt(host string) {
	c.target = func(l *process.Launcher) Target { return there{here{l}, host} }
}

// there is this machine at another of its addresses.
type there struct {
	here
	host string
}

func (t there) Start(ctx context.Context, c process.Command) (Process, error) {
	p, err := t.here.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return at{p.(local), t.host}, nil
}

func (t there) Reach(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		panic(err)
	}
	return net.JoinHostPort(t.host, port)
}

type at struct {
	local
	host string
}

func (p at) Address() string { return p.host }

// Disturb has a program outside the block take half of the app's CPUs in some windows, by their places, and nothing else be
// seen of others.
func (c *Conductor) Disturb(places ...int) {
	c.outside = func(windows []outside) []outside {
		for i := range windows {
			windows[i].besides = besides{app: taken{ours: 0.1, all: 1}, harness: taken{ours: 0.1, all: 1}}
			if slices.Contains(places, i) {
				windows[i].app.others = 0.9
			}
		}
		return windows
	}
}
