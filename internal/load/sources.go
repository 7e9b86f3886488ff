// The local addresses that connections come from. A connection is told apart by
// both its ends, so one source address can have no more connections to one server
// than the system has ports to give.

package load

import (
	"fmt"
	"net"
	"net/netip"
)

// checkSources says what is wrong with the source addresses.
func (t Task) checkSources() error {
	_, err := parseAddresses(t.Sources)
	return err
}

func parseAddresses(texts []string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	for _, text := range texts {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("source address %q: want an IP address of this machine, such as 127.0.0.2: %w", text, err)
		}
		addrs = append(addrs, a.Unmap())
	}
	return addrs, nil
}

// chooseSources returns the addresses to connect from: those asked for, or as
// many of loopback as the connections need, or none where one address will do.
func (p *plan) chooseSources() ([]netip.Addr, error) {
	sources, err := parseAddresses(p.task.Sources)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		if err := p.checkSource(source); err != nil {
			return nil, err
		}
	}
	if len(sources) > 0 || !p.onLoopback() {
		return sources, nil
	}
	return loopbackSources(p.task.Connections, readPorts().count), nil
}

// checkSource makes sure that source is this machine's, and of the family of
// every server.
func (p *plan) checkSource(source netip.Addr) error {
	for _, t := range p.targets {
		for _, a := range t.addrs {
			if a.Addr().Is4() != source.Is4() {
				return fmt.Errorf("source address %s cannot reach %s: one is IPv4, the other IPv6", source, a)
			}
		}
	}
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: source.AsSlice()})
	if err != nil {
		return fmt.Errorf("source address %s cannot be used; is it one of this machine's (see 'ip address')? %w", source, err)
	}
	return l.Close()
}

// onLoopback reports whether every server is on this machine's loopback, over IPv4:
// IPv6 has one loopback address only.
func (p *plan) onLoopback() bool {
	for _, t := range p.targets {
		for _, a := range t.addrs {
			if !a.Addr().IsLoopback() || !a.Addr().Is4() {
				return false
			}
		}
	}
	return true
}

// portShare is how many of a source address's ports are used before another one
// is taken: looking for a free port gets slow when few are left.
const portShare = 0.5

// loopbackSources are as many of 127.0.0.1, 127.0.0.2 … as so many connections
// need; none where the one that the system chooses is enough.
func loopbackSources(connections, ports int) []netip.Addr {
	perSource := max(int(portShare*float64(ports)), 1)
	n := (connections + perSource - 1) / perSource
	if n <= 1 {
		return nil
	}
	sources := make([]netip.Addr, 0, n)
	for a := netip.AddrFrom4([4]byte{127, 0, 0, 1}); len(sources) < n && a.IsLoopback(); a = a.Next() {
		sources = append(sources, a)
	}
	return sources
}
