package run

import (
	"runtime"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
)

// cpusFor says which CPUs a process is bound to, and its quota; 0 is none.
func (s *stage) cpusFor(p config.Process) (cpus []int, quota float64) {
	cpus = s.placement.Harness
	if p.Role.OnApp() {
		cpus = s.placement.App
	}
	if len(cpus) > 0 && float64(len(cpus)) <= p.CPUs {
		return cpus, 0 // pinned to no more than it may use: a quota would only add throttling
	}
	return cpus, p.CPUs
}

// limitOf is how many CPUs a process may use: its quota, or those it is bound to.
func (s *stage) limitOf(p config.Process) float64 {
	cpus, quota := s.cpusFor(p)
	if quota > 0 {
		return quota
	}
	return count(cpus)
}

// count is how many CPUs these are; where processes are not bound, those of the
// machine.
func count(cpus []int) float64 {
	if len(cpus) == 0 {
		return float64(runtime.NumCPU())
	}
	return float64(len(cpus))
}

// appLimit is how many CPUs all app processes may use together. What sidecars may
// use is not added: they are charged to what the app was given, so that a tracer
// that moves its cost to a sidecar, with a quota or without, gains nothing by it.
func (s *stage) appLimit() float64 {
	sum := 0.0
	for _, p := range s.request.Plan.Processes {
		if p.Role == role.App {
			sum += s.limitOf(p)
		}
	}
	return min(sum, count(s.placement.App))
}

// AppCPUs is how many CPUs the processes under test may use together, once they have been placed.
func (c *Conductor) AppCPUs() float64 { return count(c.placement.App) }

// between is what was used from a to b, beside what might have been.
func (s *stage) between(a, b usage.Mark) []record.Usage {
	used := s.meter.Between(a, b)
	for i := range used {
		used[i].CPUs = count(s.placement.Harness)
		if p, known := s.planned(used[i].Process); known {
			used[i].CPUs, used[i].Service = s.limitOf(p), p.Placed.Of
		}
	}
	return used
}

// planned is the process of a name as it was planned; the harness's own are not.
func (s *stage) planned(name string) (p config.Process, known bool) {
	for _, p := range s.request.Plan.Processes {
		if p.Name == name {
			return p, true
		}
	}
	return config.Process{}, false
}

// utilisation is what the processes on the app's CPUs used in so many seconds, as
// a share of the CPU that the app may use.
func (s *stage) utilisation(used []record.Usage, seconds float64) float64 {
	cpu := 0.0
	for _, u := range used {
		if u.Role.OnApp() {
			cpu += u.CPUSeconds
		}
	}
	if limit := s.appLimit(); limit > 0 && seconds > 0 {
		return cpu / seconds / limit
	}
	return 0
}

// secondsOf is over how many seconds this was used: the longest, as they all are
// read at nearly the same moments.
func secondsOf(used []record.Usage) float64 {
	seconds := 0.0
	for _, u := range used {
		seconds = max(seconds, u.Seconds)
	}
	return seconds
}
