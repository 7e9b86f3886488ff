package scouter

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Datagrams that the kernel threw away are told, to the last one.
func TestOverflow(t *testing.T) {
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = packets.Close() })
	in := newInput(packets)
	small(t, packets.(*net.UDPConn))
	agent := dial(t, "udp", packets.LocalAddr().String())
	const sent = 200
	for range sent {
		write(t, agent, make([]byte, 1000))
	}
	buffer := make([]byte, maxDatagram)
	received, lost := 0, 0
	for {
		if err := packets.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		_, before, err := in.next(buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		received++
		lost += int(before)
	}
	if received == sent {
		t.Skip("left out: the kernel had room for all")
	}
	if err := packets.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	write(t, agent, []byte{1}) // a datagram brings what was lost before it came
	_, before, err := in.next(buffer)
	if lost += int(before); err != nil || received+lost != sent {
		t.Errorf("%d received and %d lost of %d, %v", received, lost, sent, err)
	}
}

// small leaves room for few datagrams.
func small(t *testing.T, udp *net.UDPConn) {
	t.Helper()
	raw, err := udp.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 16<<10); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
