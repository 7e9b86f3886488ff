// Reading Linux's limits.

package load

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/tracetax/tracetax/internal/machine"
)

// makeRoom raises the limit of open files as far as is needed and allowed, and
// says what else stands in the way of n.
func makeRoom(n needs) error {
	l := limits{ports: readPorts(), memory: machine.FreeMemory()}
	var err error
	if l.files, err = raiseFiles(uint64(n.connections + n.files)); err != nil {
		return err
	}
	return l.check(n)
}

// raiseFiles raises the limit of this process's open files to want: the soft limit,
// and the hard one where there is the right to. It returns the limit then.
func raiseFiles(want uint64) (uint64, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("reading the limit of open files: %w", err)
	}
	if limit.Cur >= want {
		return limit.Cur, nil
	}
	higher := unix.Rlimit{Cur: want, Max: max(limit.Max, want)}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &higher); err == nil {
		return want, nil
	}
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("raising the limit of open files to %d: %w", limit.Max, err)
	}
	return limit.Max, nil
}

// openFiles is how many files this process has open.
func openFiles() int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(names)
}

// readPorts reads the range of local ports.
func readPorts() ports {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return ports{}
	}
	return parsePorts(string(text))
}

func parsePorts(text string) ports {
	var p ports
	if _, err := fmt.Sscan(text, &p.first, &p.last); err != nil || p.last < p.first {
		return ports{}
	}
	p.count = p.last - p.first + 1
	return p
}
