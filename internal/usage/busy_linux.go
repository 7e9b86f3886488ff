package usage

// How busy the CPUs are, whoever uses them.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Busy is for how long some CPUs were not idle since the machine started, whoever kept them
// from it (programs, the kernel, the host), to 10 ms; of all CPUs where none is given.
//
// It is what idling and waiting for devices leave of the time: those two the kernel measures
// with a clock. The rest of /proc/stat it samples at its ticks, unless it was built otherwise;
// a program that works at the pace of a timer meets each tick, or none, and seems to have used
// twice as much as it did, or half.
func Busy(cpus []int) (time.Duration, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0, fmt.Errorf("reading the clock: %w", err)
	}
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("reading how busy the CPUs are: %w", err)
	}
	defer f.Close()
	sum, err := notIdle(f, time.Duration(now.Nano()), cpus)
	if err != nil {
		return 0, fmt.Errorf("reading how busy the CPUs are: %w", err)
	}
	return sum, nil
}

// notIdle is what the idle times of /proc/stat leave of up, the time since the machine started.
func notIdle(stat io.Reader, up time.Duration, cpus []int) (time.Duration, error) {
	var sum time.Duration
	lines := bufio.NewScanner(stat)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		// cpuN user nice system idle iowait irq softirq steal …
		if len(fields) < 9 || !isOneOf(fields[0], cpus) {
			continue
		}
		sum += up
		for _, field := range fields[4:6] {
			sum -= time.Duration(digits(field)) * tick
		}
	}
	return sum, lines.Err()
}

// isOneOf reports whether a line's name, such as cpu3, is that of one of these CPUs; of any
// CPU where none is given.
func isOneOf(name string, cpus []int) bool {
	number, is := strings.CutPrefix(name, "cpu")
	n, err := strconv.Atoi(number)
	if !is || err != nil {
		return false // the line of all CPUs together, or no CPU's
	}
	return len(cpus) == 0 || slices.Contains(cpus, n)
}
