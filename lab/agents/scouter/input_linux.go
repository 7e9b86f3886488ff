// This file gets the kernel to say how many datagrams it threw away.

package scouter

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// prepare asks for room and for the count. Whatever the kernel refuses is done without.
func (in *input) prepare() {
	_ = in.udp.SetReadBuffer(receiveBuffer) // as much as everybody may have
	raw, err := in.udp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) // as much as root may have
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 1)
	})
	in.control = make([]byte, unix.CmsgSpace(4))
}

// overflow reads the count out of what came beside a datagram.
func overflow(control []byte) (lost uint32, told bool) {
	if len(control) == 0 {
		return 0, false
	}
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0, false
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_RXQ_OVFL && len(m.Data) >= 4 {
			return binary.NativeEndian.Uint32(m.Data), true
		}
	}
	return 0, false
}
