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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/jitter"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// Target is a process, with everything that descends from it, whose usage is read.
type Target interface {
	Name() string
	Role() role.Role
	// Groups are the directories of its cgroup by controller: cpuacct, cpu,
	// memory of version 1, or "unified" of version 2 with the controllers that
	// are enabled there; empty where it has none.
	Groups() map[string]string
	// Pids are its processes at the moment, zombies included.
	Pids() ([]int, error)
	// Reaped is what those used that have ended and are no longer anybody's children.
	Reaped() (syscall.Rusage, error)
	// LogFull is for how long until now it could not write to its log, about.
	LogFull() time.Duration
}

// rate is the time between two samples of memory.
const rate = 220 * time.Millisecond

// Meter reads the usage of some targets. Its methods may be called from several
// goroutines.
type Meter struct {
	targets []Target

	mu     sync.Mutex
	memory [][]sample // by target, in the order of time
	failed error      // the last failure to sample
	blind  []bool     // by target: at some mark its clocks could not be read beside its cgroup

	sampling sync.WaitGroup
	taking   sync.Mutex // a sample is taken by one at a time
	samplers []*sampler // by target; nil before Start
}

// sample is the memory of a target's own at one moment.
type sample struct {
	at    time.Time
	bytes uint64
}

// NewMeter returns a meter of targets that have been started.
func NewMeter(targets []Target) *Meter {
	return &Meter{targets: targets, memory: make([][]sample, len(targets)), blind: make([]bool, len(targets))}
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
			m.memory[i] = append(m.memory[i], sample{time.Now(), bytes})
			m.mu.Unlock()
		}
	}
	return errors.Join(errs...)
}

// Mark is a cumulative reading of all targets at one moment.
type Mark struct {
	readings []reading
}

// reading is what one target has used until a moment.
type reading struct {
	at          time.Time
	cpu         time.Duration // user and system
	system      time.Duration // of this, system time
	throttled   time.Duration
	switches    switches
	involuntary switches // of these, involuntary
	logFull     time.Duration
	source      string

	pids []int // processes that were there; of clocks alone

	clocks  *clocks  // what the clocks of its processes say, beside a cgroup; nil: not known, or there is no cgroup
	outside []string // processes that are not in its cgroup any more
}

// Mark reads all targets. A target that has ended keeps its last figures.
func (m *Meter) Mark() (Mark, error) {
	m.mu.Lock()
	failed := m.failed
	m.mu.Unlock()
	mark := Mark{readings: make([]reading, len(m.targets))}
	errs := []error{failed}
	for i, t := range m.targets {
		r, err := read(t)
		if err == nil {
			err = m.sighted(i, r)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("reading what %s uses: %w", t.Name(), err))
		}
		r.logFull = t.LogFull()
		mark.readings[i] = r
	}
	return mark, errors.Join(errs...)
}

// Glance is a mark of the processes of some roles, without context switches: these are read thread by thread, which costs too
// much to do it often. Of other processes it has nothing.
func (m *Meter) Glance(is func(role.Role) bool) (Mark, error) {
	mark := Mark{readings: make([]reading, len(m.targets))}
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
		r.logFull = t.LogFull()
		mark.readings[i] = r
	}
	return mark, errors.Join(errs...)
}

// Between returns what each target used from a to b, in the order of the
// targets. Each target's stretch is from its own reading to its own reading.
func (m *Meter) Between(a, b Mark) []record.Usage {
	used := make([]record.Usage, len(m.targets))
	for i, t := range m.targets {
		from, to := a.readings[i], b.readings[i]
		mean, peak := m.memoryBetween(i, from.at, to.at)
		cpu, system, source := charged(from, to)
		used[i] = record.Usage{
			Process: t.Name(), Role: t.Role(),
			Seconds:         to.at.Sub(from.at).Seconds(),
			CPUSeconds:      cpu.Seconds(),
			SystemSeconds:   system.Seconds(),
			MemoryMean:      mean,
			MemoryPeak:      peak,
			ContextSwitches: to.switches.since(from.switches),
			Involuntary:     to.involuntary.since(from.involuntary),
			ThrottleSeconds: max(0, to.throttled-from.throttled).Seconds(),
			LogFullSeconds:  max(0, to.logFull-from.logFull).Seconds(),
			Source:          source,
			Outside:         to.outside,
		}
	}
	return used
}

// Memory is what a target held of memory of its own over a stretch of time, in bytes; 0
// where nothing was sampled yet.
type Memory struct {
	Process    string
	Role       role.Role
	Mean, Peak uint64
}

// Stretch is a time from a moment to another.
type Stretch struct{ From, To time.Time }

// Memory returns what each target held over stretches of time, in the order of the targets. Between
// gives that from mark to mark; this is for what ends before what it used does, or is done in several parts.
func (m *Meter) Memory(over ...Stretch) []Memory {
	held := make([]Memory, len(m.targets))
	for i, t := range m.targets {
		held[i] = Memory{Process: t.Name(), Role: t.Role()}
		var weighted, seconds float64
		for _, s := range over {
			mean, peak := m.memoryBetween(i, s.From, s.To)
			if mean == 0 { // nothing was sampled yet
				continue
			}
			length := max(s.To.Sub(s.From), 1).Seconds()
			weighted, seconds = weighted+float64(mean)*length, seconds+length
			held[i].Peak = max(held[i].Peak, peak)
		}
		if seconds > 0 {
			held[i].Mean = uint64(weighted / seconds)
		}
	}
	return held
}

// memoryBetween returns the mean over time and the largest of the samples from
// a to b. Until the first of them it takes that one, since what was there before a may be
// of something else. A window that holds no sample takes the last one before it.
func (m *Meter) memoryBetween(target int, a, b time.Time) (mean, peak uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var weighted float64
	last, current, inside := a, uint64(0), false
	for _, s := range m.memory[target] {
		if s.at.After(b) {
			break
		}
		if s.at.Before(a) {
			current = s.bytes
			continue
		}
		if !inside {
			current, inside = s.bytes, true
		}
		weighted += float64(current) * s.at.Sub(last).Seconds()
		last, current = s.at, s.bytes
		peak = max(peak, s.bytes)
	}
	if current == 0 || !b.After(a) {
		return current, max(peak, current)
	}
	weighted += float64(current) * b.Sub(last).Seconds()
	return uint64(weighted / b.Sub(a).Seconds()), max(peak, current)
}

// What a target is charged that may have left its cgroup.

// clocks are what the CPU clocks of a target's processes come to, those that have ended among them.
type clocks struct {
	cpu, system time.Duration
	processes   int // that were alive
}

// bookkeeping is by how much the clocks may be ahead of a cgroup for each process: dead children are known to a tick of
// user and one of system time, and a busy thread is booked at the next tick.
const bookkeeping = 20 * time.Millisecond

// charged is what a target used between two readings: by its cgroup, or by the clocks of its processes where some of them
// ran outside it. The clocks have all of a process, wherever it ran and whenever it left.
func charged(from, to reading) (cpu, system time.Duration, source string) {
	cpu, system = max(0, to.cpu-from.cpu), max(0, to.system-from.system)
	if from.clocks == nil || to.clocks == nil {
		return cpu, system, to.source
	}
	byCPU, bySystem := to.clocks.cpu-from.clocks.cpu, to.clocks.system-from.clocks.system
	left := len(from.outside) > 0 || len(to.outside) > 0
	if !left && byCPU <= cpu+time.Duration(2+to.clocks.processes)*bookkeeping {
		return cpu, system, to.source
	}
	// What nobody waited for is missing in the clocks, what ran elsewhere in the cgroup.
	return max(cpu, byCPU), max(system, bySystem), record.ByClock
}

// sighted fails where a process has left its cgroup and what it used cannot be known, for its clocks could not be read now
// or at an earlier mark.
func (m *Meter) sighted(target int, r reading) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if strings.HasPrefix(r.source, "cgroup") && r.clocks == nil {
		m.blind[target] = true
	}
	if len(r.outside) == 0 || !m.blind[target] {
		return nil
	}
	return fmt.Errorf("%s left its cgroup, and its CPU clocks could not be read, since processes ended in the middle of every reading: "+
		"have it stay in the cgroup in which it is started", strings.Join(r.outside, ", "))
}
