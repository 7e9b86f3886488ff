//go:build synthetic

// CPU time that is burnt by the clock of the thread that burns it.
package main

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// burn works until this thread has used so much CPU time, and returns how much it
// was. Time in which the thread is kept from its CPU does not count. What the
// goroutine is bound to the thread for, and the first and last look at the clock,
// come on top: under 1 µs.
func burn(d time.Duration) time.Duration { return burnBy(threadTime, d) }

func burnBy(used func() time.Duration, d time.Duration) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := used()
	for {
		if since := used() - begin; since >= d {
			return since
		}
	}
}

func threadTime() time.Duration {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return timeOf(t, err)
}

// timeOf is what the clock says; the call has no way to fail on a system that has it.
func timeOf(t unix.Timespec, err error) time.Duration {
	if err != nil {
		panic(fmt.Sprintf("reading the CPU clock of this thread: %v", err))
	}
	return time.Duration(t.Nano())
}

// take gets memory from the system.
func take(bytes int) ([]byte, error) {
	return unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}
