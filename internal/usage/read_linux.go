package usage

// Readings on Linux.

import (
	"fmt"
	"os"
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
