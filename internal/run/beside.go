// What is read beside a window: the memory of processes, and what programs outside the run use.
//
// Memory has figures for the load of a window, and for the life of the processes. A drain is in no mean: how long it takes
// differs between tracers, and memory is not the same while nothing is asked of a program.

package run

import (
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/usage"
)

// loadTime is when the operations of a window were made: in one stretch, or in its parts, between which others have the load.
type loadTime []usage.Stretch

// endLoad ends the last part now, with a last sample: a short one may have had none.
func (s *stage) endLoad(l loadTime) error {
	err := s.meter.Sample()
	l[len(l)-1].To = time.Now()
	return err
}

// memoryIn is what was used, with the memory of the load alone.
func (s *stage) memoryIn(l loadTime, used []record.Usage) []record.Usage {
	for i, held := range s.meter.Memory(l...) {
		used[i].MemoryMean, used[i].MemoryPeak = held.Mean, held.Peak
	}
	return used
}

// memoryOfRun is what the processes hold at the end of the last window, and the most that
// they ever held; that alone before the first block, where there are no windows; nil for a measured run without one.
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
		p, _ := s.planned(life.Process) // the harness's own stand beside nothing
		one := record.Memory{Process: life.Process, Role: life.Role, Service: p.Placed.Of, Peak: life.Peak}
		if window {
			one.Steady = steady[i].Mean
		}
		out = append(out, one)
	}
	return out, nil
}

// usedOf is what programs used in all.
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

// busy is a reading of how busy the run's CPUs are, whoever uses them.
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
	b.ok = appErr == nil && harnessErr == nil // elsewhere than on Linux nothing is read, and nothing is said
	return b
}

// others is the share of the app's CPUs, or of the harness's, whichever is more,
// that was used by none of those that used so much; own is what tracetax itself used.
func (s *stage) others(from, to busy, used usedBy, own time.Duration) float64 {
	b := s.besides(from, to, used, own)
	return max(0, b.app.share(), b.harness.share())
}

// besides is what programs outside the run, and the host, used of its CPUs. It is zero where it is not known.
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

// own is the CPU time that tracetax itself has used until now.
func (s *stage) own() time.Duration { return usage.Own() + s.launcher.KeeperCPU() }
