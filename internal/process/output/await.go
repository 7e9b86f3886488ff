package output

// Waiting for a line of a log.

import (
	"errors"
	"regexp"
	"strings"
)

// await is somebody waiting for a line.
type await struct {
	line  *regexp.Regexp
	found chan string // holds one
}

// tell looks for the lines that somebody waits for.
func (l *Log) tell(p []byte) {
	if len(l.waiting) == 0 {
		return
	}
	lines := strings.SplitAfter(string(l.partial)+string(p), "\n")
	l.partial = append(l.partial[:0], lines[len(lines)-1]...)
	if len(l.partial) > tailLimit {
		l.partial = l.partial[:0]
	}
	for _, line := range lines[:len(lines)-1] {
		for _, w := range l.waiting {
			w.offer(strings.TrimRight(line, "\r\n"))
		}
	}
}

func (w *await) offer(line string) {
	if !w.line.MatchString(line) {
		return
	}
	select {
	case w.found <- line:
	default: // it has one already
	}
}

// Await returns a channel that gets the first line that matches, among those
// written already and those to come. stop ends the waiting.
func (l *Log) Await(line *regexp.Regexp) (found <-chan string, stop func()) {
	w := &await{line: line, found: make(chan string, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	// An unfinished last line is offered too; it is offered again when it is whole.
	// A log that can't be read back is left to what is to come.
	if whole, err := l.open(); err == nil {
		err = eachLine(whole, func(text string) error { w.offer(text); return nil })
		l.failure = errors.Join(l.failure, err, whole.Close())
	}
	if len(l.waiting) == 0 {
		last := l.lastBytes()
		l.partial = append(l.partial[:0], last[strings.LastIndexByte(string(last), '\n')+1:]...)
	}
	l.waiting = append(l.waiting, w)
	if l.pump != nil {
		l.pump.hurry(true)
	}
	return w.found, func() { l.forget(w) }
}

func (l *Log) forget(w *await) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.waiting {
		if other == w {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			break
		}
	}
	if len(l.waiting) == 0 {
		l.partial = nil
		if l.pump != nil {
			l.pump.hurry(false)
		}
	}
}
