package process

// Moving a process that runs to other CPUs.

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/cpulist"
	"github.com/tracetax/tracetax/internal/process/table"
	"golang.org/x/sys/unix"
)

// placementWithout is how processes are bound to CPUs without a cpuset.
const placementWithout = "affinity"

// Move binds the process, with everything that descends from it, to other CPUs
// while it runs. What it starts later begins there too.
func (p *Process) Move(cpus []int) error {
	if dir := p.group.At["cpuset"]; dir != "" {
		if err := cgroup.Write(filepath.Join(dir, "cpuset.cpus"), cpulist.Format(cpus)); err != nil {
			return fmt.Errorf("moving %s to the CPUs %s: %w", p.Name(), cpulist.Format(cpus), err)
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
			return fmt.Errorf("moving %s to the CPUs %s: %w", p.Name(), cpulist.Format(cpus), err)
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
		tids, err := table.Threads(pid)
		if err != nil {
			return err
		}
		for _, tid := range tids {
			if err := unix.SchedSetaffinity(tid, set); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("binding thread %d: %w", tid, err)
			}
		}
	}
	return nil
}
