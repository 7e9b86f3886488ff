package process

// Ports as Linux tells of them.

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tracetax/tracetax/internal/process/inside"
)

// ephemeral is the range of ports that the kernel gives to outgoing connections.
func ephemeral() (low, high int) {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err == nil {
		if _, err = fmt.Sscan(string(text), &low, &high); err == nil {
			return low, high
		}
	}
	return 32768, 60999 // the kernel's default
}

// reserve marks a port as given out, by a name that only one socket on this machine (of its network namespace, as the
// ports are) can have, and that the kernel frees with its process; false where it is given out.
func reserve(port int) (io.Closer, bool) {
	mark, err := net.Listen("unix", fmt.Sprintf("@tracetax/port/%d", port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, false
	}
	if err != nil {
		return nil, true // without such sockets ports are given out unmarked
	}
	return mark, true
}

// holder says who listens on port, " by nginx (pid 123)", or nothing where that
// can't be seen.
func holder(port int) string {
	sockets := new(inside.Tables).Listening(uint16(port))
	fds, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, fd := range fds {
		target, err := os.Readlink(fd)
		if inode, is := strings.CutPrefix(target, "socket:["); err == nil && is && sockets[strings.TrimSuffix(inode, "]")] {
			pid := strings.Split(fd, "/")[2]
			name, _ := os.ReadFile("/proc/" + pid + "/comm")
			return fmt.Sprintf(" by %s (pid %s)", strings.TrimSpace(string(name)), pid)
		}
	}
	return ""
}
