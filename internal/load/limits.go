// What may stand in the way of many connections, looked at before the load
// starts, so that it is refused with the limit's name instead of failing half-way.

package load

import "fmt"

// needs is what a task asks of the machine.
type needs struct {
	connections int
	files       int    // that are not connections
	bytes       uint64 // of memory, about
	sources     int    // local addresses, at least 1
}

// limits are what the machine gives; 0 is unknown.
type limits struct {
	files  uint64 // that may be open
	ports  ports
	memory uint64 // bytes that are free
}

// ports is the range that the system takes a connection's local port from.
type ports struct{ first, last, count int }

// Memory of one connection in bytes, about: what the kernel keeps of a socket that
// is mostly idle, and what the generator keeps of what it speaks.
const (
	socketBytes = 6 << 10
	plainBytes  = 1 << 10
	tlsBytes    = 24 << 10
	http2Bytes  = 8 << 10
)

// filesPerThread are an event loop's own.
const filesPerThread = 2

// sparedFiles is how many files are left for whatever else opens some.
const sparedFiles = 64

// needs sums up what p asks of the machine, where the process has so many files
// open already, and memory for so many connections.
func (p *plan) needs(files, had int) needs {
	n := needs{
		connections: p.task.Connections, sources: max(len(p.sources), 1),
		files: files + filesPerThread*p.task.Threads + sparedFiles,
	}
	most := uint64(0)
	for _, t := range p.targets {
		each := uint64(socketBytes + plainBytes)
		if t.tls != nil {
			each += tlsBytes
		}
		if t.grpc {
			each += http2Bytes
		}
		for _, a := range t.addrs {
			if a.Addr().IsLoopback() {
				each = max(each, 2*socketBytes+plainBytes) // both ends are here
			}
		}
		most = max(most, each)
	}
	n.bytes = most * uint64(max(n.connections-had, 0))
	return n
}

// check says which limit stands in the way of n, and what to do; nil if none does.
func (l limits) check(n needs) error {
	if want := uint64(n.connections + n.files); l.files > 0 && want > l.files {
		return fmt.Errorf("%d connections need %d open files, and this process may have %d (the hard limit of RLIMIT_NOFILE): "+
			"raise it (ulimit -Hn %d as root; LimitNOFILE= of a service; --ulimit nofile= of a container), or ask for at most %d connections",
			n.connections, want, l.files, want, max(int(l.files)-n.files, 0))
	}
	if most := l.ports.count * n.sources; l.ports.count > 0 && n.connections > most {
		return fmt.Errorf("%d connections need as many local ports, and %s has %d (net.ipv4.ip_local_port_range %d %d): "+
			"widen the range (sysctl -w net.ipv4.ip_local_port_range='1024 65535'), or ask for at most %d connections",
			n.connections, addresses(n.sources), most, l.ports.first, l.ports.last, most)
	}
	if l.memory > 0 && n.bytes > l.memory {
		return fmt.Errorf("%d connections need about %d MB of memory, and %d MB are free: "+
			"ask for fewer, or free memory (the limit may be the container's)", n.connections, n.bytes>>20, l.memory>>20)
	}
	return nil
}

func addresses(n int) string {
	if n == 1 {
		return "one source address"
	}
	return fmt.Sprintf("%d source addresses together", n)
}
