package usage

// Readings from cgroups: everything that ran in them, the dead included. The
// kernel books the time of a thread when it leaves its CPU, and otherwise at
// every timer tick (1 to 10 ms): a busy thread is behind by less than a tick.
// What a program runs elsewhere is in none of them, and it may move its processes
// as it likes: so the processes' clocks are read beside.

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/table"
)

// readGroup reads a target's cgroup, and the clocks of its processes beside.
func readGroup(t Target, of func(map[string]string) (reading, error)) (reading, error) {
	r, err := of(t.Groups())
	if err != nil {
		return r, err
	}
	by, err := readClocks(t)
	switch {
	case err == nil:
		r.clocks = &clocks{cpu: by.cpu, system: by.system, processes: len(by.pids)}
	case !errors.Is(err, errTorn):
		return r, err
	default: // the cgroup alone has to do
		if by.pids, err = t.Pids(); err != nil {
			return r, err
		}
	}
	r.outside, err = outside(t, by.pids)
	return r, err
}

// outside lists those of a target's processes that are not in its cgroup any more, by name and number.
func outside(t Target, all []int) ([]string, error) {
	groups := t.Groups()
	dir := groups["cpuacct"]
	if dir == "" {
		dir = groups["unified"]
	}
	inside, err := cgroup.PIDs([]string{dir})
	if err != nil {
		return nil, err
	}
	member := make(map[int]bool, len(inside))
	for _, pid := range inside {
		member[pid] = true
	}
	var names []string
	for _, pid := range all {
		if member[pid] || !table.Running(pid) { // those that have ended are in none
			continue
		}
		name, err := readFile(fmt.Sprintf("/proc/%d/comm", pid), make([]byte, 64))
		if ended(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		names = append(names, fmt.Sprintf("%s (process %d)", strings.TrimSpace(string(name)), pid))
	}
	return names, nil
}

func readV1(groups map[string]string) (reading, error) {
	r := reading{at: time.Now(), source: "cgroup v1"}
	buffer := make([]byte, 4096)
	total, err := readFile(filepath.Join(groups["cpuacct"], "cpuacct.usage"), buffer)
	if err != nil {
		return r, err
	}
	r.cpu = time.Duration(digits(string(total)))
	split, err := readFile(filepath.Join(groups["cpuacct"], "cpuacct.stat"), buffer)
	if err != nil {
		return r, err
	}
	r.system = time.Duration(number(split, "system ")) * tick
	if groups["cpu"] == "" {
		return r, nil
	}
	stat, err := readFile(filepath.Join(groups["cpu"], "cpu.stat"), buffer)
	r.throttled = time.Duration(number(stat, "throttled_time "))
	return r, err
}

func readV2(groups map[string]string) (reading, error) {
	r := reading{at: time.Now(), source: "cgroup v2"}
	stat, err := readFile(filepath.Join(groups["unified"], "cpu.stat"), make([]byte, 4096))
	r.cpu = time.Duration(number(stat, "usage_usec ")) * time.Microsecond
	r.system = time.Duration(number(stat, "system_usec ")) * time.Microsecond
	r.throttled = time.Duration(number(stat, "throttled_usec ")) * time.Microsecond
	return r, err
}
