package proctree

// Finding the processes that descend from one, through /proc.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Descendants lists the processes below root, zombies included, root not.
func Descendants(root int) ([]int, error) {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		return descendantsByScan(root) // a kernel built without that file
	}
	var found []int
	for next := []int{root}; len(next) > 0; {
		pid := next[0]
		next = next[1:]
		children, err := childrenOf(pid)
		if err != nil {
			return nil, err
		}
		found = append(found, children...)
		next = append(next, children...)
	}
	return found, nil
}

// childrenOf reads the children of every thread of a process: those that it forked, and on one thread the orphans.
func childrenOf(pid int) ([]int, error) {
	threads, err := Threads(pid)
	if err != nil {
		return nil, err
	}
	var children []int
	for _, thread := range threads {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, thread))
		if vanished(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing the children of process %d: %w", pid, err)
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				children = append(children, child)
			}
		}
	}
	return children, nil
}

// Threads lists the threads of a process; none if it has ended.
func Threads(pid int) ([]int, error) {
	names, err := namesIn(fmt.Sprintf("/proc/%d/task", pid))
	if vanished(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the threads of process %d: %w", pid, err)
	}
	var threads []int
	for _, name := range names {
		if thread, err := strconv.Atoi(name); err == nil {
			threads = append(threads, thread)
		}
	}
	return threads, nil
}

func namesIn(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// Siblings returns how many of some processes have the same parent, at most. Those that have ended do not count.
func Siblings(pids []int) int {
	most, of := 0, map[int]int{}
	for _, pid := range pids {
		if s, err := readStat(pid); err == nil && s.state != 'Z' {
			of[s.parent]++
			most = max(most, of[s.parent])
		}
	}
	return most
}

// descendantsByScan finds the descendants by the parent of every process.
func descendantsByScan(root int) ([]int, error) {
	parents := map[int]int{}
	err := eachProcess(func(pid int) {
		if s, err := readStat(pid); err == nil {
			parents[pid] = s.parent
		}
	})
	if err != nil {
		return nil, err
	}
	var found []int
	for pid := range parents {
		if below(pid, root, parents) {
			found = append(found, pid)
		}
	}
	return found, nil
}

func below(pid, root int, parents map[int]int) bool {
	for range len(parents) {
		parent, known := parents[pid]
		if !known {
			return false
		}
		if parent == root {
			return true
		}
		pid = parent
	}
	return false
}

// Strays lists the processes that a killed parent left: those with the mark, NAME=value, in their environment, those in the
// parent's session, and their descendants.
func Strays(mark string, session int) ([]int, error) {
	stray := map[int]bool{}
	parents := map[int]int{}
	entry := []byte(mark + "\x00")
	err := eachProcess(func(pid int) {
		s, err := readStat(pid)
		if err != nil || s.state == 'Z' {
			return
		}
		parents[pid] = s.parent
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // other users' can't be read
		if s.session == session || bytes.HasPrefix(env, entry) || bytes.Contains(env, append([]byte{0}, entry...)) {
			stray[pid] = true
		}
	})
	if err != nil {
		return nil, err
	}
	var found []int
	for pid := range parents {
		if stray[pid] || belowAny(pid, stray, parents) {
			found = append(found, pid)
		}
	}
	return found, nil
}

func belowAny(pid int, roots map[int]bool, parents map[int]int) bool {
	for root := range roots {
		if below(pid, root, parents) {
			return true
		}
	}
	return false
}

func eachProcess(do func(pid int)) error {
	names, err := namesIn("/proc")
	if err != nil {
		return fmt.Errorf("listing the processes: %w", err)
	}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			do(pid)
		}
	}
	return nil
}

// The status of a single process in /proc.

// stat holds the used fields of /proc/PID/stat.
type stat struct {
	state           byte
	parent, session int
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

// parseStat reads the fields after the program's name, which stands in parentheses and may itself hold spaces and parentheses.
func parseStat(text string) (stat, error) {
	_, rest, ok := cutLast(text, ')')
	fields := strings.Fields(rest)
	if !ok || len(fields) < 4 || len(fields[0]) != 1 {
		return stat{}, fmt.Errorf("process status %q is not in the known format", text)
	}
	parent, err1 := strconv.Atoi(fields[1])
	session, err2 := strconv.Atoi(fields[3])
	return stat{fields[0][0], parent, session}, errors.Join(err1, err2)
}

func cutLast(s string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// vanished reports whether err only means that the process has ended meanwhile.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}

// Parent returns the parent of a process; 0 if it has ended.
func Parent(pid int) int {
	s, err := readStat(pid)
	if err != nil {
		return 0
	}
	return s.parent
}

// Running reports whether a process has not ended; a zombie has.
func Running(pid int) bool {
	s, err := readStat(pid)
	return err == nil && s.state != 'Z' && s.state != 'X'
}
