// What the event loop does with the news of a socket, and of a handshake.

package load

import "golang.org/x/sys/unix"

func (l *loop) event(ev *unix.EpollEvent) {
	if ev.Fd == wakeSlot {
		l.hear()
		return
	}
	c, age := l.conns[ev.Fd], uint32(ev.Pad)
	if !c.is(age) {
		return // of a connection that has been closed since
	}
	const broken = unix.EPOLLERR | unix.EPOLLHUP
	if !c.up && (ev.Events&(unix.EPOLLOUT|broken) == 0 || !l.connected(c)) {
		return
	}
	if len(c.out) > 0 && ev.Events&(unix.EPOLLOUT|broken) != 0 {
		l.resume(c)
		l.settle(c)
		if !c.is(age) {
			return
		}
	}
	if ev.Events&(unix.EPOLLIN|unix.EPOLLRDHUP|broken) != 0 {
		l.read(c, ev.Events&(unix.EPOLLRDHUP|broken) != 0)
	}
}

// hear attends to the handshakes that have news.
func (l *loop) hear() {
	l.letters = l.mail.take(l.letters[:0])
	for _, m := range l.letters {
		if c := l.conns[m.slot]; c.is(m.age) && c.tls.pipe.shaking {
			l.shook(c)
		}
	}
}

// putOff has c's session flushed before the loop sleeps, so that what is due at
// the same time goes out together.
func (l *loop) putOff(c *conn) {
	if !c.dirty {
		c.dirty = true
		l.dirty = append(l.dirty, c)
	}
}

// flush puts out what has been put off.
func (l *loop) flush() {
	for i := 0; i < len(l.dirty); i++ {
		c := l.dirty[i]
		if c.fd < 0 || !c.dirty {
			continue // closed since
		}
		c.dirty = false
		c.session.flush(l)
		l.settle(c)
	}
	l.dirty = l.dirty[:0]
}
