// Package output owns what a process writes: a file with an upper limit, and its end in memory, so the last lines
// are there even when the disk is full; and the pipe it comes by. It must not know processes.
package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// tailLimit bounds the part of a log's end in memory, bytes.
const tailLimit = 256 << 10

// Log is the output of a process. Its methods may be called at any time from any goroutine.
type Log struct {
	path  string // "" without a file
	limit int64
	to    io.Writer // gets everything as it comes, up to its first failure; may be nil

	mu      sync.Mutex
	file    *os.File // nil when closed
	kept    int64    // bytes in the file that the process wrote
	total   int64    // bytes that the process wrote
	tail    []byte   // the last of them, up to 2 × tailLimit
	failure error    // the first failure to write the file, or to pass it on
	partial []byte   // the last, unfinished line: only while a caller waits
	waiting []*await

	pump *pump // nil until the process starts
}

// Create makes a log with a file; the first limit bytes are kept.
func Create(path string, limit int64) (*Log, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("making the log: %w", err)
	}
	return &Log{path: path, limit: limit, file: file}, nil
}

// Pass returns a log without a file, which passes everything on to a writer; nil discards it.
func Pass(to io.Writer) *Log { return &Log{to: to} }

// Path returns the path of the log's file.
func (l *Log) Path() string { return l.path }

// Err returns the reason why the file is incomplete, such as a full disk; nil if it is complete. A log cut at its limit is no
// error.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failure
}

// Tail returns the last n lines at most, from memory.
func (l *Log) Tail(n int) []string {
	l.mu.Lock()
	text := string(l.lastBytes())
	whole := int64(len(text)) == l.total
	l.mu.Unlock()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if !whole && len(lines) > 1 {
		lines = lines[1:] // its beginning is lost
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines[max(0, len(lines)-n):]
}

// write takes in output of the process. It never fails: a process must not suffer from a full disk under its log.
func (l *Log) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total += int64(len(p))
	if len(l.tail)+len(p) > 2*tailLimit {
		l.tail = append(l.tail[:0], l.lastBytes()...)
	}
	l.tail = append(l.tail, p[max(0, len(p)-tailLimit):]...)
	l.keep(p)
	l.pass(p)
	l.tell(p)
}

// pass hands output on to the writer.
func (l *Log) pass(p []byte) {
	if l.to == nil {
		return
	}
	if _, err := l.to.Write(p); err != nil {
		l.to = nil
		l.failure = errors.Join(l.failure, fmt.Errorf("passing on what it wrote: %w", err))
	}
}

// keep writes output to the file, up to the limit.
func (l *Log) keep(p []byte) {
	room := l.limit - l.kept
	if l.file == nil || l.failure != nil || room <= 0 {
		return
	}
	n, err := l.file.Write(p[:min(int64(len(p)), room)])
	l.kept += int64(n)
	if err != nil {
		l.failure = fmt.Errorf("writing the log %s: %w", l.path, err)
	}
}

// Follow starts reading the process's output from r.
func (l *Log) Follow(r *os.File) {
	l.mu.Lock()
	l.pump = newPump(r, l.write)
	go l.pump.run()
	l.mu.Unlock()
}

// Full returns roughly how long the process has been blocked on a full log pipe; 0 if the system does not report it.
func (l *Log) Full() time.Duration {
	l.mu.Lock()
	pump := l.pump
	l.mu.Unlock()
	if pump == nil {
		return 0
	}
	return pump.wasFull()
}

// Drain reads all output of the process until now.
func (l *Log) Drain() {
	l.mu.Lock()
	pump := l.pump
	l.mu.Unlock()
	if pump != nil {
		pump.drain()
	}
}

// Close ends the reading and completes the file: a log that was cut gets a note there, then its end.
func (l *Log) Close() error {
	l.Drain()
	if l.pump != nil {
		l.pump.close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	if l.failure == nil && l.total > l.kept {
		last, cut := l.afterCut()
		_, err := io.WriteString(l.file, cut+string(last))
		l.failure = err
	}
	// A failure to write does not end the run; Err reports it to callers that need the whole log.
	err := l.file.Close()
	l.file = nil
	return err
}

// Reading a log: whole, or its end.

// lineLimit bounds a line of Lines; a longer one comes in pieces.
const lineLimit = 64 << 10

// Lines calls do with every line of the log, in order, until ctx ends or do returns an error, which it returns. A log that was
// cut, or whose file could not be written, goes on with the end in memory.
func (l *Log) Lines(ctx context.Context, do func(line string) error) error {
	l.mu.Lock()
	whole, err := l.open()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	defer whole.Close()
	return eachLine(ctx, whole, do)
}

// AfterCut calls do with every whole line after the part left out of the log, as Lines does; cut reports whether any part was.
// Lines gives none of that part.
func (l *Log) AfterCut(ctx context.Context, do func(line string) error) (cut bool, err error) {
	l.mu.Lock()
	last := l.lastBytes()
	cut = l.total-l.kept > int64(len(last))
	text := string(last)
	l.mu.Unlock()
	if !cut {
		return false, nil
	}
	_, text, _ = strings.Cut(text, "\n") // the first line may be a piece of one
	return true, eachLine(ctx, strings.NewReader(text), do)
}

// open returns the log as of now; l.mu is held.
func (l *Log) open() (io.ReadCloser, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	var whole io.Reader = io.LimitReader(file, l.kept)
	if l.total > l.kept {
		last, cut := l.afterCut()
		whole = io.MultiReader(whole, strings.NewReader(cut), strings.NewReader(string(last)))
	}
	return struct {
		io.Reader
		io.Closer
	}{whole, file}, nil
}

func eachLine(ctx context.Context, whole io.Reader, do func(line string) error) error {
	lines := bufio.NewReaderSize(whole, lineLimit)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			if err := do(strings.TrimRight(string(line), "\r\n")); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("reading a log: %w", err)
		}
	}
}

// afterCut returns the end of the log that is not in the file, and the note before it.
func (l *Log) afterCut() (last []byte, cut string) {
	last = l.lastBytes()
	missing := l.total - l.kept - int64(len(last))
	if missing <= 0 {
		return last[-missing:], ""
	}
	why := fmt.Sprintf("the log has reached its limit of %d bytes", l.limit)
	if l.failure != nil {
		why = l.failure.Error()
	}
	return last, fmt.Sprintf("\n[tracetax: %d bytes are left out here: %s]\n", missing, why)
}

func (l *Log) lastBytes() []byte { return l.tail[max(0, len(l.tail)-tailLimit):] }

// Waiting for a line of a log.

// await is one wait for a line.
type await struct {
	line  *Pattern
	found chan string // holds one
}

// tell offers new lines to the waits.
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
	if !w.line.Match(line) {
		return
	}
	select {
	case w.found <- line:
	default: // it has one already
	}
}

// Await returns a channel that gets the first matching line, among those already written, which it reads until ctx ends, and
// later ones. stop ends the wait.
func (l *Log) Await(ctx context.Context, line *Pattern) (found <-chan string, stop func()) {
	w := &await{line: line, found: make(chan string, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	// An unfinished last line is offered too, and again when it is whole. Of a log that cannot be read back only new lines are
	// offered.
	if whole, err := l.open(); err == nil {
		if err = eachLine(ctx, whole, func(text string) error { w.offer(text); return nil }); ctx.Err() != nil {
			err = nil // no failure of the log
		}
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
