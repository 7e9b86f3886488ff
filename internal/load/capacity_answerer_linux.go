// One thread of the little server: an event loop over its own connections.

package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const answerText = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// answerer is one thread of the little server, with a listening socket of its own.
type answerer struct {
	epoll    int
	events   []unix.EpollEvent
	limit    unix.Timespec
	listener int
	wakeup   int
	port     int
	buf      []byte
	matched  []uint8 // by connection: how much of the end of a head has been seen
	answers  []byte  // many of them, one after the other
}

// answersAtOnce is how many answers are written by one call.
const answersAtOnce = 64

func newAnswerer(port int) (*answerer, error) {
	a := &answerer{buf: make([]byte, 64<<10), listener: -1, wakeup: -1, events: make([]unix.EpollEvent, 512)}
	for range answersAtOnce {
		a.answers = append(a.answers, answerText...)
	}
	var err error
	if a.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if err := a.listen(port); err != nil {
		a.shut()
		return nil, err
	}
	return a, nil
}

// listen opens the listening socket on the port, a free one for 0.
func (a *answerer) listen(port int) (err error) {
	if a.wakeup, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return err
	}
	if a.listener, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(a.listener, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return err
	}
	if err := unix.Bind(a.listener, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := unix.Listen(a.listener, unix.SOMAXCONN); err != nil {
		return err
	}
	at, err := unix.Getsockname(a.listener)
	if err != nil {
		return err
	}
	a.port = at.(*unix.SockaddrInet4).Port // it was bound as such
	return errors.Join(
		a.add(a.listener, unix.EPOLLIN),
		a.add(a.wakeup, unix.EPOLLIN))
}

// add reports the events of fd from now on, each change once.
func (a *answerer) add(fd int, events uint32) error {
	return unix.EpollCtl(a.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events | edgeTriggered, Fd: int32(fd)})
}

// wait waits for events. For a moment it does so without telling the Go scheduler,
// which would cost more than an answer.
func (a *answerer) wait() ([]unix.EpollEvent, error) {
	const moment = time.Millisecond
	a.limit = unix.NsecToTimespec(int64(moment))
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(a.epoll), uintptr(unsafe.Pointer(&a.events[0])), uintptr(len(a.events)), uintptr(unsafe.Pointer(&a.limit)), 0, 0)
	if errno == 0 && n == 0 {
		n, _, errno = unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(a.epoll), uintptr(unsafe.Pointer(&a.events[0])), uintptr(len(a.events)), 0, 0, 0)
	}
	switch errno {
	case 0:
		return a.events[:n], nil
	case unix.EINTR:
		return nil, nil
	}
	return nil, fmt.Errorf("waiting for requests: %w", errno)
}

func (a *answerer) shut() {
	for fd := range a.matched {
		if a.matched[fd] != closed {
			a.close(fd)
		}
	}
	for _, fd := range []int{a.listener, a.wakeup, a.epoll} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

func (a *answerer) run(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer a.shut()
	woken := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		defer close(woken)
		// Fails only when the counter would overflow, and then it wakes all the same.
		_, _ = unix.Write(a.wakeup, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	})
	defer func() {
		if !forget() {
			<-woken
		}
	}()
	for ctx.Err() == nil {
		events, err := a.wait()
		if err != nil {
			return err
		}
		for i := range events {
			switch fd := int(events[i].Fd); fd {
			case a.wakeup:
			case a.listener:
				a.accept()
			default:
				const over = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
				a.answer(fd, events[i].Events&over != 0)
			}
		}
	}
	return nil
}

// closed marks a descriptor that is no connection of this thread.
const closed = 255

func (a *answerer) accept() {
	for {
		fd, _, err := unix.Accept4(a.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if errors.Is(err, unix.ECONNABORTED) || errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return // there is none any more, or no room for one
		}
		for len(a.matched) <= fd {
			a.matched = append(a.matched, closed)
		}
		a.matched[fd] = 0
		if unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) != nil || a.add(fd, unix.EPOLLIN|unix.EPOLLRDHUP) != nil {
			a.close(fd)
		}
	}
}

func (a *answerer) close(fd int) {
	a.matched[fd] = closed
	_ = unix.Close(fd)
}

// answer reads what there is on a connection and answers the requests in it. hup
// says that no further event will announce its end.
func (a *answerer) answer(fd int, hup bool) {
	for fd < len(a.matched) && a.matched[fd] != closed {
		n, errno := read(fd, a.buf)
		switch {
		case errno == unix.EAGAIN:
			return
		case errno == unix.EINTR:
			continue
		case errno != 0 || n == 0:
			a.close(fd)
			return
		}
		for due := a.requests(fd, a.buf[:n]); due > 0; due -= answersAtOnce {
			text := a.answers[:min(due, answersAtOnce)*len(answerText)]
			// Who does not read the few bytes of an answer is not served.
			if n, errno := write(fd, text); errno != 0 || n < len(text) {
				a.close(fd)
				return
			}
		}
		if n < len(a.buf) && !hup {
			return
		}
	}
}

// requests counts the ends of requests in b.
func (a *answerer) requests(fd int, b []byte) int {
	const end = "\r\n\r\n"
	if a.matched[fd] == 0 && bytes.HasSuffix(b, []byte(end)) && bytes.Index(b, []byte(end)) == len(b)-len(end) {
		return 1 // one whole request, as nearly always
	}
	n, matched := 0, a.matched[fd]
	for _, c := range b {
		switch {
		case c == end[matched]:
			matched++
		case c == '\r':
			matched = 1
		default:
			matched = 0
		}
		if int(matched) == len(end) {
			n, matched = n+1, 0
		}
	}
	a.matched[fd] = matched
	return n
}
