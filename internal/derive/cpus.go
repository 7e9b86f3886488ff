// Package derive owns the arithmetic from what a run read (package readings) to the figures of its record: usage without the
// work of preparing, the use of the CPUs by others, disturbed windows and what is left without them. It must not read, wait, or
// know a process: it is tested by tables.
package derive

import (
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
)

// Used is the CPU time of programs on the app's CPUs and on the harness's, in seconds.
type Used struct{ App, Harness float64 }

// And adds.
func (u Used) And(more Used) Used { return Used{u.App + more.App, u.Harness + more.Harness} }

// UsedOf sums the CPU time of programs.
func UsedOf(used []record.Usage) Used {
	var sum Used
	for _, u := range used {
		if u.Role.OnApp() {
			sum.App += u.CPUSeconds
		} else {
			sum.Harness += u.CPUSeconds
		}
	}
	return sum
}

// CPUs is the numbers of CPUs of a run. Shared: the app's and the harness's are the same ones.
type CPUs struct {
	App, Harness float64
	Shared       bool
}

// OnEach returns the use of the app's CPUs and of the harness's: on shared ones both are the sum.
func (c CPUs) OnEach(u Used) Used {
	if c.Shared {
		return Used{u.App + u.Harness, u.App + u.Harness}
	}
	return u
}

// Taken is the CPU time of a stretch, in seconds.
type Taken struct {
	Others float64 // used by others; may be slightly below zero, as the kernel's clock is coarse
	Ours   float64 // by the block
	All    float64 // available
}

// share returns others' share of all time.
func (t Taken) share() float64 { return part(t.Others, t.All) }

// left returns others' share of the time that the block did not want.
func (t Taken) left() float64 { return part(t.Others, max(t.All-t.Ours, t.Others)) }

// part returns of/all, or 0 if all is 0.
func part(of, all float64) float64 {
	if all <= 0 {
		return 0
	}
	return of / all
}

// Besides is others' use of the app's CPUs and of the harness's.
type Besides struct{ App, Harness Taken }

// Share returns others' share of the app's CPUs, or of the harness's if it is larger.
func (b Besides) Share() float64 { return max(0, b.App.share(), b.Harness.share()) }

// Besides returns the use of a run's CPUs by programs outside it, and by the host, between two readings of the CPUs; zero if
// unknown. used is the use of the run's programs, own that of tracetax itself.
func (c CPUs) Besides(from, to readings.Busy, used Used, own time.Duration) Besides {
	elapsed := to.At.Sub(from.At).Seconds()
	if !from.Known || !to.Known || elapsed <= 0 {
		return Besides{}
	}
	used.Harness += own.Seconds()
	used = c.OnEach(used)
	of := func(all time.Duration, ours, cpus float64) Taken {
		return Taken{Others: all.Seconds() - ours, Ours: ours, All: elapsed * cpus}
	}
	return Besides{of(to.App-from.App, used.App, c.App), of(to.Harness-from.Harness, used.Harness, c.Harness)}
}
