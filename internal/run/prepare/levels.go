// In which order processes start: those that wait for nobody at once, then those that call them.

package prepare

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
)

// Levels are the processes of a plan by when they start: those of a level at the same time, as soon as all of the levels
// before are ready. They stop the other way round. A process waits for processes that stand before it in the plan alone.
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
	case onRoute: // whoever sends spans, and the hop before it
		return slices.Contains(route, one.Name) || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, protocol.Prefix) })
	case service(one) == service(before): // what stands beside a process, and it
		return true
	case before.Placed.Front && mentions(words, before.Placed.Of): // it is asked by way of that
		return true
	case before.Placed.Of != "":
		return false // only those around it know where it is
	}
	// One that is there once a run may watch all others; one that is not told its port may be found without it.
	return before.Brought() || !slices.Contains(before.Words(), "port")
}

// service is the process of the workload that a process belongs to.
func service(p program.Process) string {
	if p.Placed.Of != "" {
		return p.Placed.Of
	}
	return p.Name
}

// mentions reports whether placeholders are of ports of a process.
func mentions(words []string, process string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return w == process+".port" || strings.HasPrefix(w, process+"."+program.PortPrefix)
	})
}
