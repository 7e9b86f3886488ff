//go:build unix

package usage

import (
	"time"

	"golang.org/x/sys/unix"
)

// Own is the CPU time of this process, user and system, since it started.
func Own() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0 // cannot happen for RUSAGE_SELF with a valid pointer
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
