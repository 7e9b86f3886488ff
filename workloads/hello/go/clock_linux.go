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
func threadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime is the CPU time of all threads, those of Go's runtime too.
func processTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id uintptr) time.Duration {
	var t unix.Timespec
	_, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		panic(fmt.Sprintf("reading CPU clock %d: %v", id, errno)) // it has no way to fail on a system that has it
	}
	return time.Duration(t.Nano())
}
