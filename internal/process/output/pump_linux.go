package output

// The contents and the capacity of a log's pipe.

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// enlarge asks for a larger pipe, and returns its capacity. If the kernel refuses (pipe-max-size, pipe-user-pages-soft), it
// asks for half, and keeps the usual size in the end.
func enlarge(raw syscall.RawConn) (holds int) {
	holds = usualSize
	_ = raw.Control(func(fd uintptr) { // fails only when closed
		for size := pipeSize; size > usualSize; size /= 2 {
			if _, err := unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size); err == nil {
				break
			}
		}
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil {
			holds = size
		}
	})
	return holds
}

// ready returns the number of bytes in the pipe.
func ready(fd uintptr) int {
	n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
	if err != nil {
		return 0 // the read that follows returns the error
	}
	return n
}

// isFull opens the pipe's other end for a moment, to ask the kernel whether it can be written to.
func isFull(fd uintptr) bool {
	other, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(other)
	asked := []unix.PollFd{{Fd: int32(other), Events: unix.POLLOUT}}
	n, err := unix.Poll(asked, 0)
	return err == nil && n == 0
}
