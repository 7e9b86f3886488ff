package output

// The size of a log's pipe.

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// enlarge asks for a larger pipe; the kernel may refuse (pipe-max-size,
// pipe-user-pages-soft), and then the usual size has to do.
func enlarge(raw syscall.RawConn) {
	_ = raw.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
	})
}
