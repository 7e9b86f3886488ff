package output

// The pump: from the pipe that a process writes its log to, to the log.

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// pause is how long the pump lets a chatty process fill the pipe before it
// reads again: a wake-up for each line would cost tracetax, and through the
// wake-up the process too.
const pause = 20 * time.Millisecond

// pipeSize is what the pipe should hold, so that a process isn't held up
// during a pause; the kernel may grant less.
const pipeSize = 1 << 20

type pump struct {
	file *os.File
	raw  syscall.RawConn
	to   func([]byte)

	reading sync.Mutex // held from a read until what was read is in the log
	buffer  []byte

	waiting chan bool // somebody waits for a line: no pauses
	ended   chan struct{}
}

func newPump(file *os.File, to func([]byte)) *pump {
	p := &pump{file: file, to: to, buffer: make([]byte, 64<<10), waiting: make(chan bool, 1), ended: make(chan struct{})}
	raw, err := file.SyscallConn()
	if err != nil { // only if the file is closed
		close(p.ended)
		return p
	}
	p.raw = raw
	enlarge(raw)
	go p.run()
	return p
}

// run reads until nobody holds the pipe's other end any more.
func (p *pump) run() {
	defer close(p.ended)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	hurry := false
	for {
		open := false
		err := p.raw.Read(func(fd uintptr) bool {
			var empty bool
			open, empty = p.readOnce(fd)
			return !empty
		})
		if err != nil || !open {
			return
		}
		select {
		case hurry = <-p.waiting:
		default:
		}
		if hurry {
			continue
		}
		timer.Reset(pause)
		select {
		case <-timer.C:
		case hurry = <-p.waiting:
		}
	}
}

// readOnce takes in what one read gives. open is false at the end of the pipe;
// empty means that there is nothing yet.
func (p *pump) readOnce(fd uintptr) (open, empty bool) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		n, err := syscall.Read(int(fd), p.buffer)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return true, true
		case err != nil || n <= 0:
			return false, false
		}
		p.to(p.buffer[:n])
		return true, false
	}
}

// hurry tells the pump whether somebody waits for a line. The latest word counts.
func (p *pump) hurry(waiting bool) {
	for {
		select {
		case p.waiting <- waiting:
			return
		case <-p.waiting:
		}
	}
}

// drain reads what is in the pipe at this moment.
func (p *pump) drain() {
	if p.raw == nil {
		return
	}
	_ = p.raw.Control(func(fd uintptr) { // fails only when closed: then all was read
		for range pipeSize / 4096 {
			if open, empty := p.readOnce(fd); !open || empty {
				return
			}
		}
	})
}

// close ends the pump, even where something still holds the pipe open.
func (p *pump) close() {
	_ = p.file.Close() // it was only read from
	p.hurry(true)
	<-p.ended
}
