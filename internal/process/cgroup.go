package process

// What cgroups of both versions have in common: one group for each process,
// below one for the launcher.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tree makes groups for the processes of one launcher.
type tree interface {
	// create makes a group with the limits of c, as far as the tree has them.
	create(c Command) (*group, error)
	// has reports whether the tree has a controller: cpu, cpuset, memory.
	has(controller string) bool
	version() int
	// dirs are the launcher's own directories, to be removed when the groups below are.
	dirs() []string
}

// group is the place of one process in the cgroup tree.
type group struct {
	at    map[string]string // directory by controller; version 2: always "unified", others where enabled
	dirs  []string          // each directory once
	join  []string          // version 1: the task files that a thread enters it by
	leave []string          // version 1: and those by which it gets out again
}

// period is the length of time over which a CPU quota is dealt out.
const period = 100 * time.Millisecond

// quota returns the quota and its period in µs, as both versions want it; the
// kernel refuses less than 1 ms.
func quota(cpus float64) (micros, every int64) {
	return max(int64(cpus*float64(period.Microseconds())+0.5), 1000), period.Microseconds()
}

// writeControl writes value to a file that the kernel has made; it must not
// create one.
func writeControl(file, value string) error {
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

func readControl(file string) (string, error) {
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// groupPIDs lists the processes in the directories and in those that the
// program itself made below them.
func groupPIDs(dirs []string) ([]int, error) {
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
	return merge(pids, nil), nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		return nil
	}
	return err
}

// merge returns the numbers of a and b, each once.
func merge(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// removeGroups removes the directories and what is below them. The kernel takes
// a moment to let go of a group whose last process has just ended.
func removeGroups(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		err := removeGroup(dir)
		for range 100 {
			if !errors.Is(err, syscall.EBUSY) {
				break
			}
			time.Sleep(10 * time.Millisecond)
			err = removeGroup(dir)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// removeGroup removes one directory, those below it first. Only directories:
// the files in them are the kernel's.
func removeGroup(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ignoreMissing(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeGroup(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := syscall.Rmdir(dir); err != nil && !errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("removing the cgroup %s: %w", dir, err)
	}
	return nil
}

// groupPrefix begins the name of every group that tracetax makes; the number of
// its process follows.
const groupPrefix = "tracetax-"

// sweep removes empty groups below dir that a tracetax left which is no more.
// It is a courtesy: what can't be removed stays.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), groupPrefix)
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		if !ours || err != nil || running(pid) {
			continue
		}
		_ = removeGroup(filepath.Join(dir, entry.Name()))
	}
}
