//go:build synthetic

package main

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// threadTime is the CPU time of this thread. Go's scheduler is not told of the look: it would
// hand the CPU on at each that takes long, and take it back, which on a busy machine costs a
// tenth of what is burnt.
func threadTime() time.Duration {
	var t unix.Timespec
	_, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_THREAD_CPUTIME_ID, uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		panic(fmt.Sprintf("reading the CPU clock of this thread: %v", errno)) // it has no way to fail on a system that has it
	}
	return time.Duration(t.Nano())
}
