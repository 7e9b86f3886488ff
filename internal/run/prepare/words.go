// What placeholders stand for in a run, by process: its ports are given out here alone.
package prepare

import (
	"maps"
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/spec"
)

// Words are what placeholders stand for in one run.
type Words struct {
	processes []spec.Process
	ports     map[string]map[string]string // by process, then "port" or "port.NAME"
	common    map[string]string            // what stands for the same everywhere
}

// NewWords chooses free ports for the processes of a plan; common is what stands for the same everywhere.
func NewWords(processes []spec.Process, common map[string]string) (*Words, error) {
	w := &Words{processes: processes, ports: map[string]map[string]string{}, common: common}
	count := 0
	for _, p := range processes {
		count += 1 + len(p.Ports)
	}
	free, err := process.FreePorts(count)
	if err != nil {
		return nil, err
	}
	for _, p := range processes {
		own := map[string]string{}
		for _, name := range append([]string{""}, p.Ports...) {
			own[portWord(name)] = strconv.Itoa(free[0])
			free = free[1:]
		}
		w.ports[p.Name] = own
	}
	return w, nil
}

func portWord(further string) string {
	if further == "" {
		return "port"
	}
	return "port." + further
}

// Front is the process at which others ask a process: what stands in front of it, or itself.
func (w *Words) Front(name string) string {
	if chain := w.fronts(name); len(chain) > 0 {
		return chain[0]
	}
	return name
}

// fronts are the processes in front of one, the outermost first.
func (w *Words) fronts(name string) []string {
	var out []string
	for _, p := range slices.Backward(w.processes) { // the outermost starts last
		if p.Placed.Front && p.Placed.Of == name {
			out = append(out, p.Name)
		}
	}
	return out
}

// Port is the port at which a process itself listens.
func (w *Words) Port(name string) string { return w.ports[name]["port"] }

// Seen is what stands for what in texts of nobody's own: the ports are those at which processes are asked.
func (w *Words) Seen() map[string]string {
	values := maps.Clone(w.common)
	for _, p := range w.processes {
		if p.Placed.Of != "" {
			continue // of which it is said who stands beside it
		}
		for word, port := range w.ports[p.Name] {
			values[p.Name+"."+word] = port
		}
		values[p.Name+".port"] = w.Port(w.Front(p.Name))
	}
	return values
}

// Asking is Seen in a text of who asks a process, such as a request.
func (w *Words) Asking(p spec.Process) map[string]string {
	values := w.Seen()
	values["process"] = p.Name
	values["port"] = values[p.Name+".port"]
	return values
}

// Inside is what stands for what in a process's own texts: its own ports, those of what stands beside it, and what
// is behind it.
func (w *Words) Inside(p spec.Process) map[string]string {
	values := w.Seen()
	values["process"] = p.Name
	own := p.Name
	if p.Placed.Of != "" {
		own = p.Placed.Of
		values["beside.process"], values["beside.port"] = own, w.Port(w.behind(p))
	}
	for _, q := range w.processes {
		if q.Placed.Of == own {
			for word, port := range w.ports[q.Name] {
				values[q.Placed.Name+"."+word] = port
			}
		}
	}
	for word, port := range w.ports[p.Name] {
		values[word] = port
		if p.Placed.Of == "" {
			values[p.Name+"."+word] = port
		}
	}
	return values
}

// behind is where what stands beside a process finds it: what stands in front of it finds the next one on the way.
func (w *Words) behind(p spec.Process) string {
	if !p.Placed.Front {
		return p.Placed.Of
	}
	chain := append(w.fronts(p.Placed.Of), p.Placed.Of)
	return chain[slices.Index(chain, p.Name)+1]
}
