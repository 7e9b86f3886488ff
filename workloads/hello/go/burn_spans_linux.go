//go:build synthetic && spans

package main

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// burnThrough is burn for long work beside which nothing is to be done: Go's scheduler is
// not told of its looks at the clock. It would hand the CPU on at each of them that takes
// long, and take it back, which on a busy machine costs a tenth of what is burnt.
func burnThrough(d time.Duration) time.Duration { return burnBy(threadTimeUntold, d) }

func threadTimeUntold() time.Duration {
	var t unix.Timespec
	_, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_THREAD_CPUTIME_ID, uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		return timeOf(t, errno)
	}
	return timeOf(t, nil)
}
