package usage

// What a target is charged that may have left its cgroup.

import (
	"fmt"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

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
