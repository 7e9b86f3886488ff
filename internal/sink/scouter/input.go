// This file reads datagrams.

package scouter

import "net"

// input reads datagrams, and says how many were lost before each.
type input struct {
	packets net.PacketConn
	udp     *net.UDPConn // nil where packets is something else
	lost    uint32       // in all, as the kernel said last
	control []byte
}

// receiveBuffer is asked of the kernel, in bytes: agents send a datagram for each call,
// in bursts, and what has no room is lost.
const receiveBuffer = 64 << 20

func newInput(packets net.PacketConn) *input {
	in := &input{packets: packets}
	if udp, ok := packets.(*net.UDPConn); ok {
		in.udp = udp
		in.prepare()
	}
	return in
}

// next reads a datagram into buffer: its length, and how many were lost before it.
func (in *input) next(buffer []byte) (n int, lost uint32, err error) {
	if in.udp == nil {
		n, _, err = in.packets.ReadFrom(buffer)
		return n, 0, err
	}
	n, controls, _, _, err := in.udp.ReadMsgUDPAddrPort(buffer, in.control)
	if err != nil {
		return 0, 0, err
	}
	if all, told := overflow(in.control[:controls]); told {
		lost = all - in.lost
		in.lost = all
	}
	return n, lost, nil
}
