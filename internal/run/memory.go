// Over which time the memory of processes is told: over the load of a window, and over the
// life of the processes. A drain is in no mean: how long it takes differs between tracers, and
// memory is not the same while nothing is asked of a program.
package run

import (
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// loadTime is when the operations of a window were made.
type loadTime struct{ from, to time.Time }

// end ends it, with a last sample: a short one may have had none.
func (s *stage) end(l loadTime) (loadTime, error) {
	err := s.meter.Sample()
	l.to = time.Now()
	return l, err
}

// memoryIn is what was used, with the memory of the load alone.
func (s *stage) memoryIn(l loadTime, used []record.Usage) []record.Usage {
	for i, held := range s.meter.Memory(l.from, l.to) {
		used[i].MemoryMean, used[i].MemoryPeak = held.Mean, held.Peak
	}
	return used
}

// memoryOfRun is what the processes hold at the end of the last window, and the most that
// they ever held; nil where there was no window.
func (s *stage) memoryOfRun() []record.Memory {
	if s.loaded == (loadTime{}) {
		return nil
	}
	var out []record.Memory
	steady := s.meter.Memory(s.loaded.from, s.loaded.to)
	for i, life := range s.meter.Memory(s.sampled, time.Now()) {
		p, _ := s.planned(life.Process) // the harness's own stand beside nothing
		out = append(out, record.Memory{Process: life.Process, Role: life.Role, Service: p.Placed.Of, Steady: steady[i].Mean, Peak: life.Peak})
	}
	return out
}
