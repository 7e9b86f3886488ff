// Reading Linux's limits.

package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// makeRoom raises the limit of open files as far as is needed and allowed, and
// says what else stands in the way of n.
func makeRoom(n needs) error {
	l := limits{ports: readPorts(), memory: freeMemory()}
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

// freeMemory is what this process can have in bytes, 0 if unknown: what the machine
// has, or the cgroups that the process is in.
func freeMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	free := parseMeminfo(string(text))
	if left, ok := cgroupMemory(); ok {
		free = min(free, left)
	}
	return free
}

// parseMeminfo finds MemAvailable, in bytes.
func parseMeminfo(text string) uint64 {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}

// cgroupMemory is what the cgroup that this process sees as its own has left
// (version 2, then 1), false where there is no limit.
func cgroupMemory() (uint64, bool) {
	for _, files := range [][2]string{
		{"memory.max", "memory.current"},
		{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"},
	} {
		limit, ok := readNumber(filepath.Join("/sys/fs/cgroup", files[0]))
		used, known := readNumber(filepath.Join("/sys/fs/cgroup", files[1]))
		if ok && known && limit < 1<<62 {
			return limit - min(used, limit), true
		}
	}
	return 0, false
}

// readNumber reads a file that holds a number.
func readNumber(name string) (uint64, bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
