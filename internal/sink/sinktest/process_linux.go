// This file reads what another process has used.

package sinktest

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPU reads the CPU clock of a process, user and system time of all its threads
// (see clock_getcpuclockid(3)).
func CPU(pid int) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		return 0, fmt.Errorf("reading the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// Memory returns the resident memory of a process, in bytes.
type Memory struct {
	Resident uint64 // now (VmRSS)
	Peak     uint64 // at most since its start (VmHWM)
}

// ReadMemory reads the memory of a process.
func ReadMemory(pid int) (m Memory, err error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	file, err := os.Open(path)
	if err != nil {
		return Memory{}, fmt.Errorf("reading the memory of process %d: %w", pid, err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch name {
		case "VmRSS":
			m.Resident, err = kibibytes(value)
		case "VmHWM":
			m.Peak, err = kibibytes(value)
		}
		if err != nil {
			return Memory{}, fmt.Errorf("reading %s in %s: %w", name, path, err)
		}
	}
	return m, lines.Err()
}

func kibibytes(value string) (uint64, error) {
	digits, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	n, err := strconv.ParseUint(digits, 10, 64)
	return n << 10, err
}
