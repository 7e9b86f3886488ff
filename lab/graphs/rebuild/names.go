package rebuild

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// Names say which processes addresses belong to.
type Names struct {
	alone map[netip.Addr]string // addresses that one process has
	ports map[netip.AddrPort]process
	bases map[string]bool // all names
	run   bool            // of a run: its load has the address of no process, and sends a traceparent with each request
}

type process struct {
	name  string
	store string // the kind of a real store
	stub  bool   // it stands for a store
	load  bool
}

func newNames() *Names {
	return &Names{alone: map[netip.Addr]string{}, ports: map[netip.AddrPort]process{}, bases: map[string]bool{}}
}

// ReadNames reads names as a user writes them: 10.0.0.7=cart or 10.0.0.7,cart in each line, also with a port. What follows a #
// is a comment.
func ReadNames(name string, in io.Reader) (*Names, error) {
	n := newNames()
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")); text == "" || number == 1 && strings.EqualFold(text, "address,name") {
			continue
		}
		at := strings.IndexAny(text, "=,")
		if at < 0 {
			return nil, fmt.Errorf("%s:%d: %q is no name of an address; write ADDRESS=NAME, such as 10.0.0.7=cart", name, number, text)
		}
		if err := n.add(strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+1:])); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading names of %s: %w", name, err)
	}
	return n, nil
}

// add adds a line.
func (n *Names) add(address, name string) error {
	if name == "" {
		return fmt.Errorf("the address %s has no name; write ADDRESS=NAME, such as 10.0.0.7=cart", address)
	}
	n.bases[name] = true
	if at, err := netip.ParseAddrPort(address); err == nil {
		n.ports[at] = process{name: name}
		return nil
	}
	at, err := netip.ParseAddr(address)
	if err != nil {
		return fmt.Errorf("%q is no address; write one such as 10.0.0.7, 10.0.0.7:8080 or fd00::7", address)
	}
	if of, has := n.alone[at.Unmap()]; has && of != name {
		return fmt.Errorf("the address %s is %s already; give it one name, or names with ports", address, of)
	}
	n.alone[at.Unmap()] = name
	return nil
}

// namesOf are the names of a run's processes.
func namesOf(of *record.Capture) (*Names, error) {
	n, owners := newNames(), map[netip.Addr]int{}
	n.run = true
	for _, p := range of.Processes {
		if p.Address == "" {
			continue
		}
		at, err := netip.ParseAddr(p.Address)
		if err != nil {
			return nil, fmt.Errorf("process %s has the address %q, which is none: the file is damaged", p.Name, p.Address)
		}
		n.bases[p.Name] = true
		is := process{name: p.Name, store: p.Store, stub: role.Role(p.Role) == role.Database, load: role.Role(p.Role) == role.Load}
		for _, port := range p.Ports {
			n.ports[netip.AddrPortFrom(at, uint16(port))] = is
		}
		if owners[at]++; owners[at] == 1 && !is.load {
			n.alone[at] = p.Name
		} else {
			delete(n.alone, at)
		}
	}
	return n, nil
}

// serviceAt is the service of the process that alone has an address, "" where none or several have it.
func (n *Names) serviceAt(at netip.Addr) string { return n.service(n.alone[at]) }

// Serves reports whether a process is known to listen there.
func (n *Names) Serves(at netip.AddrPort) bool {
	_, is := n.ports[at]
	return is
}

// server is the process that listens there; one without a name is called as its address.
func (n *Names) server(at netip.AddrPort) process {
	p, is := n.ports[at]
	if !is {
		p.name = n.alone[at.Addr()]
	}
	if p.name == "" {
		p.name = at.Addr().String()
	}
	return p
}

// service is the name of a service, which replicas share: cart-2 is one of cart, where there is one of that name.
func (n *Names) service(name string) string {
	base := strings.TrimRight(name, "0123456789")
	if base = strings.TrimSuffix(base, "-"); len(base) < len(name)-1 && n.bases[base] {
		return base
	}
	return name
}

// Folder finds the captures of a results folder.
func Folder(dir string) ([]Input, error) {
	var files []string
	for _, pattern := range []string{"C/*.json", "C/*/*.json", "*/C/*.json", "*/C/*/*.json"} {
		found, err := filepath.Glob(filepath.Join(dir, strings.Replace(pattern, "C", record.Captures, 1)))
		if err != nil {
			return nil, fmt.Errorf("looking for captures in %s: %w", dir, err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no captures: run with --captures and a variant with the tracer packets, or with capture: packets", dir)
	}
	slices.Sort(files)
	var out []Input
	for _, file := range slices.Compact(files) {
		in, err := captureOf(file)
		if err != nil {
			return nil, err
		}
		out = append(out, in)
	}
	return out, nil
}

// Beside returns a capture of a run with the names that the run wrote beside it; ok is false without these.
func Beside(file string) (in Input, ok bool, err error) {
	beside := strings.TrimSuffix(file, filepath.Ext(file)) + ".json"
	if filepath.Base(filepath.Dir(file)) != record.Captures {
		return in, false, nil
	}
	if _, err := os.Stat(beside); err != nil {
		return in, false, nil //nolint:nilerr // it is a capture of somebody else's
	}
	in, err = captureOf(beside)
	return in, true, err
}

// captureOf reads what a run wrote beside its packets.
func captureOf(file string) (Input, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Input{}, fmt.Errorf("reading what captured packets are: %w", err)
	}
	var of record.Capture
	if err := json.Unmarshal(text, &of); err != nil {
		return Input{}, fmt.Errorf("reading %s: %w", file, err)
	}
	names, err := namesOf(&of)
	if err != nil {
		return Input{}, fmt.Errorf("reading %s: %w", file, err)
	}
	in := Input{Title: fmt.Sprintf("%s, %s, block %d", of.Workload, of.Variant, of.Block), Names: names, Phases: of.Phases}
	if of.Dropped != nil {
		in.Dropped = int64(*of.Dropped)
	}
	for _, name := range of.Files {
		if !filepath.IsLocal(name) {
			return Input{}, fmt.Errorf("reading %s: it names %s, which is in another folder", file, name)
		}
		in.Files = append(in.Files, filepath.Join(filepath.Dir(file), name))
	}
	if len(in.Files) == 0 {
		return Input{}, fmt.Errorf("reading %s: it names no files of packets: it is damaged", file)
	}
	return in, nil
}
