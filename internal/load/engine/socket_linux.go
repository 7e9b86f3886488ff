// Bare system calls on non-blocking sockets: the loop has its own thread, and the scheduler need not know of a call that cannot
// block.

package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/machine"
	"golang.org/x/sys/unix"
)

// openSocket begins to connect to addr, from the local address source unless it is zero.
func openSocket(addr netip.AddrPort, source netip.Addr) (int, error) {
	family := unix.AF_INET
	if addr.Addr().Is6() {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return -1, closing(fd, err)
	}
	if source.IsValid() {
		if err := bindTo(fd, source); err != nil {
			return -1, closing(fd, err)
		}
	}
	if err := unix.Connect(fd, sockaddr(addr)); err != nil && err != unix.EINPROGRESS {
		return -1, closing(fd, err)
	}
	return fd, nil
}

// bindTo gives fd a local address, and leaves its port to connect, which can give the same one to connections to different
// servers.
func bindTo(fd int, source netip.Addr) error {
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
		return err
	}
	return unix.Bind(fd, sockaddr(netip.AddrPortFrom(source, 0)))
}

// closing closes fd after err, and returns err.
func closing(fd int, err error) error {
	_ = unix.Close(fd)
	return err
}

func sockaddr(addr netip.AddrPort) unix.Sockaddr {
	if addr.Addr().Is6() {
		return &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()}
	}
	return &unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}
}

// lateBind makes the kernel choose the port of a socket with a local address only when it connects.
func lateBind(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
	})
	return errors.Join(err, failed)
}

// read and write must not get empty slices.
func read(fd int, b []byte) (int, unix.Errno) {
	n, _, e := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), e
}

func write(fd int, b []byte) (int, unix.Errno) {
	n, _, e := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), e
}

// poll is an epoll set with the buffers of a wait, which are made only once.
type poll struct {
	fd     int
	events []unix.EpollEvent
	limit  unix.Timespec
	hold   bool // keep the right to run Go code while asleep; see wait
}

// holdFor is the longest sleep in which a poll keeps the right to run Go code.
const holdFor = time.Millisecond

// wait waits for events for at most d, to the nanosecond, and returns them.
//
// A sleep that the Go scheduler knows of is expensive: every 10 ms it gives the sleeping thread's right to run Go code (its P)
// to others, and each such change wakes threads. So a short sleep keeps it, if there are enough for all, and the scheduler is
// told only when nothing has come for a while.
func (p *poll) wait(d time.Duration) ([]unix.EpollEvent, unix.Errno) {
	if d == 0 || p.hold {
		events, errno := p.result(p.rawWait(min(d, holdFor)))
		if d <= holdFor || errno != 0 || len(events) > 0 {
			return events, errno
		}
		d -= holdFor
	}
	p.limit = unix.NsecToTimespec(int64(d))
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])),
		uintptr(len(p.events)), uintptr(unsafe.Pointer(&p.limit)), 0, 0)
	return p.result(n, errno)
}

func (p *poll) rawWait(d time.Duration) (uintptr, unix.Errno) {
	p.limit = unix.NsecToTimespec(int64(d))
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])),
		uintptr(len(p.events)), uintptr(unsafe.Pointer(&p.limit)), 0, 0)
	return n, errno
}

func (p *poll) result(n uintptr, errno unix.Errno) ([]unix.EpollEvent, unix.Errno) {
	if errno != 0 {
		return nil, errno
	}
	return p.events[:n], 0
}

// add reports the events of fd from now on, each under the given slot and age.
func (p *poll) add(fd int, events uint32, slot int32, age uint32) error {
	return unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events | edgeTriggered, Fd: slot, Pad: int32(age)})
}

// Making the kernel wake a thread on time.

// slack is a thread's timer slack before exactTimers, in ns.
type slack int

// exactTimers removes the slack (50 µs by default) of the calling thread's timers; the goroutine must be locked to it.
func exactTimers() (slack, error) {
	before, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		return 0, wrongSetting("reading the timer slack", err)
	}
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return 0, wrongSetting("setting the timer slack", err)
	}
	return slack(before), nil
}

// restore restores the calling thread's slack. It cannot fail if setting it did not.
func (s slack) restore() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(s), 0, 0, 0) }

// The arrival of bytes, by the kernel's clock. In an open loop at a high rate every sleep counts, and half of them are ended by
// an answer. So the loop sleeps until the next operation is due, reads the answers then, and takes the arrival time of each
// from the kernel. That makes latencies more exact: they do not include the generator's own delay in reading.
const (
	// mostDeaf is the longest sleep in which answers are left unread.
	mostDeaf = 250 * time.Microsecond
	// mostUnread is the mean size of answers up to which they are left unread: larger ones would fill the socket and make the
	// server wait.
	mostUnread = 16 << 10
)

// stamps reads from sockets with the time at which the bytes came.
type stamps struct {
	on      bool          // for the task under way
	came    time.Duration // arrival of the last bytes read, since the task's start; load.Never without a stamp
	header  unix.Msghdr
	vector  unix.Iovec
	control [64]byte
}

// stamp makes the kernel report when bytes come in on c. If it cannot, the clock is used.
func (l *loop) stamp(c *conn) {
	if l.stamps.on && !c.stamped {
		c.stamped = unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) == nil
	}
}

// receive reads the available bytes on c, and their arrival time.
func (l *loop) receive(c *conn) (int, unix.Errno) {
	if !c.stamped || !l.stamps.on {
		n, errno := read(c.fd, l.buf)
		l.stamps.came = load.Never
		return n, errno
	}
	s := &l.stamps
	s.vector.Base, s.vector.Len = &l.buf[0], uint64(len(l.buf))
	s.header.Iov, s.header.Iovlen = &s.vector, 1
	s.header.Control, s.header.Controllen = &s.control[0], uint64(len(s.control))
	n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(c.fd), uintptr(unsafe.Pointer(&s.header)), 0)
	s.came = load.Never
	if errno == 0 {
		l.readStamp()
	}
	return int(n), errno
}

// stampLength is the length of a control message with a timestamp.
var stampLength = uint64(unix.CmsgLen(16))

// readStamp reads the time from the control message.
func (l *loop) readStamp() {
	s := &l.stamps
	b := s.control[:]
	if s.header.Controllen < stampLength || binary.NativeEndian.Uint64(b) != stampLength ||
		binary.NativeEndian.Uint32(b[8:]) != unix.SOL_SOCKET || binary.NativeEndian.Uint32(b[12:]) != unix.SCM_TIMESTAMPNS {
		return
	}
	at := time.Unix(int64(binary.NativeEndian.Uint64(b[16:])), int64(binary.NativeEndian.Uint64(b[24:])))
	now := time.Now()
	// The wall clock is read together with the other one, so setting it affects only bytes that come in at that moment.
	if ago := now.Round(0).Sub(at); ago >= 0 && ago < time.Second {
		s.came = now.Sub(l.start) - ago
	}
}

// answeredAt returns the arrival of the answer that was read last, at most now.
func (l *loop) answeredAt(now time.Duration) time.Duration { return min(l.stamps.came, now) }

// unstamp forgets the last arrival: later ends do not get its time.
func (l *loop) unstamp() { l.stamps.came = load.Never }

// isDeaf reports whether answers may be left unread until the next operation is due: not those that a step waits for.
func (l *loop) isDeaf(d time.Duration) bool {
	return d > 0 && d <= mostDeaf && l.stamps.on && l.poll.hold && !l.walks && l.waiting.empty() && l.opening == 0 &&
		l.tally.received <= mostUnread*(l.tally.completed+1)
}

// sleep sleeps for d without reading events.
func (p *poll) sleep(d time.Duration) {
	p.limit = unix.NsecToTimespec(int64(d))
	// An interrupted sleep ends early; the caller then reads the clock.
	_, _, _ = unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, 0, uintptr(unsafe.Pointer(&p.limit)), 0, 0, 0)
}

// Reading Linux's limits.

// makeRoom raises the limit of open files as needed and allowed, and returns an error for any other limit that n exceeds.
func makeRoom(n needs) error {
	l := limits{ports: readPorts(), memory: machine.FreeMemory()}
	var err error
	if l.files, err = raiseFiles(uint64(n.connections + n.files)); err != nil {
		return err
	}
	return l.check(n)
}

// raiseFiles raises the limit of this process's open files to want: the soft limit, and the hard one if permitted. It returns
// the resulting limit.
func raiseFiles(want uint64) (uint64, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("reading the limit of open files: %w", err)
	}
	if limit.Cur >= want {
		return limit.Cur, nil
	}
	higher := unix.Rlimit{Cur: want, Max: max(limit.Max, want)}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &higher); err == nil {
		return want, nil
	}
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("raising the limit of open files to %d: %w", limit.Max, err)
	}
	return limit.Max, nil
}

// openFiles returns the number of this process's open files.
func openFiles() int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(names)
}

// readPorts reads the range of local ports.
func readPorts() ports {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return ports{}
	}
	return parsePorts(string(text))
}

func parsePorts(text string) ports {
	var p ports
	if _, err := fmt.Sscan(text, &p.first, &p.last); err != nil || p.last < p.first {
		return ports{}
	}
	p.count = p.last - p.first + 1
	return p
}
