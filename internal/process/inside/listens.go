package inside

import (
	"net"
	"net/netip"
)

// Listener is an address at which a program listens for TCP.
type Listener struct {
	Address netip.Addr
	Port    string
}

func (l Listener) String() string { return net.JoinHostPort(l.Address.String(), l.Port) }

// Reached reports whether it is reached at a host of this machine.
func (l Listener) Reached(host string) bool {
	at := []netip.Addr{}
	if one, err := netip.ParseAddr(host); err == nil {
		at = append(at, one.Unmap())
	} else if host == "localhost" {
		at = append(at, netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback())
	}
	for _, one := range at {
		if l.Address == one || l.Address.IsUnspecified() && (l.Address.Is4() == one.Is4() || l.Address.Is6()) {
			return true
		}
	}
	return false
}
