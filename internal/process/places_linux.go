package process

// The CPUs of this machine, and binding tracetax itself.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tracetax/tracetax/internal/process/cpulist"
	"golang.org/x/sys/unix"
)

// allowedCPUs are the CPUs that tracetax may use, and the threads of their cores.
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
		if list, err := cpulist.Parse(string(text)); err == nil {
			siblings[cpu] = list
		}
	}
	return allowed, siblings
}

// Pin binds tracetax itself, with what it starts from now on, to cpus. An empty
// list changes nothing.
func Pin(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	// Threads that start meanwhile begin where their maker is, so that a second
	// look finds those of makers that were not bound yet.
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
				return fmt.Errorf("binding tracetax to the CPUs %s: %w", cpulist.Format(cpus), err)
			}
		}
	}
	return nil
}

// placementWithout is how processes are bound to CPUs without a cpuset.
const placementWithout = "affinity"
