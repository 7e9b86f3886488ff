package platform

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// apart is a process group of its own, so that whatever an environment starts is stopped and ended with it; and the kernel
// ends it with its parent, however that ends.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// processClock is the CPU time that all threads of a process have used, ended ones too; false where it is not there.
func processClock(pid int) (time.Duration, bool) {
	if pid <= 0 {
		return 0, false
	}
	var t unix.Timespec
	// clock_getcpuclockid(3): the process's number, inverted, and 2 for the scheduler's clock.
	if unix.ClockGettime(int32(^pid<<3|2), &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
