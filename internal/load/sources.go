// The local addresses that connections come from. A connection is told apart by
// both its ends, so one source address can have no more connections to one server
// than the system has ports to give.

package load

import "net/netip"

// chooseSources returns as many addresses of loopback as the connections need, or none where the system's choice will do.
func (p *plan) chooseSources() []netip.Addr {
	if !p.onLoopback() {
		return nil
	}
	return loopbackSources(p.task.Connections, readPorts().count)
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
