package supervisor

// The keeper's Linux parts: adopting orphans, joining cgroups without staying in them, waiting without reaping.

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of every orphan that descends from it.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the reaper of orphans: %w", err)
	}
	return nil
}

// enter moves the calling thread to the program's place (cgroup v1, CPU affinity), as a child begins where the thread that
// forks it is. back undoes it. For cgroup v2 the kernel places the child itself.
func (k *keeper) enter() (attr *syscall.SysProcAttr, back func() error, err error) {
	attr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var undo []func() error
	back = func() error {
		var errs []error
		for _, f := range undo {
			errs = append(errs, f())
		}
		return errors.Join(errs...)
	}
	if k.task.Group != "" {
		dir, err := os.Open(k.task.Group)
		if err != nil {
			return nil, nil, fmt.Errorf("opening the cgroup: %w", err)
		}
		attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
		undo = append(undo, dir.Close)
	}
	if len(k.task.Join) > 0 {
		undo = append(undo, func() error { return enterTasks(k.task.Leave) })
		if err := enterTasks(k.task.Join); err != nil {
			return nil, nil, errors.Join(err, back())
		}
	}
	if len(k.task.CPUs) > 0 {
		restore, err := setAffinity(k.task.CPUs)
		if err != nil {
			return nil, nil, errors.Join(err, back())
		}
		undo = append(undo, restore) // after leaving the cpuset, which would bind the thread again
	}
	return attr, back, nil
}

// enterTasks moves the calling thread, and only it, into cgroups of version 1.
func enterTasks(files []string) error {
	for _, file := range files {
		if err := cgroup.Write(file, "0"); err != nil {
			return fmt.Errorf("entering the cgroup: %w", err)
		}
	}
	return nil
}

// setAffinity binds the calling thread to cpus; restore sets its old affinity.
func setAffinity(cpus []int) (restore func() error, err error) {
	var before, now unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("reading the CPU affinity: %w", err)
	}
	for _, cpu := range cpus {
		now.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &now); err != nil {
		return nil, fmt.Errorf("binding to the CPUs %s: %w (is each of them there and allowed?)", proctree.FormatCPUs(cpus), err)
	}
	return func() error { return unix.SchedSetaffinity(0, &before) }, nil
}

// awaitChild blocks until a child can be waited for, or there is none.
func awaitChild() {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

func duplicate(from, to int) error { return unix.Dup3(from, to, 0) }

// Monotonic returns the time of the machine's monotonic clock, ns.
func Monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return t.Nano()
}
