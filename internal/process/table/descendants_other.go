//go:build !linux

package table

// Without /proc only the process groups show which processes belong together.

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Descendants lists the processes below root, asked of ps.
func Descendants(root int) ([]int, error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil, errors.New("listing the processes with ps: " + err.Error())
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		pid, err1 := strconv.Atoi(fields[0])
		parent, err2 := strconv.Atoi(fields[1])
		if err1 == nil && err2 == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	var found []int
	for next := []int{root}; len(next) > 0; next = next[1:] {
		found = append(found, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return found, nil
}

// Strays are not found: environments and sessions of others cannot be read.
func Strays(string, int) ([]int, error) { return nil, nil }

// Running reports whether a process has not ended.
func Running(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
