package run

import (
	"context"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/role"
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

// SetBesideStart sets for how long a start waits for those before it to be calm.
func SetBesideStart(d time.Duration) (restore func()) {
	before := besideStart
	besideStart = d
	return func() { besideStart = before }
}

// SetGrace sets how long a process may take to end when it is asked to, and one that did not in an earlier run.
func SetGrace(asked, again time.Duration) (restore func()) {
	before, beforeAgain := grace, deaf
	grace, deaf = asked, again
	return func() { grace, deaf = before, beforeAgain }
}

// LiveAt has the workload's processes be reached at another host, and reach the sink there.
func (c *Conductor) LiveAt(host string) {
	c.Target = func(l *process.Launcher, _ Request) Target { return there{here{l}, host} }
}

// Hide has the programs of the workload's processes be such as may not be looked into.
func (c *Conductor) Hide() {
	c.Target = func(l *process.Launcher, _ Request) Target { return hiding{here{l}} }
}

type hiding struct{ here }

func (h hiding) Start(ctx context.Context, c process.Command) (Process, error) {
	p, err := h.here.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return hidden{p.(local)}, nil
}

type hidden struct{ local }

func (hidden) Answers(*process.Tables, string, []int, []int) (seen bool, err error) {
	return false, nil
}

// Lose has the run whose app is called so lose all processes while the other run of its block looks at both: the look goes on
// once nothing of them can be read, and their run ends after the other.
func (c *Conductor) Lose(name string) {
	l := &losing{name: name, gone: make(chan struct{}), ended: make(chan struct{})}
	c.Target = func(launcher *process.Launcher, _ Request) Target { return &losingTarget{here{launcher}, l, false} }
}

type losing struct {
	name        string
	app         atomic.Pointer[process.Process]
	gone, ended chan struct{} // the processes of the one run, and of the other
}

type losingTarget struct {
	here
	*losing
	loses bool
}

func (t *losingTarget) Start(ctx context.Context, c process.Command) (Process, error) {
	p, err := t.here.Start(ctx, c)
	if one, ok := p.(local); ok && c.Name == t.name {
		t.loses = true
		t.app.Store(one.Process)
	}
	return p, err
}

func (t *losingTarget) Meter(ctx context.Context, all []Process) (Meter, error) {
	m, err := t.here.Meter(ctx, all)
	return losingMeter{m, t}, err
}

func (t *losingTarget) Close() error {
	err := t.here.Close()
	if !t.loses {
		close(t.ended)
		return err
	}
	close(t.gone)
	<-t.ended
	return err
}

type losingMeter struct {
	Meter
	of *losingTarget
}

func (m losingMeter) Glance(is func(role.Role) bool) (readings.Mark, error) {
	if is(role.Load) && !m.of.loses {
		if err := m.of.app.Load().Kill(); err != nil {
			return readings.Mark{}, err
		}
		<-m.of.gone
	}
	return m.Meter.Glance(is)
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
	c.outside = func(windows []derive.Outside) []derive.Outside {
		for i := range windows {
			windows[i].Besides = derive.Besides{App: derive.Taken{Ours: 0.1, All: 1}, Harness: derive.Taken{Ours: 0.1, All: 1}}
			if slices.Contains(places, i) {
				windows[i].App.Others = 0.9
			}
		}
		return windows
	}
}
