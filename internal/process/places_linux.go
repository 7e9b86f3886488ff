package process

// The CPUs of this machine, and binding tracetax itself.

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"golang.org/x/sys/unix"
)

// allowedCPUs returns the CPUs that tracetax may use, and the threads of their cores.
func allowedCPUs() (allowed []int, siblings map[int][]int) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, nil
	}
	siblings = map[int][]int{}
	for cpu := range len(set) * 64 {
		if !set.IsSet(cpu) {
			continue
		}
		allowed = append(allowed, cpu)
		text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
		if err != nil {
			continue
		}
		if list, err := proctree.ParseCPUs(string(text)); err == nil {
			siblings[cpu] = list
		}
	}
	return allowed, siblings
}

// Pin binds tracetax and the programs that it starts from now on to cpus. An empty list changes nothing.
func Pin(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	// Threads that start meanwhile inherit the affinity of their maker, so a second round finds those of makers that were not
	// bound yet.
	for range 2 {
		threads, err := filepath.Glob("/proc/self/task/*")
		if err != nil {
			return err
		}
		for _, thread := range threads {
			tid, err := strconv.Atoi(filepath.Base(thread))
			if err != nil {
				continue
			}
			if err := unix.SchedSetaffinity(tid, &set); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("binding tracetax to the CPUs %s: %w", proctree.FormatCPUs(cpus), err)
			}
		}
	}
	return nil
}

// placementWithout is the way to bind processes to CPUs without a cpuset.
const placementWithout = "affinity"

// Ports, by Linux.

// ephemeral returns the kernel's range of ports for outgoing connections.
func ephemeral() (low, high int) {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err == nil {
		if _, err = fmt.Sscan(string(text), &low, &high); err == nil {
			return low, high
		}
	}
	return 32768, 60999 // the kernel's default
}

// reserve marks a port as given out, by a name that one socket on this machine can have (per network namespace, like ports) and
// that the kernel frees with its process; false if it is marked already.
func reserve(port int) (io.Closer, bool) {
	mark, err := net.Listen("unix", fmt.Sprintf("@tracetax/port/%d", port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, false
	}
	if err != nil {
		return nil, true // without such sockets ports are given out unmarked
	}
	return mark, true
}

// holder names the program that listens on port, " by nginx (pid 123)"; "" if unknown.
func holder(port int) string {
	pid := new(inspect.Tables).Holder(uint16(port))
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf(" by %s (pid %d)", inspect.Name(pid), pid)
}

// The CPU time of a keeper.

// keeperCPU returns the CPU time of the keeper itself until now.
func (p *Process) keeperCPU() time.Duration {
	select {
	case <-p.gone:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.own
	default:
	}
	// The clock of another process, as clock_getcpuclockid(3) makes it.
	clock := int32(^p.keeper.Process.Pid<<3 | 2)
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0 // it has just ended; the next reading has its total
	}
	return time.Duration(t.Nano())
}
