// System calls on non-blocking sockets, bare: the loop's thread is its own, and
// a call that cannot block need not tell the scheduler.

package load

import (
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openSocket begins to connect to addr, from a local address unless source is the
// zero one.
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

// bindTo gives fd a local address, and leaves its port to connect, which can give
// the same one to connections to different servers.
func bindTo(fd int, source netip.Addr) error {
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
		return err
	}
	return unix.Bind(fd, sockaddr(netip.AddrPortFrom(source, 0)))
}

// closing closes fd because of err, which is what matters to the caller.
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

// read and write must not be given empty slices.
func read(fd int, b []byte) (int, unix.Errno) {
	n, _, e := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), e
}

func write(fd int, b []byte) (int, unix.Errno) {
	n, _, e := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), e
}

// poll is an epoll set with the room that a wait needs, so that it need not be
// made for each.
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
// A sleep that the Go scheduler knows of is dear: every 10 ms it gives the sleeping
// thread's right to run Go code (its P) to others, and each such change wakes
// threads. So a short sleep keeps it, where there are enough for everybody, and
// only where nothing has come for a while is the scheduler told.
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
