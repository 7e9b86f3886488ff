// Who was the limit of a stretch of load.

package load

import "time"

// reading is what both sides have used until a moment.
type reading struct {
	at                time.Time
	generator, server Threads
}

func (m *capacityMeter) read() (reading, error) {
	r := reading{at: time.Now()}
	var err error
	if r.generator, err = m.with.Generator(); err != nil || m.with.Server == nil {
		return r, err
	}
	r.server, err = m.with.Server()
	return r, err
}

func (m *capacityMeter) say(what string) {
	if m.with.Progress != nil {
		m.with.Progress(what)
	}
}

// shareOf is what was used of the given CPUs.
func shareOf(used CPUTime, cpus int, elapsed time.Duration) Share {
	whole := float64(cpus) * elapsed.Seconds()
	if whole <= 0 {
		return Share{}
	}
	s := Share{Ran: used.Ran.Seconds() / whole, Waited: used.Waited.Seconds() / whole}
	s.Waited = min(s.Waited, max(1-s.Ran, 0)) // several threads may wait for one CPU
	return s
}

// busy reports whether the process was never idle, though it may have had to wait
// for its CPU.
func (s Share) busy() bool { return s.Ran+s.Waited > saturated }

// taken reports whether it was busy, but others had the CPU for a good part of it.
func (s Share) taken() bool { return s.busy() && s.Ran <= saturated }

// Disturbances of a process that is not busy.
const (
	disturbance   = 0.02 // of the time, waiting for its CPU
	disturbedPart = 0.1  // of its own time and the waiting
)

// disturbed reports whether others kept it from its CPU often enough to make it late.
func (s Share) disturbed() bool {
	return s.Waited > disturbance && s.Waited > disturbedPart*(s.Ran+s.Waited)
}

// bound is what kept a closed loop from more.
func (s stretch) bound(shared bool) Bound {
	if s.failing() {
		return ByFailures
	}
	server := Share{}
	if s.server != nil {
		server = *s.server
	}
	switch generator := s.generator; {
	case shared && generator.busy() && server.busy():
		return BySharedCPU
	case generator.taken(), server.taken() && !generator.busy():
		return ByOthers
	case generator.busy() && generator.Ran+generator.Waited >= server.Ran+server.Waited:
		return ByGenerator
	case server.busy():
		return ByServer
	case s.server == nil:
		return NotByGenerator
	case generator.disturbed() || server.disturbed():
		return ByOthers // whoever answers late because of them makes the other wait
	}
	return ByConnections
}

// openBound is what kept an open loop from a rate. A generator that was late is
// to blame, unless its CPU was not its own.
func (s stretch) openBound(shared bool) Bound {
	switch b := s.bound(shared); {
	case b == ByFailures || b == BySharedCPU:
		return b
	case s.generator.taken() || s.server != nil && s.server.taken():
		return ByOthers
	case s.summary.Limit == ServerOverloaded && b != ByGenerator:
		return ByServer
	case s.generator.disturbed():
		return ByOthers
	}
	return ByGenerator
}

func (s stretch) failing() bool {
	bad := s.load.Failed + s.load.TimedOut
	return s.load.Completed == 0 || float64(bad) > mostFailed*float64(s.load.Intended)
}

// held reports whether an open loop went as it was meant to.
func (s stretch) held() bool {
	return !s.failing() && s.summary.Limit == NoLimit && s.summary.LagP99 < punctual.Seconds()
}
