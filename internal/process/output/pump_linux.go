package output

// What a log's pipe holds and can hold.

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// enlarge asks for a larger pipe, and returns what it holds. The kernel may refuse (pipe-max-size, pipe-user-pages-soft):
// then half of that is asked for, and the usual size has to do in the end.
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

// ready is how many bytes are in the pipe.
func ready(fd uintptr) int {
	n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
	if err != nil {
		return 0 // the read that follows says why
	}
	return n
}

// isFull asks at the pipe's other end, opened for a moment, whether one could write to it.
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
