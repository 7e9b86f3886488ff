package process

// Moving a process that runs to other CPUs.

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Move binds the process, with everything that descends from it, to other CPUs
// while it runs. What it starts later begins there too.
func (p *Process) Move(cpus []int) error {
	if dir := p.group.at["cpuset"]; dir != "" {
		if err := writeControl(filepath.Join(dir, "cpuset.cpus"), formatCPUs(cpus)); err != nil {
			return fmt.Errorf("moving %s to the CPUs %s: %w", p.Name(), formatCPUs(cpus), err)
		}
	}
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	// Threads that start meanwhile begin where their maker is, so that a second
	// look finds those of makers that were not moved yet.
	for range 2 {
		if err := p.bind(&set); err != nil {
			return fmt.Errorf("moving %s to the CPUs %s: %w", p.Name(), formatCPUs(cpus), err)
		}
	}
	return nil
}

func (p *Process) bind(set *unix.CPUSet) error {
	pids, err := p.Pids()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		tids, err := namesIn(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil && !vanished(err) {
			return fmt.Errorf("listing the threads of process %d: %w", pid, err)
		}
		for _, name := range tids {
			tid, err := strconv.Atoi(name)
			if err != nil {
				continue
			}
			if err := unix.SchedSetaffinity(tid, set); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("binding thread %d: %w", tid, err)
			}
		}
	}
	return nil
}
