package capacity

// Which resource keeps a service from more.

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// Resources that may bind, besides the roles of other processes and threads.
const (
	bindsQuota     = "quota" // all of the CPU that the app may use
	bindsGenerator = "generator"
	bindsTracer    = "the tracer's queue or export"
	bindsUnseen    = "none that is seen: a lock, a pool, or something outside"
)

const (
	full  = 0.9  // share of a resource from which it is taken to bind
	apart = 0.05 // that a thread must be busier than the whole of the app's CPU, to be the nearer limit
)

// binding names the resource that keeps the service from more than was found.
func (s *Search) binding(probes []record.Probe, c record.Capacity) string {
	if len(probes) == 0 {
		return ""
	}
	switch c.Outcome {
	case record.ByGenerator:
		return bindsGenerator
	case record.AboveMax, record.NoSpans, record.Unsteady:
		return ""
	case record.Found:
		if s.goal.Goal == config.GoalCPU {
			name, _ := nearest(lastPassed(probes))
			return name
		}
	}
	p := s.lowestFailing(probes, c)
	if p == nil {
		return ""
	}
	if s.failedByGenerator(p) {
		return bindsGenerator
	}
	name, share := nearest(p)
	switch {
	case share >= full, s.goal.Goal == config.GoalLatency && share >= room:
		return name
	case p.Held && p.Lost > 0:
		return bindsTracer
	}
	return bindsUnseen
}

// lastPassed is the last probe that passed, or the last one.
func lastPassed(probes []record.Probe) *record.Probe {
	for i := len(probes) - 1; i >= 0; i-- {
		if probes[i].Passed {
			return &probes[i]
		}
	}
	return &probes[len(probes)-1]
}

// lowestFailing is the last probe that failed at the lowest rate that failed, one
// that the generator did not fail where there is one; nil where none did.
func (s *Search) lowestFailing(probes []record.Probe, c record.Capacity) *record.Probe {
	var late *record.Probe
	for i := len(probes) - 1; i >= 0; i-- {
		p := &probes[i]
		if c.Failing <= 0 || !same(p.Rate, c.Failing) || p.Passed && p.Held {
			continue
		}
		if c.Outcome != record.Found || !s.failedByGenerator(p) {
			return p
		}
		if late == nil {
			late = p
		}
	}
	return late
}

// nearest names the resource of which the largest share was used.
func nearest(p *record.Probe) (name string, share float64) {
	name, share = bindsQuota, p.Utilisation
	if p.Hottest > share+apart || p.Hottest >= full && share < full {
		name, share = "hottest thread", p.Hottest
		if p.HottestOf != "" {
			name += " of " + p.HottestOf
		}
	}
	for _, u := range p.Usage {
		if u.Role == role.App || u.Role == role.Load || u.CPUs <= 0 || u.Seconds <= 0 {
			continue
		}
		if used := u.CPUSeconds / u.Seconds / u.CPUs; used > share {
			name, share = nameOf(u), used
		}
	}
	if beside, used := besideTheApp(p); used >= full && share < full {
		name, share = beside, used
	}
	return name, share
}

func nameOf(u record.Usage) string {
	if u.Role == role.Load {
		return bindsGenerator
	}
	if u.Process != string(u.Role) && u.Role != role.Sink {
		return fmt.Sprintf("%s (%s)", u.Role, u.Process)
	}
	return string(u.Role)
}

// besideTheApp is what all processes on the CPUs that are not the app's use of
// these, named after the one that uses most.
func besideTheApp(p *record.Probe) (name string, share float64) {
	var used, most, cpus float64
	for _, u := range p.Usage {
		if u.Role.OnApp() || u.Seconds <= 0 {
			continue
		}
		one := u.CPUSeconds / u.Seconds
		used += one
		if one > most {
			name, most = nameOf(u), one
		}
		if u.Role.Harness() {
			cpus = max(cpus, u.CPUs) // these have no quota: all CPUs that there are beside the app's
		}
	}
	if cpus == 0 {
		return "", 0
	}
	return name, used / cpus
}
