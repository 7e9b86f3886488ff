// Package cgroup owns the control groups that processes are put into: one for each process, below one for their launcher,
// in either version of cgroups. It must not know what a process is, nor how it is started.
package cgroup

// This file is what both versions have in common.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process/table"
)

// How processes are told apart for charging: what may be asked for, and what comes of it.
const (
	Auto  = "auto"   // cgroups where there is the right to, clocks otherwise
	Any   = "cgroup" // of any version
	V1    = "cgroup v1"
	V2    = "cgroup v2"
	Clock = "clock" // without cgroups
)

// Limits are what a process may use.
type Limits struct {
	Name   string  // unique below its tree
	CPUs   []int   // nil is all
	Quota  float64 // CPUs' worth of time; 0 is no limit
	Memory int64   // bytes; 0 is no limit
}

// Tree makes groups for the processes of one launcher.
type Tree interface {
	// Create makes a group with the limits of c, as far as the tree has them.
	Create(c Limits) (*Group, error)
	// Has reports whether the tree has a controller: cpu, cpuset, memory.
	Has(controller string) bool
	// Version is V1 or V2.
	Version() string
	// Dirs are the launcher's own directories, to be removed when the groups below are.
	Dirs() []string
}

// Group is the place of one process in the cgroup tree; the zero value is none.
type Group struct {
	At    map[string]string // directory by controller; version 2: always "unified", others where enabled
	Dirs  []string          // each directory once
	Join  []string          // version 1: the task files that a thread enters it by
	Leave []string          // version 1: and those by which it gets out again
}

// period is the length of time over which a CPU quota is dealt out.
const period = 100 * time.Millisecond

// quota returns the quota and its period in µs, as both versions want it; the
// kernel refuses less than 1 ms.
func quota(cpus float64) (micros, every int64) {
	return max(int64(cpus*float64(period.Microseconds())+0.5), 1000), period.Microseconds()
}

// Write writes value to a file that the kernel has made; it must not
// create one.
func Write(file, value string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	if err != nil {
		err = fmt.Errorf("writing %q: %w", value, err)
	}
	return errors.Join(err, f.Close())
}

// Read reads one, without the white space around it.
func Read(file string) (string, error) {
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// PIDs lists the processes in the directories and in those that the
// program itself made below them.
func PIDs(dirs []string) ([]int, error) {
	var pids []int
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return ignoreMissing(err)
			}
			text, err := os.ReadFile(filepath.Join(path, "cgroup.procs"))
			if err != nil {
				return ignoreMissing(err)
			}
			for _, field := range strings.Fields(string(text)) {
				// 0 is a process that this PID namespace does not show.
				if pid, err := strconv.Atoi(field); err == nil && pid > 0 {
					pids = append(pids, pid)
				}
			}
			return nil
		})
		if err != nil {
			return pids, fmt.Errorf("listing the processes of the cgroup %s: %w", dir, err)
		}
	}
	return table.Merge(pids, nil), nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		return nil
	}
	return err
}

// Remove removes the directories and what is below them. The kernel takes
// a moment to let go of a group whose last process has just ended.
func Remove(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		err := removeOne(dir)
		for range 100 {
			if !errors.Is(err, syscall.EBUSY) {
				break
			}
			time.Sleep(10 * time.Millisecond)
			err = removeOne(dir)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// removeOne removes one directory, those below it first. Only directories:
// the files in them are the kernel's.
func removeOne(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ignoreMissing(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeOne(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := syscall.Rmdir(dir); err != nil && !errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("removing the cgroup %s: %w", dir, err)
	}
	return nil
}

// Prefix begins the name of every group that tracetax makes; the number of
// its process follows.
const Prefix = "tracetax-"

// sweep removes empty groups below dir that a tracetax left which is no more.
// It is a courtesy: what can't be removed stays.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), Prefix)
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		if !ours || err != nil || table.Running(pid) {
			continue
		}
		_ = removeOne(filepath.Join(dir, entry.Name()))
	}
}
