//go:build synthetic && !linux

package main

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the CPU time of this thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(fmt.Sprintf("reading the CPU clock of this thread: %v", err)) // it has no way to fail on a system that has it
	}
	return time.Duration(t.Nano())
}
