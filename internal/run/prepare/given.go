// The ports of a run: given out here only; each text gets those that it means.

package prepare

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
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
	"golang.org/x/sys/unix"
)

// Ports are the ports of the processes of one run.
type Ports struct {
	processes []program.Process
	own       map[string]map[string]string // by process, then "port" or "port.FURTHER"
	relays    map[string]map[string]string // by process that calls of others go through, then by the called process
}

// GivePorts gives each process a free port, and one more for each {port.FURTHER} of its texts.
func GivePorts(processes []program.Process) (*Ports, error) {
	p := &Ports{processes: processes, own: map[string]map[string]string{}, relays: map[string]map[string]string{}}
	count := 0
	for _, one := range processes {
		count += 1 + len(one.FurtherPorts()) + len(p.through(one))
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
		if one.Port > 0 {
			own["port"] = strconv.Itoa(one.Port) // in a pod of its own nothing else has it
		}
		p.own[one.Name] = own
		if called := p.through(one); called != nil {
			p.relays[one.Name] = map[string]string{}
			for _, name := range called {
				p.relays[one.Name][name] = strconv.Itoa(free[0])
				free = free[1:]
			}
		}
	}
	return p, nil
}

// Filter returns a filter for packets from or to a port of the run, in the syntax of pcap-filter(7).
func (p *Ports) Filter() string {
	var all []int
	for name := range p.own {
		all = append(all, p.All(name)...)
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

// All returns the ports of a process.
func (p *Ports) All(process string) (all []int) {
	for _, ports := range []map[string]string{p.own[process], p.relays[process]} {
		for _, port := range ports {
			n, _ := strconv.Atoi(port) // it was made from a number
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

// through lists the processes that are called through this one; nil if no calls go through it.
func (p *Ports) through(one program.Process) []string {
	out := []string{}
	switch {
	case one.Placed.Between:
		for _, other := range p.called() {
			out = append(out, other.Name)
		}
	case one.Placed.Out:
		of := p.process(one.Placed.Of)
		for _, other := range p.called() {
			if other.Name != of.Name && mentions(of.Words(), other.Name) {
				out = append(out, other.Name)
			}
		}
	default:
		return nil
	}
	return out
}

// called lists the processes of the workload that may be called.
func (p *Ports) called() []program.Process {
	return slices.DeleteFunc(slices.Clone(p.processes), func(one program.Process) bool {
		return one.Brought() || one.Service != nil && len(one.Service.Receives) > 0 || !program.UsesPort(one, p.processes)
	})
}

func (p *Ports) process(name string) program.Process {
	return p.processes[slices.IndexFunc(p.processes, func(one program.Process) bool { return one.Name == name })]
}

// Peers lists all processes of the workload that may be called, as one that calls go through reaches them.
func (p *Ports) Peers(one program.Process) []program.Peer {
	var out []program.Peer
	for _, other := range p.called() {
		front := p.process(p.Front(other.Name))
		peer := program.Peer{
			Name: other.Name, Host: other.At(), Port: p.Of(front.Name), Protocol: other.Protocol, Front: front.Placed.Front && front.Placed.Name == one.Placed.Name,
		}
		if port := p.relays[one.Name][other.Name]; port != "" {
			peer.Listen = net.JoinHostPort(p.listens(one, other), port)
		}
		out = append(out, peer)
	}
	return out
}

// listens returns the address at which a relay takes calls for another process; a relay of all calls uses the called one's.
func (p *Ports) listens(relay, called program.Process) string {
	if relay.Placed.Between {
		return called.At()
	}
	return relay.At()
}

// Front returns the process that is asked in place of a process: the proxy before it, or itself.
func (p *Ports) Front(name string) string { return p.way(name)[0] }

// way returns the way of a request to a process: the proxies before it, the outermost first, and itself.
func (p *Ports) way(name string) []string {
	var out []string
	for _, one := range slices.Backward(p.processes) { // the outermost starts last
		if one.Placed.Front && one.Placed.Of == name {
			out = append(out, one.Name)
		}
	}
	return append(out, name)
}

// Asked returns the port at which others ask a process: that of the relay between all, of the proxy before it, or its own.
func (p *Ports) Asked(name string) string {
	for _, relay := range p.processes {
		if port := p.relays[relay.Name][name]; relay.Placed.Between && port != "" {
			return port
		}
	}
	return p.Of(p.Front(name))
}

// Of returns the port at which a process itself listens.
func (p *Ports) Of(name string) string { return p.own[name]["port"] }

// Seen adds to values the hosts and ports that everybody sees: those at which processes are asked.
func (p *Ports) Seen(values map[string]string) {
	for _, one := range p.processes {
		if one.Placed.Of != "" {
			continue // only the processes around it know which one is meant
		}
		for word, port := range p.own[one.Name] {
			values[one.Name+"."+word] = port
		}
		values[one.Name+".host"], values[one.Name+".port"] = one.At(), p.Asked(one.Name)
	}
}

// Asking adds to values, which has the ports from Seen, the values for a request to a process.
func (p *Ports) Asking(one program.Process, values map[string]string) {
	values["process"] = one.Name
	values["host"], values["port"] = values[one.Name+".host"], values[one.Name+".port"]
}

// Inside adds to values, which has the ports from Seen, the values for a process's own texts: its own ports, those of its
// sidecars, those through which its calls leave, and, for a sidecar, those of the process behind it.
func (p *Ports) Inside(one program.Process, values map[string]string) {
	values["process"] = one.Name
	service := one.Name
	if one.Placed.Of != "" {
		service = one.Placed.Of
		values["beside.process"], values["beside.host"], values["beside.port"] = service, one.At(), p.Of(p.behind(one))
	}
	for _, other := range p.processes {
		if other.Placed.Of == service {
			if !one.Brought() {
				for called, port := range p.relays[other.Name] {
					values[called+".host"], values[called+".port"] = other.At(), port
				}
			}
			values[other.Placed.Name+".host"] = other.At()
			for word, port := range p.own[other.Name] {
				values[other.Placed.Name+"."+word] = port
			}
		}
	}
	values["host"] = one.At()
	for word, port := range p.own[one.Name] {
		values[word] = port
		if one.Placed.Of == "" {
			values[one.Name+"."+word] = port
		}
	}
}

// behind returns the process that a sidecar reaches; a proxy reaches the next one on the way.
func (p *Ports) behind(one program.Process) string {
	if !one.Placed.Front {
		return one.Placed.Of
	}
	way := p.way(one.Placed.Of)
	return way[slices.Index(way, one.Name)+1]
}

// WritePeers writes the file {peers} of a process whose texts name it, and adds the word to values.
func (p *Ports) WritePeers(one program.Process, values map[string]string) error {
	if !slices.Contains(one.Words(), program.PeersWord) {
		return nil
	}
	text, err := json.MarshalIndent(p.Peers(one), "", " ")
	if err != nil {
		return fmt.Errorf("writing the file {peers}: %w", err)
	}
	if err := os.MkdirAll(values["templates"], 0o755); err != nil {
		return fmt.Errorf("making the folder of the file {peers}: %w", err)
	}
	values[program.PeersWord] = filepath.Join(values["templates"], "peers.json")
	if err := os.WriteFile(values[program.PeersWord], text, 0o644); err != nil {
		return fmt.Errorf("writing the file {peers}: %w", err)
	}
	return nil
}

// FreePorts checks that the ports that a plan itself names, without {port}, are free: another program there would answer in the
// workload's place.
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

// fixedPort returns the port of a readiness check on this machine, if it is a number.
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

// The targets of a plan: the receivers of the sink that its texts name.

// Exports reports whether a variant gets the sink's address, or writes its spans to files that are counted.
func Exports(p *config.Plan) bool {
	if p.Silent {
		return false
	}
	if len(p.Files) > 0 {
		return true
	}
	return p.NamesSink()
}

// Protocols lists the protocols that a plan names, besides those that every sink serves.
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

// scratchName begins the names of scratch folders; the PID of their tracetax follows.
const scratchName = "tracetax-run-"

// scratchMode lets every user go through the folder but not list it: a program may drop its rights, and has folders of its own
// there.
const scratchMode = 0o711

// Scratch makes the folder for {tmp} of a run, which must remove it, and removes those that a killed tracetax left.
func Scratch() (string, error) { return scratchIn(os.TempDir(), scratchMode) }

// memoryMode is that of folders of rings: their readers and writers refuse one that others may write.
const memoryMode = 0o700

// sharedMemory is where Linux has a file system in memory.
const sharedMemory = "/dev/shm"

// Memory makes the folder for {memory} of a run, as Scratch does, in memory. Where this machine has no such place it lies beside {tmp}.
func Memory() (string, error) { return scratchIn(memoryPlace(sharedMemory), memoryMode) }

// memoryPlace returns a place if files lie in memory there and this user may write, else that of temporary files.
func memoryPlace(place string) string {
	var fs unix.Statfs_t
	if err := unix.Statfs(place, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC || unix.Access(place, unix.W_OK) != nil {
		return os.TempDir()
	}
	return place
}

func scratchIn(place string, mode os.FileMode) (string, error) {
	old, err := filepath.Glob(filepath.Join(place, scratchName+"*"))
	if err != nil {
		return "", fmt.Errorf("looking for old scratch folders: %w", err)
	}
	for _, dir := range old {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), scratchName), "-")
		pid, err := strconv.Atoi(number)
		if err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue // still in use, or not ours
		}
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, os.ErrPermission) {
			return "", fmt.Errorf("removing an old scratch folder: %w", err)
		}
	}
	dir, err := os.MkdirTemp(place, scratchName+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("making a scratch folder: %w", err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		return "", fmt.Errorf("making a scratch folder: %w", err)
	}
	return dir, nil
}
