// Package cgroup owns the control groups that processes are put into: one for each process, below one for their launcher,
// in either version of cgroups. It must not know what a process is, nor how it is started.
package cgroup

// The parts that both versions share.

import (
	"bufio"
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

	"github.com/tracetax/tracetax/internal/process/proctree"
)

// The ways to tell processes apart for charging: those to ask for, and those that result.
const (
	Auto  = "auto"   // cgroups if permitted, clocks otherwise
	Any   = "cgroup" // of any version
	V1    = "cgroup v1"
	V2    = "cgroup v2"
	Clock = "clock" // without cgroups
)

// Limits bounds the resources of a process.
type Limits struct {
	Name   string  // unique below its tree
	CPUs   []int   // nil is all
	Quota  float64 // CPUs' worth of time; 0 is no limit
	Memory int64   // bytes; 0 is no limit
}

// Tree makes groups for the processes of one launcher.
type Tree interface {
	// Create makes a group with those limits of c that the tree has.
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

// period is the time over which the kernel deals out a CPU quota.
const period = 100 * time.Millisecond

// quota returns the quota and its period in µs, as both versions want it; the
// kernel refuses less than 1 ms.
func quota(cpus float64) (micros, every int64) {
	return max(int64(cpus*float64(period.Microseconds())+0.5), 1000), period.Microseconds()
}

// Write writes value to an existing file of the kernel; it never creates one.
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

// Read returns the text of such a file, without the white space around it.
func Read(file string) (string, error) {
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// PIDs lists the processes in the directories and in those that the program itself made below them.
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
	return proctree.Merge(pids, nil), nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		return nil
	}
	return err
}

// Remove removes the directories and those below. The kernel takes a moment to release a group whose last process has just
// ended.
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

// removeOne removes one directory, those below it first. It removes directories only: the files in them are the kernel's.
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

// sweep removes empty groups below dir that an ended tracetax left. It ignores failures.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), Prefix)
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		if !ours || err != nil || proctree.Running(pid) {
			continue
		}
		_ = removeOne(filepath.Join(dir, entry.Name()))
	}
}

// The mounts of the cgroup file systems, and the place of this process in them.

// hierarchy is one cgroup file system with this process's place in it.
type hierarchy struct {
	version     int      // 1 or 2
	controllers []string // version 1 only: cpu, cpuacct, …
	mount       string   // mount point
	own         string   // directory of this process's own cgroup, mount or below it
}

// hierarchies reads the hierarchies from proc: /proc except in tests.
func hierarchies(proc string) ([]hierarchy, error) {
	mounts, err := os.ReadFile(filepath.Join(proc, "self/mountinfo"))
	if err != nil {
		return nil, fmt.Errorf("finding the cgroup file systems: %w", err)
	}
	places, err := os.ReadFile(filepath.Join(proc, "self/cgroup"))
	if err != nil {
		return nil, fmt.Errorf("finding the own cgroup: %w", err)
	}
	return parseHierarchies(string(mounts), string(places)), nil
}

// Of returns the group in which a process is, whoever made it, to be read only; the zero Group if it is in none but the root.
func Of(pid int) (*Group, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("finding the cgroup file systems: %w", err)
	}
	places, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return nil, fmt.Errorf("finding the cgroup of process %d: %w", pid, err)
	}
	return groupOf(parseHierarchies(string(mounts), string(places))), nil
}

// groupOf returns the group of version 1 if it accounts for CPU time, else that of version 2.
func groupOf(found []hierarchy) *Group {
	g := &Group{At: map[string]string{}}
	for _, h := range found {
		for _, c := range h.controllers {
			if slices.Contains(wanted, c) && h.own != h.mount {
				g.At[c] = h.own
			}
		}
	}
	if g.At["cpuacct"] != "" {
		return g
	}
	g.At = map[string]string{}
	for _, h := range found {
		if h.version != 2 || h.own == h.mount {
			continue
		}
		g.At["unified"] = h.own
		for _, c := range controllersV2 {
			if has(h.own, "cgroup.controllers", c) {
				g.At[c] = h.own
			}
		}
	}
	return g
}

// parseHierarchies joins /proc/self/mountinfo with /proc/self/cgroup (proc(5), cgroups(7)), without mounts that do not hold
// this process.
func parseHierarchies(mountinfo, cgroup string) []hierarchy {
	places := parsePlaces(cgroup)
	var found []hierarchy
	lines := bufio.NewScanner(strings.NewReader(mountinfo))
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		root, mount := unescape(left[3]), unescape(left[4])
		h := hierarchy{mount: mount}
		var place string
		var in bool
		switch right[0] {
		case "cgroup2":
			h.version = 2
			place, in = places[""]
		case "cgroup":
			h.version = 1
			for _, option := range strings.Split(right[2], ",") {
				if p, ok := places[option]; ok && option != "" {
					h.controllers = append(h.controllers, option)
					place, in = p, true
				}
			}
		}
		if !in {
			continue
		}
		if h.own, ok = directoryOf(mount, root, place); ok && !slices.ContainsFunc(found, h.same) {
			found = append(found, h)
		}
	}
	return found
}

// same reports whether h and other are mounts of one hierarchy.
func (h hierarchy) same(other hierarchy) bool {
	return h.version == other.version && slices.Equal(h.controllers, other.controllers)
}

// parsePlaces maps controllers to this process's cgroup; "" is version 2.
func parsePlaces(cgroup string) map[string]string {
	places := map[string]string{}
	for line := range strings.Lines(cgroup) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(parts) != 3 || !strings.HasPrefix(parts[2], "/") {
			continue
		}
		if parts[0] == "0" && parts[1] == "" {
			places[""] = parts[2]
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			if controller != "" {
				places[controller] = parts[2]
			}
		}
	}
	return places
}

// directoryOf returns the directory of a place in the hierarchy, if its directory root is mounted at mount (as in containers).
func directoryOf(mount, root, place string) (string, bool) {
	if strings.Contains(place, "/..") {
		return "", false // outside of this mount
	}
	if root == "/" {
		return filepath.Join(mount, place), true
	}
	rest, ok := strings.CutPrefix(place, root)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return filepath.Join(mount, rest), true
}

// unescape undoes mountinfo's octal escapes of space, tab, newline and backslash.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
