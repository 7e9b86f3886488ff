package output

// The pump moves output from the pipe of a process to its log.

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// The pump lets a chatty process fill the pipe before it reads again: a wake-up for each line would cost tracetax, and through
// the wake-up the process too. The more it finds, the shorter its pause: the pipe does not get full.
const (
	leastPause = time.Millisecond // timers cannot do shorter ones
	mostPause  = 10 * time.Millisecond
)

// pipeSize is the wanted capacity of the pipe: a process is not blocked during a pause. The kernel may grant less, down to the
// usual size.
const (
	pipeSize  = 1 << 20
	usualSize = 64 << 10
)

// takes is the size of one read.
const takes = 256 << 10

type pump struct {
	file  *os.File
	raw   syscall.RawConn
	to    func([]byte)
	holds int                 // capacity of the pipe, bytes
	rest  func(time.Duration) // pauses; may end early

	reading sync.Mutex // held from a look into the pipe until the bytes read are in the log
	buffer  []byte
	seen    time.Time     // when the pipe was last seen with room in it
	empty   bool          // it was empty then, and the pump waits for more
	full    time.Duration // time for which it was full, roughly

	waiting chan bool // a caller waits for a line: no pauses
	hurried bool
	ended   chan struct{}
}

func newPump(file *os.File, to func([]byte)) *pump {
	p := &pump{
		file: file, to: to, buffer: make([]byte, takes), seen: time.Now(),
		waiting: make(chan bool, 1), ended: make(chan struct{}),
	}
	p.rest = p.restUnlessHurried
	raw, err := file.SyscallConn()
	if err != nil { // only if the file is closed
		close(p.ended)
		return p
	}
	p.raw, p.holds = raw, enlarge(raw)
	return p
}

// run reads until the pipe's other end is closed everywhere.
func (p *pump) run() {
	defer close(p.ended)
	if p.raw == nil {
		return
	}
	pause, most := mostPause, 0 // most was found since the last pause
	for {
		var open bool
		var held, left int
		err := p.raw.Read(func(fd uintptr) bool {
			var empty bool
			open, empty, held, left = p.readOnce(fd, true)
			return !empty
		})
		if err != nil || !open {
			return
		}
		select {
		case p.hurried = <-p.waiting:
		default:
		}
		most = max(most, held)
		if p.hurried || left > 0 {
			continue
		}
		if pause = nextPause(pause, most, p.holds); pause > 0 {
			p.rest(pause)
		}
		most = 0
	}
}

// nextPause returns the next pause; most is the largest number of bytes found in the pipe, holds its capacity.
func nextPause(last time.Duration, most, holds int) time.Duration {
	switch {
	case most > holds/2:
		return 0
	case most > holds/4:
		return max(last/2, leastPause)
	}
	return min(last+leastPause, mostPause)
}

func (p *pump) restUnlessHurried(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case p.hurried = <-p.waiting:
	}
}

// readOnce takes in the result of one read. held: bytes in the pipe before, left: after. open is false at the end of the pipe;
// empty: no bytes yet, the caller may wait.
func (p *pump) readOnce(fd uintptr, waits bool) (open, empty bool, held, left int) {
	p.reading.Lock()
	defer p.reading.Unlock()
	held = ready(fd)
	p.look(fd, held)
	for {
		n, err := syscall.Read(int(fd), p.buffer)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			p.seen, p.empty = time.Now(), waits
			return true, true, 0, 0
		case err != nil || n <= 0:
			return false, false, 0, 0
		}
		p.seen, p.empty = time.Now(), false
		p.to(p.buffer[:n])
		if held = max(held, n); n == len(p.buffer) {
			return true, false, held, max(1, held-n)
		}
		return true, false, held, max(0, held-n)
	}
}

// look adds up the time for which the pipe was full, since it was last seen with room. After waiting on an empty pipe that time
// is unknown, and taken for a moment.
func (p *pump) look(fd uintptr, held int) {
	// Short writes fill a page of the pipe by a little over a half.
	if held < p.holds/2 || !isFull(fd) {
		return
	}
	since := time.Since(p.seen)
	if p.empty {
		since = min(since, leastPause)
	}
	p.full += since
}

// wasFull returns roughly how long the full pipe has blocked the process until now.
func (p *pump) wasFull() time.Duration {
	p.reading.Lock()
	defer p.reading.Unlock()
	return p.full
}

// hurry sets whether a caller waits for a line. The latest value counts.
func (p *pump) hurry(waiting bool) {
	for {
		select {
		case p.waiting <- waiting:
			return
		case <-p.waiting:
		}
	}
}

// drain reads the present contents of the pipe.
func (p *pump) drain() {
	if p.raw == nil {
		return
	}
	_ = p.raw.Control(func(fd uintptr) { // fails only when closed: then all was read
		for left := max(1, ready(fd)); left > 0; left -= takes {
			if open, empty, _, _ := p.readOnce(fd, false); !open || empty {
				return
			}
		}
	})
}

// close ends the pump, even if a process still holds the pipe open.
func (p *pump) close() {
	_ = p.file.Close() // it was only read from
	p.hurry(true)
	<-p.ended
}
