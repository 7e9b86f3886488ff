// Package readings owns what is read of a run: the counters of its processes and CPUs at a moment, samples of memory, and the
// differences between two readings. It must not know how anything is read, nor what was measured in between.
package readings

import (
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// Who is a process, with its descendants.
type Who struct {
	Process string
	Role    role.Role
	Service string  // the service that a sidecar stands beside
	CPUs    float64 // that it may use
}

// Log is what was read of the processes of a run, in the order of Who.
type Log struct {
	Who    []Who
	Memory [][]Sample // by process, in the order of time
}

// Mark holds the counters of all processes at one moment, in the order of the log's.
type Mark []Counters

// Counters is what a process has used until a moment. The zero value is of a process that was not read.
type Counters struct {
	At          time.Time
	CPU         time.Duration // user and system
	System      time.Duration // of this, system time
	Throttled   time.Duration
	LogFull     time.Duration // it could not write to its log
	Switches    Switches
	Involuntary Switches // of these, involuntary
	Source      string   // of the CPU time; see record.Usage
	Unread      []string // see record.Usage

	Clocks  *Clocks  // CPU clocks of its processes, beside a cgroup; nil: unknown, or there is no cgroup
	Outside []string // processes that left its cgroup
}

// Clocks is the sum of the CPU clocks of a process and its descendants, ended ones included.
type Clocks struct {
	CPU, System time.Duration
	Processes   int // alive
}

// bookkeeping is by how much the clocks may be ahead of a cgroup for each process: dead children are known to a tick of
// user and one of system time, and a busy thread is booked at the next tick.
const bookkeeping = 20 * time.Millisecond

// Between returns the usage of each process from a to b, each between its own two readings.
func (l Log) Between(a, b Mark) []record.Usage {
	used := make([]record.Usage, len(l.Who))
	for i, w := range l.Who {
		from, to := a[i], b[i]
		mean, peak := l.held(i, from.At, to.At)
		cpu, system, source := charged(from, to)
		used[i] = record.Usage{
			Process: w.Process, Role: w.Role, Service: w.Service, CPUs: w.CPUs,
			Seconds:         to.At.Sub(from.At).Seconds(),
			CPUSeconds:      cpu.Seconds(),
			SystemSeconds:   system.Seconds(),
			MemoryMean:      mean,
			MemoryPeak:      peak,
			ContextSwitches: to.Switches.since(from.Switches),
			Involuntary:     to.Involuntary.since(from.Involuntary),
			ThrottleSeconds: max(0, to.Throttled-from.Throttled).Seconds(),
			LogFullSeconds:  max(0, to.LogFull-from.LogFull).Seconds(),
			Source:          source,
			Unread:          to.Unread,
			Outside:         to.Outside,
		}
	}
	return used
}

// charged returns the use of a process between two readings: by its cgroup, or by the clocks of its processes if some of them
// ran outside it. The clocks cover a process wherever it ran and whenever it left.
func charged(from, to Counters) (cpu, system time.Duration, source string) {
	cpu, system = max(0, to.CPU-from.CPU), max(0, to.System-from.System)
	if from.Clocks == nil || to.Clocks == nil {
		return cpu, system, to.Source
	}
	byCPU, bySystem := to.Clocks.CPU-from.Clocks.CPU, to.Clocks.System-from.Clocks.System
	left := len(from.Outside) > 0 || len(to.Outside) > 0
	if !left && byCPU <= cpu+time.Duration(2+to.Clocks.Processes)*bookkeeping {
		return cpu, system, to.Source
	}
	// The clocks miss processes that nobody waited for, the cgroup those that ran elsewhere.
	return max(cpu, byCPU), max(system, bySystem), record.ByClock
}

// Add adds up the usage of the same processes in two stretches, into a; nil is nothing.
func Add(a, b []record.Usage) []record.Usage {
	if a == nil {
		return b
	}
	return combine(a, b, 1)
}

// Less takes the usage in a part of a stretch off that of the whole, into all; nil is nothing.
func Less(all, part []record.Usage) []record.Usage { return combine(all, part, -1) }

func combine(a, b []record.Usage, sign int) []record.Usage {
	for i := range b {
		a[i].Seconds += float64(sign) * b[i].Seconds
		a[i].CPUSeconds += float64(sign) * b[i].CPUSeconds
		a[i].SystemSeconds += float64(sign) * b[i].SystemSeconds
		a[i].ContextSwitches = counted(a[i].ContextSwitches, b[i].ContextSwitches, sign)
		a[i].Involuntary = counted(a[i].Involuntary, b[i].Involuntary, sign)
		a[i].ThrottleSeconds += float64(sign) * b[i].ThrottleSeconds
	}
	return a
}

// counted adds counts, or takes one off the other. A thread that ends takes its switches along, so a part may have more of them than
// the whole: it then has all.
func counted(a, b uint64, sign int) uint64 {
	if sign < 0 {
		return a - min(a, b)
	}
	return a + b
}

// Busy is the busy time of a run's CPUs until a moment, by any program.
type Busy struct {
	At           time.Time
	App, Harness time.Duration
	Known        bool
}

// Look is a reading of a whole block at a moment.
type Look struct {
	Run  int // whose window ends
	Busy Busy
	Own  time.Duration // CPU time of tracetax itself
	Used []Mark        // by run
}
