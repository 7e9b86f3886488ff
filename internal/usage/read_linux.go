package usage

// Readings on Linux.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// read takes a reading of one target from the best source that it has.
func read(t Target) (reading, error) {
	r, err := readCPU(t)
	if err != nil {
		return r, err
	}
	r.switches, r.involuntary, err = readSwitches(t)
	return r, err
}

// readCPU is read without context switches.
func readCPU(t Target) (reading, error) {
	groups := t.Groups()
	switch {
	case groups["cpuacct"] != "":
		return readGroup(t, readV1)
	case groups["unified"] != "":
		return readGroup(t, readV2)
	}
	return readClocks(t)
}

// clock is the CPU time of a process with all its threads, dead ones included,
// in ns; see clock_getcpuclockid(3). Threads that are on a CPU at the moment
// are behind by less than a timer tick, as in cgroups.
func clock(pid int) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		return 0, fmt.Errorf("reading the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// ended reports whether err only says that a process is no more.
func ended(err error) bool {
	return errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrNotExist)
}

// readSwitches counts the context switches of every thread that there is, and those of them in which a thread would have
// gone on.
func readSwitches(t Target) (s, involuntary switches, err error) {
	s, involuntary = switches{threads: map[thread]uint64{}}, switches{threads: map[thread]uint64{}}
	pids, err := t.Pids()
	if err != nil {
		return s, involuntary, err
	}
	buffer := make([]byte, 4096)
	for _, pid := range pids {
		tids, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			if ended(err) {
				continue
			}
			return s, involuntary, fmt.Errorf("listing the threads of process %d: %w", pid, err)
		}
		for _, tid := range tids {
			text, err := readFile(fmt.Sprintf("/proc/%d/task/%s/status", pid, tid.Name()), buffer)
			if err != nil {
				if ended(err) {
					continue
				}
				return s, involuntary, err
			}
			forced := number(text, "nonvoluntary_ctxt_switches:")
			one := thread{pid, int(digits(tid.Name()))}
			s.threads[one] = number(text, "voluntary_ctxt_switches:") + forced
			involuntary.threads[one] = forced
		}
	}
	used, err := t.Reaped()
	s.reaped, involuntary.reaped = uint64(used.Nvcsw+used.Nivcsw), uint64(used.Nivcsw)
	return s, involuntary, err
}
