// Package usage owns the reading of what processes use: CPU time, memory,
// context switches, throttling, by process over a window of time. It must not
// know statistics, nor how processes are started.
//
// CPU time comes from the process's cgroup where it has one, and otherwise from
// the CPU clocks of its living processes plus what is known of its dead ones.
// docs/placement.md says how exact each is.
package usage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/jitter"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/role"
)

// Target is a measured process, with all its descendants.
type Target interface {
	Name() string
	Role() role.Role
	// Groups are the directories of its cgroup by controller: cpuacct, cpu,
	// memory of version 1, or "unified" of version 2 with the controllers that
	// are enabled there; empty where it has none.
	Groups() map[string]string
	// Pids are its processes at the moment, zombies included.
	Pids() ([]int, error)
	// Reaped is the use of processes that have ended and were waited for.
	Reaped() (syscall.Rusage, error)
	// LogFull is for how long until now it could not write to its log, about.
	LogFull() time.Duration
}

// Afar is a target that no file of this machine tells of: it is read where it runs.
type Afar interface {
	Target
	// Read returns its counters until now, those of its CPU time and throttling at least.
	Read() (readings.Counters, error)
	// Memory returns its memory, as a sample has it.
	Memory() (bytes uint64, err error)
}

// rate is the time between two samples of memory.
const rate = 220 * time.Millisecond

// Meter reads the usage of some targets. Its methods may be called from several
// goroutines.
type Meter struct {
	targets []Target

	mu     sync.Mutex
	memory [][]readings.Sample // by target, in the order of time
	failed error               // the last failure to sample
	blind  []bool              // by target: at some mark its clocks could not be read beside its cgroup

	sampling sync.WaitGroup
	taking   sync.Mutex // a sample is taken by one at a time
	samplers []*sampler // by target; nil before Start
}

// NewMeter returns a meter of targets that have been started.
func NewMeter(targets []Target) *Meter {
	return &Meter{targets: targets, memory: make([][]readings.Sample, len(targets)), blind: make([]bool, len(targets))}
}

// Start begins to sample memory, four to five times a second until ctx ends. It
// fails if the first sample can't be taken.
func (m *Meter) Start(ctx context.Context) error {
	m.taking.Lock()
	m.samplers = make([]*sampler, len(m.targets))
	for i, t := range m.targets {
		m.samplers[i] = newSampler(t)
	}
	m.taking.Unlock()
	if err := m.Sample(); err != nil {
		return err
	}
	m.sampling.Go(func() {
		tick := jitter.NewTicker(rate)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				tick.Next()
				err := m.sample(false)
				m.mu.Lock()
				m.failed = err
				m.mu.Unlock()
			}
		}
	})
	return nil
}

// Wait returns when sampling has ended, which it does when the context of Start ends.
func (m *Meter) Wait() { m.sampling.Wait() }

// Sample takes a sample of all targets now, also of those with none due: what is
// told of a stretch that it ends rests on the stretch itself, however short it was. Before
// Start it does nothing.
func (m *Meter) Sample() error { return m.sample(true) }

func (m *Meter) sample(now bool) error {
	m.taking.Lock()
	defer m.taking.Unlock()
	var errs []error
	for i, s := range m.samplers {
		bytes, ok, err := s.read(now)
		if err != nil {
			errs = append(errs, fmt.Errorf("sampling the memory of %s: %w", m.targets[i].Name(), err))
			continue
		}
		if ok {
			m.mu.Lock()
			m.memory[i] = append(m.memory[i], readings.Sample{At: time.Now(), Bytes: bytes})
			m.mu.Unlock()
		}
	}
	return errors.Join(errs...)
}

// Mark reads all targets. A target that has ended keeps its last figures.
func (m *Meter) Mark() (readings.Mark, error) {
	m.mu.Lock()
	failed := m.failed
	m.mu.Unlock()
	mark := make(readings.Mark, len(m.targets))
	errs := []error{failed}
	for i, t := range m.targets {
		r, err := read(t)
		if err == nil {
			err = m.sighted(i, r)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("reading what %s uses: %w", t.Name(), err))
		}
		r.LogFull = t.LogFull()
		mark[i] = r
	}
	return mark, errors.Join(errs...)
}

// Glance is a mark of the processes of some roles, without context switches: these are read thread by thread, which costs too
// much to do it often. Of other processes it has nothing.
func (m *Meter) Glance(is func(role.Role) bool) (readings.Mark, error) {
	mark := make(readings.Mark, len(m.targets))
	var errs []error
	for i, t := range m.targets {
		if !is(t.Role()) {
			continue
		}
		r, err := readCPU(t)
		if err == nil {
			err = m.sighted(i, r)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("reading what %s uses: %w", t.Name(), err))
		}
		r.LogFull = t.LogFull()
		mark[i] = r
	}
	return mark, errors.Join(errs...)
}

// Log returns the targets and the samples of their memory until now.
func (m *Meter) Log() readings.Log {
	l := readings.Log{Who: make([]readings.Who, len(m.targets))}
	for i, t := range m.targets {
		l.Who[i] = readings.Who{Process: t.Name(), Role: t.Role()}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l.Memory = slices.Clone(m.memory) // its rows only grow
	return l
}

// sighted fails where a process has left its cgroup and what it used cannot be known, for its clocks could not be read now
// or at an earlier mark.
func (m *Meter) sighted(target int, r readings.Counters) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if strings.HasPrefix(r.Source, "cgroup") && r.Clocks == nil {
		m.blind[target] = true
	}
	if len(r.Outside) == 0 || !m.blind[target] {
		return nil
	}
	return fmt.Errorf("%s left its cgroup, and its CPU clocks could not be read, since processes ended in the middle of every reading: "+
		"have it stay in the cgroup in which it is started", strings.Join(r.Outside, ", "))
}
