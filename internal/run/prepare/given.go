// The ports of a run: they are given out here alone, and each text gets those that it means.

package prepare

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/protocol"
)

// Ports are the ports that the processes of one run have.
type Ports struct {
	processes []program.Process
	own       map[string]map[string]string // by process, then "port" or "port.FURTHER"
}

// GivePorts gives each process a free port, and one more for each {port.FURTHER} of its texts.
func GivePorts(processes []program.Process) (*Ports, error) {
	p := &Ports{processes: processes, own: map[string]map[string]string{}}
	count := 0
	for _, one := range processes {
		count += 1 + len(one.FurtherPorts())
	}
	free, err := process.FreePorts(count)
	if err != nil {
		return nil, err
	}
	for _, one := range processes {
		own := map[string]string{}
		for _, word := range append([]string{"port"}, one.FurtherPorts()...) {
			own[word] = strconv.Itoa(free[0])
			free = free[1:]
		}
		p.own[one.Name] = own
	}
	return p, nil
}

// Filter is a filter for packets that come from a port of the run or go to one, as pcap-filter(7) has them.
func (p *Ports) Filter() string {
	var all []int
	for _, own := range p.own {
		for _, port := range own {
			n, _ := strconv.Atoi(port) // it was made of a number
			all = append(all, n)
		}
	}
	slices.Sort(all)
	var ranges []string
	for i := 0; i < len(all); {
		first := i
		for i++; i < len(all) && all[i] == all[i-1]+1; i++ {
		}
		ranges = append(ranges, fmt.Sprintf("portrange %d-%d", all[first], all[i-1]))
	}
	return strings.Join(ranges, " or ")
}

// Front is the process at which others ask a process: what stands in front of it, or itself.
func (p *Ports) Front(name string) string { return p.way(name)[0] }

// way is the way of a request to a process: what stands in front of it, the outermost first, and itself.
func (p *Ports) way(name string) []string {
	var out []string
	for _, one := range slices.Backward(p.processes) { // the outermost starts last
		if one.Placed.Front && one.Placed.Of == name {
			out = append(out, one.Name)
		}
	}
	return append(out, name)
}

// Of is the port at which a process itself listens.
func (p *Ports) Of(name string) string { return p.own[name]["port"] }

// Seen adds to values the ports as everybody sees them: those at which processes are asked.
func (p *Ports) Seen(values map[string]string) {
	for _, one := range p.processes {
		if one.Placed.Of != "" {
			continue // only those around it know which is meant
		}
		for word, port := range p.own[one.Name] {
			values[one.Name+"."+word] = port
		}
		values[one.Name+".port"] = p.Of(p.Front(one.Name))
	}
}

// Asking adds to values, in which all ports are as they are seen, what a request to a process means.
func (p *Ports) Asking(one program.Process, values map[string]string) {
	values["process"] = one.Name
	values["port"] = values[one.Name+".port"]
}

// Inside adds to values, in which all ports are as they are seen, what the texts of a process itself mean: its own
// ports, those of what stands beside it, and, if it stands beside another one, what is behind it.
func (p *Ports) Inside(one program.Process, values map[string]string) {
	values["process"] = one.Name
	service := one.Name
	if one.Placed.Of != "" {
		service = one.Placed.Of
		values["beside.process"], values["beside.port"] = service, p.Of(p.behind(one))
	}
	for _, other := range p.processes {
		if other.Placed.Of == service {
			for word, port := range p.own[other.Name] {
				values[other.Placed.Name+"."+word] = port
			}
		}
	}
	for word, port := range p.own[one.Name] {
		values[word] = port
		if one.Placed.Of == "" {
			values[one.Name+"."+word] = port
		}
	}
}

// behind is where what stands beside a process finds it: what stands in front of it finds the next one on the way.
func (p *Ports) behind(one program.Process) string {
	if !one.Placed.Front {
		return one.Placed.Of
	}
	way := p.way(one.Placed.Of)
	return way[slices.Index(way, one.Name)+1]
}

// FreePorts checks that the ports that a plan names itself, rather than by
// {port}, are free: another program there would answer in the workload's place.
func FreePorts(p *config.Plan) error {
	var errs []error
	checked := map[int]bool{}
	check := func(what, address string) {
		port, fixed := fixedPort(address)
		if !fixed || checked[port] {
			return
		}
		checked[port] = true
		if err := process.PortTaken(port); err != nil {
			errs = append(errs, fmt.Errorf("%s is to be found at %s: %w", what, address, err))
		}
	}
	for _, one := range p.Processes {
		check("process "+one.Name, one.Ready)
	}
	for _, one := range p.Operations {
		check("operation "+one.Name, one.URL)
	}
	return errors.Join(errs...)
}

// fixedPort takes the port out of a readiness check on this machine, if it is
// written there as a number.
func fixedPort(ready string) (int, bool) {
	if strings.HasPrefix(ready, "log:") {
		return 0, false
	}
	u, err := url.Parse(ready)
	if err != nil {
		return 0, false // holds a placeholder
	}
	switch u.Hostname() {
	case "127.0.0.1", "localhost", "::1":
	default:
		return 0, false
	}
	port, err := strconv.Atoi(u.Port())
	return port, err == nil
}

// What a plan sends to: the receivers of the sink that its texts name.

// Exports reports whether a variant gets the sink's address, or writes its spans to
// files that are counted.
func Exports(p *config.Plan) bool {
	if p.Silent {
		return false
	}
	if len(p.Files) > 0 {
		return true
	}
	return p.NamesSink()
}

// Protocols are the protocols besides those that every sink serves that a plan names.
func Protocols(p *config.Plan) []protocol.Name {
	var words []string
	for _, text := range p.Texts() {
		words = append(words, program.Placeholders(text)...)
	}
	var out []protocol.Name
	for _, r := range protocol.Named(words) {
		if !r.Always {
			out = append(out, r.Name)
		}
	}
	return out
}

// scratchName begins the names of scratch folders; the number of the tracetax
// that made it follows.
const scratchName = "tracetax-run-"

// Scratch makes a folder for {tmp} of a run, which is to remove it, and removes those that a tracetax which was
// killed left behind.
func Scratch() (string, error) {
	old, err := filepath.Glob(filepath.Join(os.TempDir(), scratchName+"*"))
	if err != nil {
		return "", fmt.Errorf("looking for old scratch folders: %w", err)
	}
	for _, dir := range old {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), scratchName), "-")
		pid, err := strconv.Atoi(number)
		if err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue // somebody's still, or none of ours
		}
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, os.ErrPermission) {
			return "", fmt.Errorf("removing an old scratch folder: %w", err)
		}
	}
	dir, err := os.MkdirTemp("", scratchName+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("making a scratch folder: %w", err)
	}
	return dir, nil
}
