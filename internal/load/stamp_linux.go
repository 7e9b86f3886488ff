// When bytes came, by the kernel's clock. In an open loop at a high rate every
// sleep counts, and to be woken by each answer is half of them. So the loop
// sleeps until the next operation is due, reads the answers then, and takes from
// the kernel when each of them had come. Latencies are the better for it: how
// late the generator itself is in reading is not in them.

package load

import (
	"encoding/binary"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// mostDeaf is the longest sleep in which answers are left unread.
	mostDeaf = 250 * time.Microsecond
	// mostUnread is the size of answers, on average, up to which they are left
	// so: larger ones would fill the socket and keep the server waiting.
	mostUnread = 16 << 10
)

// stamps reads from sockets with the time at which the bytes came.
type stamps struct {
	on      bool          // for the task under way
	came    time.Duration // since the task's start, the last bytes read; what the clock says where the kernel does not
	header  unix.Msghdr
	vector  unix.Iovec
	control [64]byte
}

// stamp has the kernel tell when bytes come in on c. Where it cannot, the clock does.
func (l *loop) stamp(c *conn) {
	if l.stamps.on && !c.stamped {
		c.stamped = unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) == nil
	}
}

// receive reads what there is on c, and when it came.
func (l *loop) receive(c *conn) (int, unix.Errno) {
	if !c.stamped || !l.stamps.on {
		n, errno := read(c.fd, l.buf)
		l.stamps.came = never
		return n, errno
	}
	s := &l.stamps
	s.vector.Base, s.vector.Len = &l.buf[0], uint64(len(l.buf))
	s.header.Iov, s.header.Iovlen = &s.vector, 1
	s.header.Control, s.header.Controllen = &s.control[0], uint64(len(s.control))
	n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(c.fd), uintptr(unsafe.Pointer(&s.header)), 0)
	s.came = never
	if errno == 0 {
		l.readStamp()
	}
	return int(n), errno
}

// stampLength is the length of a control message with a timestamp.
var stampLength = uint64(unix.CmsgLen(16))

// readStamp takes the time out of the control message.
func (l *loop) readStamp() {
	s := &l.stamps
	b := s.control[:]
	if s.header.Controllen < stampLength || binary.NativeEndian.Uint64(b) != stampLength ||
		binary.NativeEndian.Uint32(b[8:]) != unix.SOL_SOCKET || binary.NativeEndian.Uint32(b[12:]) != unix.SCM_TIMESTAMPNS {
		return
	}
	at := time.Unix(int64(binary.NativeEndian.Uint64(b[16:])), int64(binary.NativeEndian.Uint64(b[24:])))
	now := time.Now()
	// The wall clock is read beside the other one, so that setting it does no
	// harm, save to what comes in that very moment.
	if ago := now.Round(0).Sub(at); ago >= 0 && ago < time.Second {
		s.came = now.Sub(l.start) - ago
	}
}

// answeredAt is when the answer had come that was read last, at most now.
func (l *loop) answeredAt(now time.Duration) time.Duration { return min(l.stamps.came, now) }

// unstamp says that what ends from here on does not end with what was read last.
func (l *loop) unstamp() { l.stamps.came = never }

// isDeaf reports whether answers may be left unread until the next operation is due: not those that a step waits for.
func (l *loop) isDeaf(d time.Duration) bool {
	return d > 0 && d <= mostDeaf && l.stamps.on && l.poll.hold && !l.walks && l.waiting.empty() && l.opening == 0 &&
		l.tally.received <= mostUnread*(l.tally.completed+1)
}

// sleep sleeps for d and hears nothing.
func (p *poll) sleep(d time.Duration) {
	p.limit = unix.NsecToTimespec(int64(d))
	// An interrupted sleep ends early, which is looked at afterwards.
	_, _, _ = unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, 0, uintptr(unsafe.Pointer(&p.limit)), 0, 0, 0)
}
