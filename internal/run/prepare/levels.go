// The order in which processes start: those that wait for none at once, then those that call them.

package prepare

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
)

// Levels groups the processes of a plan by their start: those of a level start together, once all of the levels before are
// ready. They stop in reverse order. A process waits only for processes before it in the plan.
func Levels(p *config.Plan) [][]program.Process {
	var levels [][]program.Process
	of := map[string]int{}
	for i, one := range p.Processes {
		level := 0
		for _, before := range p.Processes[:i] {
			if waits(p, one, before) {
				level = max(level, of[before.Name]+1)
			}
		}
		of[one.Name] = level
		if level == len(levels) {
			levels = append(levels, nil)
		}
		levels[level] = append(levels[level], one)
	}
	return levels
}

// waits reports whether a process needs an earlier one of the plan to be ready, by the texts of the files.
func waits(p *config.Plan, one, before program.Process) bool {
	words, route := one.Words(), p.Route()
	switch onRoute := slices.Contains(route, before.Name); {
	case mentions(words, before.Name):
		return true
	case onRoute: // a sender of spans, and the hop before it
		return slices.Contains(route, one.Name) || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, protocol.Prefix) })
	case service(one) == service(before): // a sidecar and its process
		return true
	case before.Placed.Front && mentions(words, before.Placed.Of): // it is asked through that one
		return true
	case before.Placed.Of != "":
		return false // only the processes around it know its address
	}
	// A process added by a run may watch all others; one without {port} may be found without it.
	return before.Brought() || !slices.Contains(before.Words(), "port")
}

// service returns the process of the workload that a process belongs to.
func service(p program.Process) string {
	if p.Placed.Of != "" {
		return p.Placed.Of
	}
	return p.Name
}

// mentions reports whether placeholders name ports of a process.
func mentions(words []string, process string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return w == process+".port" || strings.HasPrefix(w, process+"."+program.PortPrefix)
	})
}
