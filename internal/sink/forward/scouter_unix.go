//go:build unix

// This file asks the kernel what became of a datagram.

package forward

import (
	"net"

	"golang.org/x/sys/unix"
)

// refused says whether somebody has told since the last call that nobody takes the datagrams.
func refused(packets *net.UDPConn) error {
	raw, err := packets.SyscallConn()
	if err != nil {
		return err
	}
	var told int
	asked := raw.Control(func(fd uintptr) { told, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR) })
	switch {
	case asked != nil:
		return asked
	case err != nil:
		return err
	case told != 0:
		return unix.Errno(told)
	}
	return nil
}
