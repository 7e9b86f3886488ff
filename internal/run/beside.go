// Readings beside a window: the memory of processes, and the use of the CPUs by programs outside the run. Memory has figures
// for the load of a window, and for the life of the processes. No mean covers a drain: its length differs between tracers, and
// memory differs while a program has no load.

package run

import (
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/usage"
)

// loadTime holds the times of a window's operations: one stretch, or parts between which other runs have the load.
type loadTime []usage.Stretch

// endLoad ends the last part now, with a last sample: a short part may have had none.
func (s *stage) endLoad(l loadTime) error {
	err := s.meter.Sample()
	l[len(l)-1].To = time.Now()
	return err
}

// memoryIn returns the usage with the memory under load only.
func (s *stage) memoryIn(l loadTime, used []record.Usage) []record.Usage {
	for i, held := range s.meter.Memory(l...) {
		used[i].MemoryMean, used[i].MemoryPeak = held.Mean, held.Peak
	}
	return used
}

// memoryOfRun returns the mean memory of the last window and the peak over the run; only the peak before the first block, which
// has no windows; nil for a measured run without one.
func (s *stage) memoryOfRun() ([]record.Memory, error) {
	window := s.loaded != nil
	if !window && s.request.Kind == record.Measured {
		return nil, nil
	}
	if err := s.meter.Sample(); err != nil {
		return nil, err
	}
	var out []record.Memory
	steady := s.meter.Memory(s.loaded...)
	for i, life := range s.meter.Memory(usage.Stretch{From: s.sampled, To: time.Now()}) {
		p, _ := s.planned(life.Process) // the harness's own are no sidecars
		one := record.Memory{Process: life.Process, Role: life.Role, Service: p.Placed.Of, Peak: life.Peak}
		if window {
			one.Steady = steady[i].Mean
		}
		out = append(out, one)
	}
	return out, nil
}

// usedOf sums the CPU time of programs.
func usedOf(used []record.Usage) usedBy {
	var sum usedBy
	for _, u := range used {
		if u.Role.OnApp() {
			sum.app += u.CPUSeconds
		} else {
			sum.harness += u.CPUSeconds
		}
	}
	return sum
}

// busy is a reading of the busy time of the run's CPUs, by any program.
type busy struct {
	at           time.Time
	app, harness time.Duration
	ok           bool
}

func (s *stage) busy() busy {
	b := busy{at: time.Now()}
	var appErr, harnessErr error
	b.app, appErr = usage.Busy(s.placement.App)
	b.harness, harnessErr = usage.Busy(s.placement.Harness)
	b.ok = appErr == nil && harnessErr == nil // only Linux has these readings
	return b
}

// others returns the share of the app's CPUs, or of the harness's if larger, used by programs outside the run; own: the use of
// tracetax itself.
func (s *stage) others(from, to busy, used usedBy, own time.Duration) float64 {
	b := s.besides(from, to, used, own)
	return max(0, b.app.share(), b.harness.share())
}

// besides returns the use of the run's CPUs by programs outside the run, and by the host; zero if unknown.
func (s *stage) besides(from, to busy, used usedBy, own time.Duration) besides {
	elapsed := to.at.Sub(from.at).Seconds()
	if !from.ok || !to.ok || elapsed <= 0 {
		return besides{}
	}
	app, harness := used.app, used.harness+own.Seconds()
	if len(s.placement.App) == 0 || s.placement.Shared { // the same CPUs
		app += harness
		harness = app
	}
	of := func(all time.Duration, ours float64, cpus []int) taken {
		return taken{others: all.Seconds() - ours, ours: ours, all: elapsed * count(cpus)}
	}
	return besides{of(to.app-from.app, app, s.placement.App), of(to.harness-from.harness, harness, s.placement.Harness)}
}

// own returns the CPU time of tracetax itself until now.
func (s *stage) own() time.Duration { return usage.Own() + s.launcher.KeeperCPU() }
