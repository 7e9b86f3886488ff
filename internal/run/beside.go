// Readings beside a window: the memory of processes, and the use of the CPUs by programs outside the run. Memory has figures
// for the load of a window, and for the life of the processes. No mean covers a drain: its length differs between tracers, and
// memory differs while a program has no load.

package run

import (
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
)

// log returns what was read of the run's processes until now, with the CPUs that each might have used.
func (s *stage) log() readings.Log {
	log := s.meter.Log()
	for i := range log.Who {
		w := &log.Who[i]
		w.CPUs = count(s.placement.Harness)
		if p, known := s.planned(w.Process); known {
			w.CPUs, w.Service = s.limitOf(p), p.Placed.Of
		} else if _, of, beside := strings.Cut(w.Process, "@"); beside && w.Role == role.Sidecar { // a container of a template
			w.CPUs, w.Service = count(s.placement.App), of
		}
	}
	return log
}

// between returns the usage from a to b.
func (s *stage) between(a, b readings.Mark) []record.Usage { return s.log().Between(a, b) }

// moment reads the run's processes.
func (s *stage) moment() (derive.Moment, error) {
	mark, err := s.meter.Mark()
	return derive.Moment{At: time.Now(), Mark: mark}, err
}

// memoryIn returns the usage with the memory under load only.
func (s *stage) memoryIn(loaded readings.Stretch, used []record.Usage) []record.Usage {
	for i, held := range s.log().Held(loaded) {
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
	log := s.log()
	steady := log.Held(s.loaded...)
	for i, life := range log.Held(readings.Stretch{From: s.sampled, To: time.Now()}) {
		one := record.Memory{Process: life.Process, Role: life.Role, Service: log.Who[i].Service, Peak: life.Peak}
		if window {
			one.Steady = steady[i].Mean
		}
		out = append(out, one)
	}
	return out, nil
}

// busy reads the busy time of the run's CPUs.
func (s *stage) busy() readings.Busy {
	b := readings.Busy{At: time.Now()}
	var appErr, harnessErr error
	b.App, appErr = usage.Busy(s.placement.App)
	b.Harness, harnessErr = usage.Busy(s.placement.Harness)
	b.Known = appErr == nil && harnessErr == nil // only Linux has these readings
	return b
}

// cpus returns the numbers of the run's CPUs.
func (s *stage) cpus() derive.CPUs {
	return derive.CPUs{
		App: count(s.placement.App), Harness: count(s.placement.Harness), Shared: len(s.placement.App) == 0 || s.placement.Shared,
	}
}

// own returns the CPU time of tracetax itself until now.
func (s *stage) own() time.Duration { return usage.Own() + s.launcher.KeeperCPU() }
